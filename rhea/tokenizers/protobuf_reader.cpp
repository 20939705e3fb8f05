#include "rhea/tokenizers/protobuf_reader.h"

#include <cstring>
#include <stdexcept>

namespace rhea {
namespace {

enum WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

}  // namespace

float ProtobufReader::Field::fixed_float() const {
  const auto bits = static_cast<std::uint32_t>(integer);
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

std::optional<ProtobufReader::Field> ProtobufReader::next() {
  if (left_.empty()) {
    return std::nullopt;
  }
  const std::uint64_t key = varint();
  Field field;
  field.number = static_cast<std::uint32_t>(key >> 3);
  if (field.number == 0 || key >> 32 != 0) {
    throw std::invalid_argument("a field has an impossible number");
  }
  switch (key & 7) {
    case kVarint: field.integer = varint(); break;
    case kFixed64: std::memcpy(&field.integer, take(8).data(), 8); break;
    case kLength: field.bytes = take(varint()); break;
    case kFixed32: std::memcpy(&field.integer, take(4).data(), 4); break;
    default: throw std::invalid_argument("a field has an impossible type");
  }
  return field;
}

std::uint64_t ProtobufReader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1)[0]);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      return value;
    }
  }
  throw std::invalid_argument("a number is too long");
}

std::string_view ProtobufReader::take(std::uint64_t count) {
  if (count > left_.size()) {
    throw std::invalid_argument("it is cut off");
  }
  const std::string_view taken = left_.substr(0, count);
  left_.remove_prefix(count);
  return taken;
}

}  // namespace rhea
