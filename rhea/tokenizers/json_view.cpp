#include "rhea/tokenizers/json_view.h"

namespace rhea {

bool JsonView::has(std::string_view name) const {
  const auto found = object()[name];
  return !found.error() && !found.value_unsafe().is_null();
}

JsonView JsonView::operator[](std::string_view name) const {
  const auto found = object()[name];
  if (found.error()) {
    refuse("\"{}\" is missing", name);
  }
  return {*file_, key_.empty() ? std::string(name) : fmt::format("{}.{}", key_, name), found.value_unsafe()};
}

std::vector<JsonView> JsonView::items() const {
  std::vector<JsonView> views;
  for (const simdjson::dom::element item : array()) {
    views.emplace_back(*file_, fmt::format("{}[{}]", key_, views.size()), item);
  }
  return views;
}

std::string_view JsonView::string() const {
  std::string_view text;
  if (value_.get(text)) {
    refuse("expected a string");
  }
  return text;
}

std::int64_t JsonView::integer(std::int64_t least, std::int64_t most) const {
  std::int64_t number = 0;
  if (value_.get(number) || number < least || number > most) {
    refuse("expected an integer from {} to {}", least, most);
  }
  return number;
}

double JsonView::number() const {
  double number = 0;
  if (value_.get(number)) {
    refuse("expected a number");
  }
  return number;
}

bool JsonView::boolean() const {
  bool truth = false;
  if (value_.get(truth)) {
    refuse("expected true or false");
  }
  return truth;
}

simdjson::dom::object JsonView::object() const {
  simdjson::dom::object members;
  if (value_.get(members)) {
    refuse("expected an object");
  }
  return members;
}

simdjson::dom::array JsonView::array() const {
  simdjson::dom::array list;
  if (value_.get(list)) {
    refuse("expected an array");
  }
  return list;
}

simdjson::dom::element parse_json(simdjson::dom::parser& parser, const std::string& file, std::string& text) {
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  simdjson::dom::element top;
  if (const auto error = parser.parse(text).get(top)) {
    fail("{}: no valid JSON: {}", file, simdjson::error_message(error));
  }
  return top;
}

}  // namespace rhea
