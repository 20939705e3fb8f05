#include "rhea/metrics/jsonl_writer.h"
#include "rhea/core/error.h"
#include "rhea/core/files.h"
#include "tests/unit/core/temporary_folder.h"

#include <gtest/gtest.h>

#include <limits>

namespace rhea {
namespace {

StepMetrics at_step(std::int64_t step) {
  StepMetrics m;
  m.step = step;
  m.loss = 0.1 + 0.2;
  m.max_loss = 3.0;
  m.grad_norm = 1e-7;
  m.lr = 3e-4;
  m.tokens = 1'000'000'007;
  m.tokens_per_second = 2330.5;
  m.mfu = 0.5;
  m.memory_gib = 1.25;
  m.seconds = 12.5;
  m.data_wait_seconds = 0.001;
  return m;
}

TEST(JsonLine, HoldsShortestNumbersThatReadBack) {
  EXPECT_EQ(json_line(at_step(3)),
            R"({"step":3,"loss":0.30000000000000004,"max_loss":3,"grad_norm":1e-07,"lr":0.0003,"tokens":1000000007,)"
            R"("tps":2330.5,"mfu":0.5,"memory_gib":1.25,"time":12.5,"data_wait":0.001,"skipped":0})");
}

TEST(JsonLine, WritesNullForWhatIsNoNumber) {
  StepMetrics m = at_step(3);
  m.loss = std::numeric_limits<double>::quiet_NaN();
  m.grad_norm = -std::numeric_limits<double>::infinity();
  m.mfu = -1.0;
  const std::string line = json_line(m);
  EXPECT_NE(line.find(R"("loss":null)"), std::string::npos) << line;
  EXPECT_NE(line.find(R"("grad_norm":null)"), std::string::npos) << line;
  EXPECT_NE(line.find(R"("mfu":null)"), std::string::npos) << line;
}

TEST(JsonLine, ValidationCarriesItsLoss) {
  ValidationMetrics m;
  m.step = 5;
  m.loss = 2.5;
  m.tokens = 400;
  m.tokens_per_second = 100;
  m.memory_gib = 1;
  m.seconds = 9;
  EXPECT_EQ(json_line(m), R"({"step":5,"validation_loss":2.5,"validation_tokens":400,"tps":100,"memory_gib":1,"time":9})");
}

class JsonlWriterTest : public ::testing::Test {
 protected:
  // The steps' lines as a run would have written them.
  static std::string lines(std::int64_t from, std::int64_t to) {
    std::string text;
    for (std::int64_t step = from; step <= to; ++step) {
      text += json_line(at_step(step)) + "\n";
    }
    return text;
  }
  testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "metrics.jsonl";
};

TEST_F(JsonlWriterTest, EachLineIsThereAsSoonAsItIsWritten) {
  JsonlWriter writer(path_, std::nullopt);
  EXPECT_EQ(read_file(path_), "");
  writer.write(at_step(1));
  EXPECT_EQ(read_file(path_), lines(1, 1));
  writer.write(at_step(2));
  EXPECT_EQ(read_file(path_), lines(1, 2));
}

TEST_F(JsonlWriterTest, ANewRunStartsAnew) {
  write_file_atomically(path_, lines(1, 9));
  const JsonlWriter writer(path_, std::nullopt);
  EXPECT_EQ(read_file(path_), "");
}

TEST_F(JsonlWriterTest, AResumedRunDropsLaterAndTornLines) {
  write_file_atomically(path_, lines(1, 9) + R"({"step":10,"loss":2.)");
  JsonlWriter writer(path_, 5);
  EXPECT_EQ(read_file(path_), lines(1, 5));
  writer.write(at_step(6));
  EXPECT_EQ(read_file(path_), lines(1, 6));
}

TEST_F(JsonlWriterTest, ATornLineOfAStepThatIsKeptIsDroppedToo) {
  write_file_atomically(path_, lines(1, 2) + R"({"step":3,"loss":2.5})");  // whole, but for its end of line
  const JsonlWriter writer(path_, 5);
  EXPECT_EQ(read_file(path_), lines(1, 2));
}

TEST_F(JsonlWriterTest, ResumingWithoutAFileStartsOne) {
  JsonlWriter writer(folder_.path() / "deeper" / "metrics.jsonl", 5);
  writer.write(at_step(6));
  EXPECT_EQ(read_file(folder_.path() / "deeper" / "metrics.jsonl"), lines(6, 6));
}

TEST_F(JsonlWriterTest, ResumingAtStepZeroKeepsNoStep) {
  write_file_atomically(path_, lines(1, 3));
  const JsonlWriter writer(path_, 0);
  EXPECT_EQ(read_file(path_), "");
}

TEST_F(JsonlWriterTest, BrokenLinesInTheMiddleAreNamed) {
  write_file_atomically(path_, lines(1, 1) + "{\"step\":\"2\"}\nnonsense\n" + lines(3, 3));
  ::testing::internal::CaptureStderr();
  {
    const JsonlWriter writer(path_, 5);
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("metrics.jsonl:2: dropped on resuming: expected a JSON object"), std::string::npos) << log;
  EXPECT_NE(log.find("metrics.jsonl:3: "), std::string::npos) << log;
  EXPECT_EQ(read_file(path_), lines(1, 1) + lines(3, 3));
}

TEST_F(JsonlWriterTest, NamesAPathThatIsAFolder) {
  std::filesystem::create_directory(path_);
  try {
    const JsonlWriter writer(path_, std::nullopt);
    FAIL() << "a folder was taken for a file";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("metrics.jsonl"), std::string::npos) << error.what();
  }
}

TEST(JsonlWriter, NamesAFullDisk) {
  // Appending is what meets a full disk in the middle of a run; /dev/full is one.
  AppendFile file("/dev/full", AppendMode::kExtend);
  try {
    file.append("{}\n");
    FAIL() << "a full disk went unnoticed";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "/dev/full: cannot write: No space left on device (the disk is full: free space, then resume the run)");
  }
}

}  // namespace
}  // namespace rhea
