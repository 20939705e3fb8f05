#include "rhea/data/data_position.h"

#include "rhea/core/error.h"

#include <nlohmann/json.hpp>

namespace rhea {

std::string to_json(const DataPosition& position) {
  const nlohmann::ordered_json json = {{"epoch", position.epoch},
                                       {"document", position.document},
                                       {"token", position.token},
                                       {"rows", position.rows},
                                       {"stream", position.stream}};
  return json.dump();
}

DataPosition data_position_from_json(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    fail("data position: expected a JSON object, got \"{}\"", text.substr(0, 80));
  }
  const auto number = [&](const char* name) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number_integer() || found->get<std::int64_t>() < 0) {
      fail("data position: \"{}\" must be an integer of at least 0", name);
    }
    return found->get<std::int64_t>();
  };
  DataPosition position = {number("epoch"), number("document"), number("token"), number("rows"), {}};
  const auto stream = json.find("stream");
  if (stream == json.end() || !stream->is_string()) {
    fail("data position: \"stream\" must be a string");
  }
  position.stream = stream->get<std::string>();
  return position;
}

}  // namespace rhea
