#include "rhea/config/key_table.h"

#include "rhea/config/text_value.h"
#include "rhea/core/edit_distance.h"
#include "rhea/core/error.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
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
  if (text == nullptr || !is_plain_text(*text) || !allowed(*text, limits)) {
    return false;
  }
  *field = *text;
  return true;
}

bool assign(std::vector<std::string>* field, const Value& value, const Limits& limits) {
  const auto* list = std::get_if<std::vector<std::string>>(&value);
  const auto fits = [&](const std::string& text) { return is_plain_text(text) && allowed(text, limits); };
  if (list == nullptr || !std::all_of(list->begin(), list->end(), fits)) {
    return false;
  }
  *field = *list;
  return true;
}

std::string describe(const Value& value) {
  Value copy = value;
  return std::visit([](auto& held) { return to_toml(Field(&held)); }, copy);
}

// Values and names come from outside: a message shows their beginning only.
std::string shortened(std::string text) {
  constexpr std::size_t kShown = 80;
  if (text.size() <= kShown) {
    return text;
  }
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;  // not in the middle of a UTF-8 character
  }
  return text.substr(0, end) + "...";
}

std::string quoted(std::string_view text) {
  return quote_toml(shortened(std::string(text)));
}

std::string suggestion(const std::vector<std::string>& names) {
  return names.empty() ? "" : fmt::format("; did you mean \"{}\"?", fmt::join(names, "\" or \""));
}

// What may help with a value that does not fit: the nearest choice, or the quotes that TOML wants around 2 or true.
std::string value_hint(const Key& key, const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) {
    const bool takes_text = std::holds_alternative<std::string*>(key.field);
    const bool is_list = std::holds_alternative<std::vector<std::string>>(value);
    return takes_text && !is_list ? fmt::format("; write \"{}\", with quotes", describe(value)) : "";
  }
  if (!is_plain_text(*text)) {
    return " (not UTF-8, or with a zero byte in it)";
  }
  return suggestion(nearest_names(*text, key.limits.choices));
}

std::string range_text(const Limits& limits) {
  const bool has_least = std::isfinite(limits.least), has_most = std::isfinite(limits.most);
  std::string text;
  if (has_least) {
    text += fmt::format(" {} {}", limits.above_least ? "above" : "of at least", limits.least);
  }
  if (has_most) {
    const std::string_view join = has_least ? " and " : limits.below_most ? " " : " of ";
    text += fmt::format("{}{} {}", join, limits.below_most ? "below" : "at most", limits.most);
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

// Declarations are the program's own text: a wrong one is a logic_error, met on the first start.
void KeyTable::section(std::string name, std::string help) {
  for (const SectionHelp& known : sections_) {
    if (known.name == name) {
      throw std::logic_error(fmt::format("configuration section \"{}\" is declared twice", name));
    }
  }
  sections_.push_back({std::move(name), std::move(help)});
}

void KeyTable::add(std::string name, Field field, std::string help, Limits limits) {
  if (sections_.empty()) {
    throw std::logic_error(fmt::format("configuration key \"{}\" is declared before its section", name));
  }
  const std::string& section = sections_.back().name;
  if (std::any_of(keys_.begin(), keys_.end(), [&](const Key& key) { return key.section == section && key.name == name; })) {
    throw std::logic_error(fmt::format("configuration key \"{}.{}\" is declared twice", section, name));
  }
  std::string default_value = to_toml(field);
  keys_.push_back({section, std::move(name), field, std::move(help), std::move(limits), std::move(default_value)});
}

void KeyTable::require_section(std::string_view section, const std::string& origin) const {
  std::vector<std::string> names;
  for (const SectionHelp& known : sections_) {
    if (known.name == section) {
      return;
    }
    names.push_back(known.name);
  }
  const std::vector<std::string> keys = keys_named(section);
  fail_usage("{}: there is no section {}{}", origin, quoted(section),
             keys.empty() ? did_you_mean(section, names) : suggestion(keys));
}

std::vector<std::string> KeyTable::keys_named(std::string_view name) const {
  std::vector<std::string> names;
  for (const Key& key : keys_) {
    if (key.name == name) {
      names.push_back(key.full_name());
    }
  }
  return names;
}

const Key& KeyTable::require_key(std::string_view section, std::string_view name, const std::string& origin) const {
  require_section(section, origin);
  std::vector<std::string> names;
  for (const Key& key : keys_) {
    if (key.section == section && key.name == name) {
      return key;
    }
    if (key.section == section) {
      names.push_back(key.name);
    }
  }
  // The right name in the wrong section is the likelier slip.
  const std::vector<std::string> elsewhere = keys_named(name);
  fail_usage("{}: [{}] has no key {}{}", origin, section, quoted(name),
             elsewhere.empty() ? did_you_mean(name, names) : suggestion(elsewhere));
}

const std::string& KeyTable::origin(std::string_view full_name) const {
  const auto key = std::find_if(keys_.begin(), keys_.end(), [&](const Key& each) { return each.full_name() == full_name; });
  if (key == keys_.end()) {
    throw std::logic_error(fmt::format("no configuration key \"{}\" is declared", full_name));
  }
  return key->origin;
}

void KeyTable::set(std::string_view section, std::string_view name, const Value& value, const std::string& origin) {
  Key& key = keys_[static_cast<std::size_t>(&require_key(section, name, origin) - keys_.data())];
  const bool fits = std::visit([&](auto* field) { return assign(field, value, key.limits); }, key.field);
  if (!fits) {
    fail_usage("{}: {}: expected {}, got {}{}", origin, key.full_name(), expectation(key), shortened(describe(value)),
               value_hint(key, value));
  }
  key.origin = origin;
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
