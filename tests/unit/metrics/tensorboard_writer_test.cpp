#include "rhea/metrics/tensorboard_writer.h"
#include "rhea/core/error.h"
#include "rhea/core/files.h"
#include "rhea/metrics/crc32c.h"
#include "tests/unit/core/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <regex>

namespace rhea {
namespace {

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// RFC 3720, appendix B.4, and the usual check value.
TEST(Crc32c, GivesTheKnownAnswers) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  std::string ascending;
  for (char c = 0; c < 32; ++c) {
    ascending += c;
  }
  EXPECT_EQ(crc32c(ascending), 0x46dd794eU);
}

TEST(Tfrecord, FramesTheMessage) {
  const std::string record = tfrecord("123456789");
  ASSERT_EQ(record.size(), 8U + 4U + 9U + 4U);
  EXPECT_EQ(record.substr(0, 8), from_hex("0900000000000000"));
  EXPECT_EQ(record.substr(12, 9), "123456789");
  // The mask of 0xe3069283: rotated right by 15 bits 0x2507c60d, plus 0xa282ead8.
  EXPECT_EQ(record.substr(21), from_hex("e5b08ac7"));
}

TEST(TensorboardEvent, OpensWithTheVersion) {
  // double 1.0 = 3ff0000000000000
  EXPECT_EQ(version_event(1.0), from_hex("09000000000000f03f1a0d") + "brain.Event:2");
}

TEST(TensorboardEvent, HoldsTheScalarsOfAStep) {
  const std::vector<Scalar> scalars = {{"lr", 0.5}};
  // step 300 = varint ac02; summary of 11 bytes: value of 9 bytes: tag "lr", float 0.5 = 3f000000
  EXPECT_EQ(scalar_event(1.0, 300, scalars),
            from_hex("09000000000000f03f10ac02") + from_hex("2a0b0a09") + from_hex("0a02") + "lr" + from_hex("150000003f"));
}

TEST(TensorboardWriter, NamesItsFileAsReadersExpect) {
  const testing::TemporaryFolder folder;
  TensorboardWriter first(folder.path());
  const TensorboardWriter second(folder.path());
  EXPECT_NE(first.path(), second.path());
  const std::string relative = first.path().lexically_relative(folder.path()).string();
  EXPECT_TRUE(std::regex_match(relative, std::regex(R"(\d{8}-\d{4}/events\.out\.tfevents\.\d{10}\.rhea)"))) << relative;
}

TEST(TensorboardWriter, WritesWholeRecordsAtOnce) {
  const testing::TemporaryFolder folder;
  TensorboardWriter writer(folder.path());
  StepMetrics metrics;
  metrics.step = 1;
  metrics.mfu = 0.5;
  writer.write(metrics);
  ValidationMetrics validation;
  validation.step = 1;
  writer.write(validation);
  const std::string bytes = read_file(writer.path());
  std::vector<std::string> messages;
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint64_t size = 0;
    ASSERT_LE(at + 12, bytes.size());
    std::memcpy(&size, bytes.data() + at, 8);
    ASSERT_LE(size, bytes.size() - at - 16);
    messages.push_back(bytes.substr(at + 12, size));
    EXPECT_EQ(bytes.substr(at, size + 16), tfrecord(messages.back()));
    at += size + 16;
  }
  ASSERT_EQ(messages.size(), 3U);
  for (const char* tag :
       {"loss_metrics/global_avg_loss", "loss_metrics/global_max_loss", "grad_norm", "throughput(tps)", "tflops", "mfu(%)",
        "time_metrics/end_to_end(s)", "time_metrics/data_loading(s)", "time_metrics/data_loading(%)", "memory/max_active(GiB)",
        "memory/max_active(%)", "n_tokens_seen", "lr"}) {
    EXPECT_NE(messages[1].find(tag), std::string::npos) << tag;
  }
  EXPECT_NE(messages[2].find("validation_metrics/loss"), std::string::npos);
}

TEST(TensorboardWriter, LeavesOutAnUnknownMfu) {
  const testing::TemporaryFolder folder;
  TensorboardWriter writer(folder.path());
  writer.write(StepMetrics{});
  EXPECT_EQ(read_file(writer.path()).find("mfu"), std::string::npos);
}

TEST(TensorboardWriter, NamesAFileInTheWay) {
  const testing::TemporaryFolder folder;
  write_file_atomically(folder.path() / "tb", "");
  try {
    const TensorboardWriter writer(folder.path() / "tb");
    FAIL() << "wrote through a file";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/tb"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace rhea
