#include "rhea/checkpoint/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "rhea/core/error.h"

namespace rhea {
namespace {

constexpr std::size_t kMaxDimensions = 64;

bool is_size(const nlohmann::json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() < std::uint64_t{1} << 63;
}

// What was found, short enough for a message.
std::string excerpt(const nlohmann::json& value) {
  return value.dump().substr(0, 80);
}

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& place) {
  using Event = nlohmann::json::parse_event_t;
  std::vector<std::set<std::string>> keys;  // of each open object
  const auto look = [&](int, Event event, const nlohmann::json& parsed) {
    if (event == Event::object_start) {
      keys.emplace_back();
    } else if (event == Event::object_end) {
      keys.pop_back();
    } else if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second) {
      fail("{}: the key {:?} is there twice in one object", place, parsed.get<std::string>());
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text, look);
  } catch (const nlohmann::json::parse_error& error) {
    fail("{}: not JSON at byte {}: the file is damaged or of another kind ({})", place, error.byte, error.what());
  } catch (const nlohmann::json::exception& error) {
    fail("{}: not JSON: {}", place, error.what());
  }
}

const nlohmann::json& json_member(const nlohmann::json& object, const char* key, const std::string& place) {
  if (!object.is_object()) {
    fail("{}: expected an object, found {}", place, excerpt(object));
  }
  const auto found = object.find(key);
  if (found == object.end()) {
    fail("{}: expected \"{}\", found none", place, key);
  }
  return *found;
}

const std::string& json_string(const nlohmann::json& object, const char* key, const std::string& place) {
  const nlohmann::json& value = json_member(object, key, place);
  if (!value.is_string()) {
    fail("{}: expected \"{}\" to be a string, found {}", place, key, excerpt(value));
  }
  return value.get_ref<const std::string&>();
}

std::int64_t json_size(const nlohmann::json& object, const char* key, const std::string& place) {
  const nlohmann::json& value = json_member(object, key, place);
  if (!is_size(value)) {
    fail("{}: expected \"{}\" to be an integer in [0, 2^63), found {}", place, key, excerpt(value));
  }
  return value.get<std::int64_t>();
}

std::vector<std::int64_t> json_sizes(const nlohmann::json& object, const char* key, const std::string& place) {
  const nlohmann::json& value = json_member(object, key, place);
  if (!value.is_array() || value.size() > kMaxDimensions || !std::all_of(value.begin(), value.end(), is_size)) {
    fail("{}: expected \"{}\" to be a list of at most {} integers in [0, 2^63), found {}", place, key, kMaxDimensions,
         excerpt(value));
  }
  return value.get<std::vector<std::int64_t>>();
}

}  // namespace rhea
