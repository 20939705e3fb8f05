// Where the ids of documents go, in order.
#pragma once

#include <cstdint>
#include <span>

namespace rhea {

class TokenWriter {
 public:
  virtual ~TokenWriter() = default;
  virtual void append(std::span<const std::int32_t> ids) = 0;  // more of the open document
  virtual void end_document() = 0;
};

}  // namespace rhea
