#include "rhea/metrics/plot.h"
#include "rhea/core/error.h"
#include "rhea/core/files.h"
#include "rhea/metrics/svg_plot.h"
#include "tests/unit/core/temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rhea {
namespace {

using testing::message_of;
using testing::TemporaryFolder;

Chart parabola() {
  Chart chart{"loss", {{.label = "run", .points = {}}}};
  for (int i = 0; i <= 20; ++i) {
    chart.lines[0].points.push_back({static_cast<double>(i), (20.0 - i) * (20.0 - i) / 100.0});
  }
  return chart;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++times;
  }
  return times;
}

// Every element is closed in order, and no "<" or "&" stands in text: enough to find a slip of ours.
void expect_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = xml.substr(at + 1, end - at - 1);
    ASSERT_EQ(tag.find('<'), std::string::npos) << tag;
    ASSERT_EQ(count(tag, "\"") % 2, 0U) << tag;
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (tag.front() == '/') {
      ASSERT_FALSE(open.empty());
      ASSERT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(count(xml, "&"), count(xml, "&amp;") + count(xml, "&lt;") + count(xml, "&gt;") + count(xml, "&quot;"));
}

TEST(Axis, HasRoundTicksInItsRange) {
  const Axis axis = make_axis(0.3, 9.7, 5);
  EXPECT_EQ(axis.labels, (std::vector<std::string>{"2", "4", "6", "8"}));
  EXPECT_EQ(make_axis(0.0, 1.0, 5).labels, (std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(make_axis(-1.0, 1.0, 4).labels, (std::vector<std::string>{"-1.0", "-0.5", "0", "0.5", "1.0"}));
}

TEST(Axis, ShortensLargeAndSmallNumbers) {
  EXPECT_EQ(make_axis(0.0, 20000.0, 4).labels, (std::vector<std::string>{"0", "5k", "10k", "15k", "20k"}));
  EXPECT_EQ(make_axis(2.0e6, 2.4e6, 4).labels, (std::vector<std::string>{"2.0M", "2.1M", "2.2M", "2.3M", "2.4M"}));
  EXPECT_EQ(make_axis(0.0, 3e-4, 3).labels, (std::vector<std::string>{"0", "1e-4", "2e-4", "3e-4"}));
}

TEST(Axis, TakesRangesThatCannotBeDrawn) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<double, double>> ranges = {
      {1.0, 1.0},    {0.0, 0.0},        {kInfinity, -kInfinity}, {NAN, NAN},       {-1e308, 1e308},  {1.0, 1.0 + 1e-15},
      {0.0, 5e-324}, {-1e-320, 1e-320}, {1e15, 1e15 + 1},        {1e308, 1.7e308}, {-kInfinity, 1.0}};
  for (const auto& [low, high] : ranges) {
    const Axis axis = make_axis(low, high, 5);
    EXPECT_LT(axis.low, axis.high) << low << " to " << high;
    EXPECT_TRUE(std::isfinite(axis.high - axis.low));
    EXPECT_GE(axis.ticks.size(), 2U) << low << " to " << high;
    EXPECT_LE(axis.ticks.size(), 20U) << low << " to " << high;
    EXPECT_EQ(axis.ticks.size(), axis.labels.size());
  }
}

TEST(TerminalPlot, DrawsTheGoldenParabola) {
  EXPECT_EQ(terminal_plot(parabola(), {.width = 50, .height = 12, .colour = false}),
            read_file("tests/data/metrics/parabola_50x12.txt"));
}

TEST(TerminalPlot, TellsLinesApartWithoutColour) {
  Chart chart = parabola();
  chart.lines.push_back({.label = "flat", .points = {{0.0, 1.0}, {20.0, 1.0}}});
  const std::string text = terminal_plot(chart, {.width = 50, .height = 12, .colour = false});
  EXPECT_NE(text.find("* run  o flat\n"), std::string::npos) << text;
  EXPECT_GT(count(text, "o"), 20U);
  EXPECT_EQ(text.find('\033'), std::string::npos);
  const std::string coloured = terminal_plot(chart, {.width = 50, .height = 12, .colour = true});
  EXPECT_NE(coloured.find("\033[34m"), std::string::npos);
  EXPECT_NE(coloured.find("\033[33m"), std::string::npos);
}

TEST(TerminalPlot, MarksLinesThatAreNotJoined) {
  Chart chart = parabola();
  chart.lines.push_back({.label = "points", .points = {{5.0, 3.0}, {15.0, 3.0}}, .joined = false});
  const std::string text = terminal_plot(chart, {.width = 50, .height = 12, .colour = true});
  EXPECT_NE(text.find("\033[33mo                       o\033[0m"), std::string::npos) << text;
}

TEST(TerminalPlot, KeepsToItsSize) {
  for (const int width : {24, 60, 200}) {
    for (const int height : {6, 12, 50}) {
      const std::string text = terminal_plot(parabola(), {.width = width, .height = height, .colour = false});
      EXPECT_EQ(count(text, "\n"), static_cast<std::size_t>(height));
      std::size_t at = 0;
      for (std::size_t end = text.find('\n'); end != std::string::npos; at = end + 1, end = text.find('\n', at)) {
        int columns = 0;
        for (std::size_t i = at; i < end; ++i) {
          columns += (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U ? 1 : 0;
        }
        EXPECT_LE(columns, width) << text.substr(at, end - at);
      }
    }
  }
}

TEST(TerminalPlot, RefusesSizesThatHoldNoPlot) {
  EXPECT_EQ(message_of<UsageError>([] { terminal_plot(parabola(), {.width = 5, .height = 12}); }),
            "width 5: expected 24 to 1000 columns for a plot");
  EXPECT_EQ(message_of<UsageError>([] { terminal_plot(parabola(), {.width = 80, .height = 100000}); }),
            "height 100000: expected 6 to 1000 rows for a plot");
}

TEST(TerminalPlot, ControlCharactersOfNamesStayOut) {
  Chart chart = parabola();
  chart.lines[0].label = "a\033[2Jb\n";
  EXPECT_EQ(terminal_plot(chart, {}).find('\033'), std::string::npos);
}

TEST(TerminalPlot, DrawsOnePointAndNone) {
  Chart chart{"loss", {{.label = "run", .points = {{1.0, 2.0}}}}};
  EXPECT_GT(count(terminal_plot(chart, {}), "\xE2\xA0") + count(terminal_plot(chart, {}), "\xE2\xA1") +
                count(terminal_plot(chart, {}), "\xE2\xA2") + count(terminal_plot(chart, {}), "\xE2\xA3"),
            0U);
  chart.lines[0].points.clear();
  EXPECT_EQ(count(terminal_plot(chart, {}), "\n"), 16U);
}

TEST(SvgPlot, IsWellFormedWithAPanelAChart) {
  RunHistory run;
  run.name = "a <b> & \"c\"\x01";
  run.loss = parabola().lines[0].points;
  run.lr = {{1.0, 1e-4}};
  const RunHistory runs[] = {run, run};
  const std::string svg = svg_plot(run_charts(runs), "2 <runs>");
  expect_well_formed(svg);
  EXPECT_EQ(count(svg, "<g>"), 4U);
  EXPECT_EQ(count(svg, "<polyline"), 4U);    // loss and lr of two runs
  EXPECT_EQ(count(svg, "none logged"), 2U);  // validation loss, tokens per second
  EXPECT_NE(svg.find("a &lt;b&gt; &amp; &quot;c&quot;? (2)"), std::string::npos);
}

TEST(SvgPlot, LongRunsKeepTheirExtremes) {
  RunHistory run;
  run.name = "long";
  for (int i = 0; i < 200000; ++i) {
    run.loss.push_back({static_cast<double>(i), i == 123456 ? 9.0 : 1.0 + (i % 7) * 0.01});
  }
  const std::string svg = svg_plot(run_charts({&run, 1}), "long");
  expect_well_formed(svg);
  EXPECT_LT(svg.size(), 100000U);
  const Chart chart = run_charts({&run, 1})[0];
  const Axis y = y_axis(chart, 5);
  const double share = (y.high - 9.0) / (y.high - y.low);
  EXPECT_NE(svg.find(fmt::format(",{:.1f} ", 40 + 22 + 16 + 36 + 240 * share)), std::string::npos);  // the spike's height
}

TEST(SvgPlot, ManyRunsHaveTheirOwnLook) {
  std::vector<RunHistory> runs(20);
  for (RunHistory& run : runs) {
    run.name = "same";
    run.loss = {{1.0, 2.0}, {2.0, 1.0}};
  }
  const std::string svg = svg_plot(run_charts(runs), "20 runs");
  expect_well_formed(svg);
  EXPECT_NE(svg.find("stroke-dasharray"), std::string::npos);
  EXPECT_NE(svg.find("same (20)"), std::string::npos);
}

class RunHistoryTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "my_run" / "metrics.jsonl";
};

TEST_F(RunHistoryTest, ReadsFoldersAndFiles) {
  write_file_atomically(file_,
                        R"({"step":1,"loss":4,"lr":0.1,"tps":100}
{"step":1,"validation_loss":3.5,"tps":900}
{"step":2,"loss":null,"lr":0.2,"tps":110}
{"step":3,"loss":2,"lr":0.3,"tps":120}
{"step":4,"lo)");
  for (const auto& path : {file_, file_.parent_path()}) {
    const RunHistory run = read_run_history(path);
    EXPECT_EQ(run.name, "my_run");
    ASSERT_EQ(run.loss.size(), 2U);
    EXPECT_EQ(run.loss[1].x, 3.0);
    EXPECT_EQ(run.loss[1].y, 2.0);
    EXPECT_EQ(run.lr.size(), 3U);
    EXPECT_EQ(run.tokens_per_second.size(), 3U);
    ASSERT_EQ(run.validation_loss.size(), 1U);
    EXPECT_EQ(run.validation_loss[0].y, 3.5);
    EXPECT_EQ(run.broken_lines, 0U);
  }
}

TEST_F(RunHistoryTest, NamesBrokenLines) {
  write_file_atomically(file_,
                        "{\"step\":1,\"loss\":4}\n[]\n\n{\"loss\":1}\n{\"step\":\"x\",\"loss\":1}\n{\"step\":2,\"loss\":3}\n");
  ::testing::internal::CaptureStderr();
  const RunHistory run = read_run_history(file_);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(run.loss.size(), 2U);
  EXPECT_EQ(run.broken_lines, 4U);
  EXPECT_NE(log.find("metrics.jsonl:2: skipped: expected a JSON object with \"step\""), std::string::npos) << log;
  EXPECT_NE(log.find("metrics.jsonl: 4 lines were skipped in all"), std::string::npos) << log;
  EXPECT_EQ(log.find("metrics.jsonl:5:"), std::string::npos) << log;
}

TEST_F(RunHistoryTest, RefusesWhatHasNoMetrics) {
  EXPECT_NE(message_of<UsageError>([&] { read_run_history(file_); }).find("no such file; expected a run's folder"),
            std::string::npos);
  write_file_atomically(file_, "");
  EXPECT_NE(message_of<UsageError>([&] { read_run_history(file_); }).find("not one of its 0 lines has metrics"),
            std::string::npos);
  write_file_atomically(file_, std::string("\0\xff\n{", 4));
  EXPECT_NE(message_of<UsageError>([&] { read_run_history(file_); }).find("not one of its 2 lines"), std::string::npos);
}

TEST_F(RunHistoryTest, SurvivesDeepNestingAndHugeNumbers) {
  write_file_atomically(file_, std::string(200000, '[') + "\n{\"step\":1e999,\"loss\":1}\n{\"step\":1,\"loss\":1e308}\n");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(read_run_history(file_).loss.size(), 1U);
  ::testing::internal::GetCapturedStderr();
}

TEST_F(RunHistoryTest, PlotsRunsAndTheEndOfARun) {
  write_file_atomically(file_, "{\"step\":1,\"loss\":4,\"lr\":0.1}\n{\"step\":2,\"loss\":3,\"lr\":0.1}\n");
  const std::vector<std::filesystem::path> runs = {file_, file_.parent_path()};
  const std::string text = plot_runs(runs, {});
  EXPECT_NE(text.find("loss"), std::string::npos);
  EXPECT_NE(text.find("learning rate"), std::string::npos);
  EXPECT_EQ(text.find("validation"), std::string::npos);
  EXPECT_EQ(text.find("tokens"), std::string::npos);
  EXPECT_NE(text.find("my_run (2)"), std::string::npos);
  plot_runs_to_svg(runs, folder_.path() / "plot.svg");
  expect_well_formed(read_file(folder_.path() / "plot.svg"));
  EXPECT_EQ(count(terminal_loss_plot(file_, false), "\n"), 12U);
  EXPECT_NE(message_of<UsageError>([] { plot_runs({}, {}); }).find("which runs?"), std::string::npos);
}

}  // namespace
}  // namespace rhea
