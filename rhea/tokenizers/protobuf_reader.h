// Reads a protobuf message field by field, without its schema (protobuf.dev/programming-guides/encoding).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rhea {

class ProtobufReader {
 public:
  struct Field {
    std::uint32_t number = 0;
    std::uint64_t integer = 0;  // of a varint, a fixed32 or a fixed64
    std::string_view bytes;     // of what has a length: text, a message

    float fixed_float() const;
    bool boolean() const { return integer != 0; }
  };

  explicit ProtobufReader(std::string_view message) : left_(message) {}

  // The next field; nothing at the end. Throws std::invalid_argument for what is no protobuf message.
  std::optional<Field> next();

 private:
  std::uint64_t varint();
  std::string_view take(std::uint64_t count);

  std::string_view left_;
};

}  // namespace rhea
