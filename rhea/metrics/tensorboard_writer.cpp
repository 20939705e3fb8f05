#include "rhea/metrics/tensorboard_writer.h"

#include "rhea/core/files.h"
#include "rhea/metrics/crc32c.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <chrono>
#include <ctime>
#include <vector>

namespace rhea {
namespace {

// Protocol buffers' wire format: a field is a key (number * 8 + wire type) and a value.
enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void put_little_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    out += static_cast<char>(value >> (8 * i) & 0xFFU);
  }
}

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) {
    out += static_cast<char>((value & 0x7FU) | 0x80U);
  }
  out += static_cast<char>(value);
}

void put_key(std::string& out, std::uint32_t field, WireType type) {
  put_varint(out, field * 8 + type);
}

void put_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
  put_key(out, field, kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

// tensorflow/core/util/event.proto: Event { double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5; }
std::string event_start(double wall_time) {
  std::string event;
  put_key(event, 1, kFixed64);
  put_little_endian(event, std::bit_cast<std::uint64_t>(wall_time), 8);
  return event;
}

// summary.proto: Summary { repeated Value value = 1; }, Value { string tag = 1; float simple_value = 2; }
std::string summary_value(const Scalar& scalar) {
  std::string value;
  put_bytes(value, 1, scalar.tag);
  put_key(value, 2, kFixed32);
  put_little_endian(value, std::bit_cast<std::uint32_t>(static_cast<float>(scalar.value)), 4);
  return value;
}

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::filesystem::path new_event_file(const std::filesystem::path& folder) {
  std::time_t seconds = std::time(nullptr);
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 32> name{};
  std::strftime(name.data(), name.size(), "%Y%m%d-%H%M", &local);
  const std::filesystem::path inside = folder / name.data();
  make_folder(inside);
  // Two runs may begin in one second, and readers expect nothing but a number there.
  std::filesystem::path path;
  do {
    path = inside / fmt::format("events.out.tfevents.{}.rhea", seconds++);
  } while (std::filesystem::exists(path));
  return path;
}

}  // namespace

std::string tfrecord(std::string_view message) {
  std::string record;
  put_little_endian(record, message.size(), 8);
  put_little_endian(record, masked_crc32c(record), 4);
  record += message;
  put_little_endian(record, masked_crc32c(message), 4);
  return record;
}

std::string version_event(double wall_time) {
  std::string event = event_start(wall_time);
  put_bytes(event, 3, "brain.Event:2");
  return event;
}

std::string scalar_event(double wall_time, std::int64_t step, std::span<const Scalar> scalars) {
  std::string summary;
  for (const Scalar& scalar : scalars) {
    put_bytes(summary, 1, summary_value(scalar));
  }
  std::string event = event_start(wall_time);
  put_key(event, 2, kVarint);
  put_varint(event, static_cast<std::uint64_t>(step));
  put_bytes(event, 5, summary);
  return event;
}

TensorboardWriter::TensorboardWriter(const std::filesystem::path& folder)
    : path_(new_event_file(folder)), file_(path_, AppendMode::kMustBeNew) {
  file_.append(tfrecord(version_event(wall_clock())));
}

void TensorboardWriter::write(std::int64_t step, std::span<const Scalar> scalars) {
  file_.append(tfrecord(scalar_event(wall_clock(), step, scalars)));
}

void TensorboardWriter::write(const StepMetrics& m) {
  std::vector<Scalar> scalars = {
      {"loss_metrics/global_avg_loss", m.loss},
      {"loss_metrics/global_max_loss", m.max_loss},
      {"grad_norm", m.grad_norm},
      {"throughput(tps)", m.tokens_per_second},
      {"tflops", m.tflops},
      {"time_metrics/end_to_end(s)", m.step_seconds},
      {"time_metrics/data_loading(s)", m.data_wait_seconds},
      {"time_metrics/data_loading(%)", m.step_seconds > 0.0 ? 100.0 * m.data_wait_seconds / m.step_seconds : 0.0},
      {"memory/max_active(GiB)", m.memory_gib},
      {"memory/max_active(%)", 100.0 * m.memory_share},
      {"n_tokens_seen", static_cast<double>(m.tokens)},
      {"lr", m.lr},
  };
  if (m.mfu >= 0.0) {
    scalars.push_back({"mfu(%)", 100.0 * m.mfu});
  }
  write(m.step, scalars);
}

void TensorboardWriter::write(const ValidationMetrics& m) {
  const std::array<Scalar, 4> scalars = {{
      {"validation_metrics/loss", m.loss},
      {"validation_metrics/throughput(tps)", m.tokens_per_second},
      {"validation_metrics/memory/max_active(GiB)", m.memory_gib},
      {"validation_metrics/memory/max_active(%)", 100.0 * m.memory_share},
  }};
  write(m.step, scalars);
}

}  // namespace rhea
