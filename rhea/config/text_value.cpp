#include "rhea/config/text_value.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace rhea {
namespace {

template <class T>
std::optional<T> parse_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) {
    text.remove_prefix(1);
  }
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    return std::nullopt;
  }
  return number;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

std::vector<std::string> parse_list(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    text = trimmed(text.substr(1, text.size() - 2));
  }
  std::vector<std::string> list;
  while (!text.empty()) {
    const auto comma = text.find(',');
    list.emplace_back(unquoted(trimmed(text.substr(0, comma))));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return list;
}

std::string shortest(double number) {
  // fmt gives the shortest form that reads back to the same double; TOML wants it to look like a float.
  std::string text = fmt::format("{}", number);
  return text.find_first_of(".eni") == std::string::npos ? text + ".0" : text;
}

}  // namespace

Value value_from_text(std::string_view text, const Field& field) {
  struct Visitor {
    std::string_view text;
    Value operator()(const bool* /*field*/) const {
      if (text == "true" || text == "True" || text == "false" || text == "False") {
        return text.front() == 't' || text.front() == 'T';
      }
      return std::string(text);
    }
    Value operator()(const std::int64_t* /*field*/) const {
      if (const auto integer = parse_number<std::int64_t>(text)) {
        return *integer;
      }
      return (*this)(static_cast<const double*>(nullptr));  // 1e3
    }
    Value operator()(const double* /*field*/) const {
      if (const auto number = parse_number<double>(text)) {
        return *number;
      }
      return std::string(text);
    }
    Value operator()(const std::string* /*field*/) const { return std::string(text); }
    Value operator()(const std::vector<std::string>* /*field*/) const { return parse_list(text); }
  };
  return std::visit(Visitor{text}, field);
}

bool is_plain_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    if (lead == 0 || length == 0 || length > text.size() - i) {
      return false;
    }
    const auto second = length > 1 ? static_cast<unsigned char>(text[i + 1]) : 0;
    for (std::size_t j = 1; j < length; ++j) {
      if ((static_cast<unsigned char>(text[i + j]) & 0xC0) != 0x80) {
        return false;
      }
    }
    // Overlong forms, surrogates and what lies beyond U+10FFFF.
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
        (lead == 0xF4 && second > 0x8F)) {
      return false;
    }
    i += length;
  }
  return true;
}

std::string quote_toml(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': quoted += "\\\""; break;
      case '\\': quoted += "\\\\"; break;
      case '\n': quoted += "\\n"; break;
      case '\t': quoted += "\\t"; break;
      case '\r': quoted += "\\r"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          quoted += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
        } else {
          quoted += c;
        }
    }
  }
  return quoted + "\"";
}

std::string to_toml(const Field& field) {
  struct Visitor {
    std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
    std::string operator()(const std::int64_t* value) const { return fmt::format("{}", *value); }
    std::string operator()(const double* value) const { return shortest(*value); }
    std::string operator()(const std::string* value) const { return quote_toml(*value); }
    std::string operator()(const std::vector<std::string>* value) const {
      std::string text = "[";
      for (std::size_t i = 0; i < value->size(); ++i) {
        text += (i == 0 ? "" : ", ") + quote_toml((*value)[i]);
      }
      return text + "]";
    }
  };
  return std::visit(Visitor{}, field);
}

}  // namespace rhea
