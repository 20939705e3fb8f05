// JSON from files that may be damaged or hostile. `place` begins every message: the file, and where in it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

// The value that the text is. Throws Error with the byte offset for what is not JSON, is not UTF-8, has something
// after its end, or gives a key twice in one object (parsers differ in which of them counts).
nlohmann::json parse_json(std::string_view text, const std::string& place);

// object[key]. Throws Error if there is none, or if `object` is no object.
const nlohmann::json& json_member(const nlohmann::json& object, const char* key, const std::string& place);

// object[key] of the type. Throws Error for a number that is negative, fractional or beyond 63 bits.
const std::string& json_string(const nlohmann::json& object, const char* key, const std::string& place);
std::int64_t json_size(const nlohmann::json& object, const char* key, const std::string& place);

// object[key], a list of at most 64 (libtorch's limit of dimensions) such numbers.
std::vector<std::int64_t> json_sizes(const nlohmann::json& object, const char* key, const std::string& place);

}  // namespace rhea
