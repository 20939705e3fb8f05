// The bytes of a file front to back, unpacked on the way if its name ends in .gz, .dz or .zst.
//
// Holds some hundred kilobytes, whatever the file's size. One thread at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace rhea {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Fills the front of `out`; fewer bytes than there is room for are no sign of the end, 0 is.
  // Throws Error naming the file and the byte on disk where it is broken or cut.
  virtual std::size_t read(std::span<char> out) = 0;
};

std::unique_ptr<ByteStream> open_byte_stream(const std::filesystem::path& path);

}  // namespace rhea
