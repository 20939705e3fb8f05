// A value of a parsed JSON file that knows where it stands, so that every complaint names file and key.
#pragma once

#include "rhea/core/error.h"

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rhea {

class JsonView {
 public:
  JsonView(const std::string& file, std::string key, simdjson::dom::element value)
      : file_(&file), key_(std::move(key)), value_(value) {}

  const std::string& file() const { return *file_; }
  const std::string& key() const { return key_; }
  simdjson::dom::element element() const { return value_; }
  bool is_null() const { return value_.is_null(); }
  bool is_object() const { return value_.is_object(); }
  bool is_string() const { return value_.is_string(); }

  bool has(std::string_view name) const;             // is there and not null
  JsonView operator[](std::string_view name) const;  // throws if it is missing
  std::vector<JsonView> items() const;               // of an array
  std::string_view string() const;
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  double number() const;
  bool boolean() const;
  bool boolean(std::string_view name, bool otherwise) const { return has(name) ? (*this)[name].boolean() : otherwise; }
  simdjson::dom::object object() const;
  simdjson::dom::array array() const;

  // "tokenizer.json: model.dropout: what"
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    fail("{}: {}: {}", *file_, key_.empty() ? "top level" : key_, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  const std::string* file_;
  std::string key_;
  simdjson::dom::element value_;
};

// The document in `text`, which simdjson wants padded; it lives as long as the parser. Throws Error naming the file.
simdjson::dom::element parse_json(simdjson::dom::parser& parser, const std::string& file, std::string& text);

}  // namespace rhea
