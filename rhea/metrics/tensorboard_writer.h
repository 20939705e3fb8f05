// TensorBoard event files, written without TensorFlow: TFRecord frames around hand-encoded Event messages.
//
// A frame is length (u64), masked crc32c of the length (u32), the message, masked crc32c of the message (u32), all little
// endian. Tags are torchtitan's, so that runs of both lie in one chart. Values are float32: the format's own scalars.
#pragma once

#include "rhea/metrics/append_file.h"
#include "rhea/metrics/step_metrics.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace rhea {

struct Scalar {
  std::string_view tag;
  double value;
};

class TensorboardWriter {
 public:
  // Makes `folder`/YYYYmmdd-HHMM/events.out.tfevents.SECONDS.rhea, local time; a resumed run adds a file, which
  // TensorBoard shows as one run with the others. Throws Error with the path.
  explicit TensorboardWriter(const std::filesystem::path& folder);

  // Handed to the system before they return.
  void write(const StepMetrics& metrics);
  void write(const ValidationMetrics& metrics);
  void write(std::int64_t step, std::span<const Scalar> scalars);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  AppendFile file_;
};

// The message framed as a TFRecord.
std::string tfrecord(std::string_view message);

// The Event that opens every file, and one with the scalars of a step. wall_time: seconds since 1970.
std::string version_event(double wall_time);
std::string scalar_event(double wall_time, std::int64_t step, std::span<const Scalar> scalars);

}  // namespace rhea
