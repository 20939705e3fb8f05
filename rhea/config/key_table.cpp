#include "rhea/config/key_table.h"

#include "rhea/config/text_value.h"
#include "rhea/core/edit_distance.h"
#include "rhea/core/error.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rhea {
namespace {

// Doubles hold every integer up to here.
constexpr double kLargestExactInteger = 9007199254740992.0;

bool within(double value, const Limits& limits) {
  const bool high_enough = limits.above_least ? value > limits.least : value >= limits.least;
  const bool low_enough = limits.below_most ? value < limits.most : value <= limits.most;
  return high_enough && low_enough;
}

bool allowed(const std::string& text, const Limits& limits) {
  return limits.choices.empty() || std::find(limits.choices.begin(), limits.choices.end(), text) != limits.choices.end();
}

// Each returns whether the value fits the field, and writes it if so.
bool assign(bool* field, const Value& value, const Limits& /*limits*/) {
  const auto* flag = std::get_if<bool>(&value);
  if (flag != nullptr) {
    *field = *flag;
  }
  return flag != nullptr;
}

bool assign(std::int64_t* field, const Value& value, const Limits& limits) {
  std::int64_t number = 0;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    number = *integer;
  } else if (const auto* real = std::get_if<double>(&value);
             real != nullptr && std::trunc(*real) == *real && std::abs(*real) <= kLargestExactInteger) {
    number = static_cast<std::int64_t>(*real);  // 1e3 is an integer to people
  } else {
    return false;
  }
  if (!within(static_cast<double>(number), limits)) {
    return false;
  }
  *field = number;
  return true;
}

bool assign(double* field, const Value& value, const Limits& limits) {
  double number = 0;
  if (const auto* real = std::get_if<double>(&value)) {
    number = *real;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*integer);
  } else {
    return false;
  }
  if (!std::isfinite(number) || !within(number, limits)) {
    return false;
  }
  *field = number;
  return true;
}

bool assign(std::string* field, const Value& value, const Limits& limits) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || !allowed(*text, limits)) {
    return false;
  }
  *field = *text;
  return true;
}

bool assign(std::vector<std::string>* field, const Value& value, const Limits& limits) {
  const auto* list = std::get_if<std::vector<std::string>>(&value);
  if (list == nullptr || !std::all_of(list->begin(), list->end(), [&](const auto& text) { return allowed(text, limits); })) {
    return false;
  }
  *field = *list;
  return true;
}

std::string describe(const Value& value) {
  Value copy = value;
  return std::visit([](auto& held) { return to_toml(Field(&held)); }, copy);
}

// Values come from outside: a message shows their beginning only.
std::string shortened(std::string text) {
  constexpr std::size_t kShown = 80;
  return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
}

std::string range_text(const Limits& limits) {
  const bool has_least = std::isfinite(limits.least), has_most = std::isfinite(limits.most);
  std::string text;
  if (has_least) {
    text += fmt::format(" {} {}", limits.above_least ? "above" : "of at least", limits.least);
  }
  if (has_most) {
    text += fmt::format("{} {} {}", has_least ? " and" : "", limits.below_most ? "below" : "at most", limits.most);
  }
  return text;
}

}  // namespace

Limits at_least(double least) {
  return {.least = least};
}

Limits greater_than(double least) {
  return {.least = least, .above_least = true};
}

Limits between(double least, double most) {
  return {.least = least, .most = most};
}

Limits above_and_at_most(double least, double most) {
  return {.least = least, .most = most, .above_least = true};
}

Limits one_of(std::vector<std::string> choices) {
  return {.choices = std::move(choices)};
}

void KeyTable::section(std::string name, std::string help) {
  sections_.push_back({std::move(name), std::move(help)});
}

void KeyTable::add(std::string name, Field field, std::string help, Limits limits) {
  std::string default_value = to_toml(field);
  keys_.push_back({sections_.back().name, std::move(name), field, std::move(help), std::move(limits), std::move(default_value)});
}

void KeyTable::require_section(std::string_view section, const std::string& origin) const {
  std::vector<std::string> names;
  for (const SectionHelp& known : sections_) {
    if (known.name == section) {
      return;
    }
    names.push_back(known.name);
  }
  fail_usage("{}: there is no section \"{}\"{}", origin, shortened(std::string(section)), did_you_mean(section, names));
}

const Key& KeyTable::require_key(std::string_view section, std::string_view name, const std::string& origin) const {
  require_section(section, origin);
  std::vector<std::string> names, others;
  for (const Key& key : keys_) {
    if (key.section == section && key.name == name) {
      return key;
    }
    if (key.section == section) {
      names.push_back(key.name);
    } else if (key.name == name) {
      others.push_back(key.full_name());
    }
  }
  // The right name in the wrong section is the likelier slip.
  if (!others.empty()) {
    fail_usage("{}: there is no key \"{}.{}\"; did you mean \"{}\"?", origin, section, name, fmt::join(others, "\" or \""));
  }
  fail_usage("{}: there is no key \"{}.{}\"{}", origin, section, shortened(std::string(name)), did_you_mean(name, names));
}

void KeyTable::set(std::string_view section, std::string_view name, const Value& value, const std::string& origin) {
  const Key& key = require_key(section, name, origin);
  const bool fits = std::visit([&](auto* field) { return assign(field, value, key.limits); }, key.field);
  if (!fits) {
    std::string hint;
    if (const auto* text = std::get_if<std::string>(&value); text != nullptr && !key.limits.choices.empty()) {
      hint = did_you_mean(*text, key.limits.choices);
    }
    fail_usage("{}: {}: expected {}, got {}{}", origin, key.full_name(), expectation(key), shortened(describe(value)),
               hint.starts_with("; did") ? hint : "");
  }
  const_cast<Key&>(key).origin = origin;  // NOLINT(cppcoreguidelines-pro-type-const-cast): keys_ is ours
}

void KeyTable::set_from_text(std::string_view section, std::string_view name, std::string_view text, const std::string& origin) {
  const Key& key = require_key(section, name, origin);
  set(section, name, value_from_text(text, key.field), origin);
}

std::string expectation(const Key& key) {
  struct Visitor {
    const Limits& limits;
    std::string operator()(const bool* /*field*/) const { return "true or false"; }
    std::string operator()(const std::int64_t* /*field*/) const { return "an integer" + range_text(limits); }
    std::string operator()(const double* /*field*/) const { return "a number" + range_text(limits); }
    std::string operator()(const std::string* /*field*/) const {
      return limits.choices.empty() ? "text" : fmt::format("one of {}", fmt::join(limits.choices, ", "));
    }
    std::string operator()(const std::vector<std::string>* /*field*/) const {
      return limits.choices.empty() ? "a list of text" : fmt::format("a list of {}", fmt::join(limits.choices, ", "));
    }
  };
  return std::visit(Visitor{key.limits}, key.field);
}

}  // namespace rhea
