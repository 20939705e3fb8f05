#include "rhea/data/byte_stream.h"

#include "rhea/core/error.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <vector>

namespace rhea {
namespace {

class PlainStream : public ByteStream {
 public:
  explicit PlainStream(const std::filesystem::path& path)
      : path_(path.string()), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) {
      fail("{}: cannot be opened: {}", path_, std::generic_category().message(errno));
    }
  }
  PlainStream(const PlainStream&) = delete;
  PlainStream& operator=(const PlainStream&) = delete;
  ~PlainStream() override { ::close(descriptor_); }

  std::size_t read(std::span<char> out) override {
    ssize_t count = 0;
    do {
      count = ::read(descriptor_, out.data(), out.size());
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
      fail("{}: cannot be read: {}", path_, std::generic_category().message(errno));
    }
    return static_cast<std::size_t>(count);
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int descriptor_;
};

// What an unpacker has read of its file and not used yet.
class PackedInput {
 public:
  explicit PackedInput(const std::filesystem::path& path) : file_(path), buffer_(std::size_t{128} << 10) {}

  // False at the end of the file.
  bool refill() {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = file_.read(buffer_);
      read_ += end_;
    }
    return end_ > 0;
  }
  std::span<char> rest() { return std::span(buffer_).subspan(begin_, end_ - begin_); }
  void use(std::size_t bytes) { begin_ += bytes; }
  std::uint64_t offset() const { return read_ - (end_ - begin_); }  // in the file, of rest()
  const std::string& path() const { return file_.path(); }

 private:
  PlainStream file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t read_ = 0;
};

class GzipStream : public ByteStream {
 public:
  explicit GzipStream(const std::filesystem::path& path) : input_(path) {
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&zlib_, kGzipOnly) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream() override { inflateEnd(&zlib_); }

  std::size_t read(std::span<char> out) override {
    std::size_t count = 0;
    while (count == 0) {
      if (!input_.refill()) {
        if (inside_ || members_ == 0) {
          fail("{}: gzip data ends too early, at byte {}: the file was cut", input_.path(), input_.offset());
        }
        return 0;
      }
      if (!inside_ && members_ > 0 && skip_padding()) {
        continue;
      }
      count = inflate_some(out);
    }
    return count;
  }

 private:
  // Zeros may follow the last member (tapes have them). True if they used up what was read.
  bool skip_padding() {
    const auto rest = input_.rest();
    const auto zeros = std::find_if(rest.begin(), rest.end(), [](char c) { return c != 0; }) - rest.begin();
    input_.use(static_cast<std::size_t>(zeros));
    return static_cast<std::size_t>(zeros) == rest.size();
  }

  std::size_t inflate_some(std::span<char> out) {
    const auto rest = input_.rest();
    zlib_.next_in = reinterpret_cast<Bytef*>(rest.data());
    zlib_.avail_in = static_cast<uInt>(rest.size());
    zlib_.next_out = reinterpret_cast<Bytef*>(out.data());
    zlib_.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size(), 1U << 30));
    const uInt room = zlib_.avail_out;
    inside_ = true;
    const int status = inflate(&zlib_, Z_NO_FLUSH);
    input_.use(rest.size() - zlib_.avail_in);
    if (status == Z_STREAM_END) {  // another member may follow
      inside_ = false;
      ++members_;
      inflateReset(&zlib_);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      fail("{}: broken gzip data near byte {}: {}", input_.path(), input_.offset(), zlib_.msg != nullptr ? zlib_.msg : "no gzip");
    }
    return room - zlib_.avail_out;
  }

  PackedInput input_;
  z_stream zlib_{};
  bool inside_ = false;  // a member that has begun and not ended
  int members_ = 0;
};

class ZstdStream : public ByteStream {
 public:
  explicit ZstdStream(const std::filesystem::path& path) : input_(path), zstd_(ZSTD_createDStream(), &ZSTD_freeDStream) {}

  std::size_t read(std::span<char> out) override {
    ZSTD_outBuffer to = {out.data(), out.size(), 0};
    while (to.pos == 0) {
      const bool more = input_.refill();
      if (!more && (missing_ != 0 || !begun_)) {
        fail("{}: Zstandard data ends too early, at byte {}: the file was cut", input_.path(), input_.offset());
      }
      if (!more) {
        return 0;
      }
      begun_ = true;
      const auto rest = input_.rest();
      ZSTD_inBuffer from = {rest.data(), rest.size(), 0};
      missing_ = ZSTD_decompressStream(zstd_.get(), &to, &from);
      if (ZSTD_isError(missing_)) {
        fail("{}: broken Zstandard data near byte {}: {}", input_.path(), input_.offset(), ZSTD_getErrorName(missing_));
      }
      input_.use(from.pos);
    }
    return to.pos;
  }

 private:
  PackedInput input_;
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> zstd_;
  std::size_t missing_ = 0;  // 0: a frame is complete
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> open_byte_stream(const std::filesystem::path& path) {
  const std::string suffix = path.extension().string();
  if (suffix == ".gz" || suffix == ".dz") {
    return std::make_unique<GzipStream>(path);
  }
  if (suffix == ".zst") {
    return std::make_unique<ZstdStream>(path);
  }
  return std::make_unique<PlainStream>(path);
}

}  // namespace rhea
