#include "rhea/metrics/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace rhea {
namespace {

constexpr double kLargest = 1e300;  // so that a difference of two is finite

// The one of 1, 2, 5 times a power of ten that is nearest by ratio.
double nice_step(double rough) {
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double rest = rough / power;
  return power * (rest < std::sqrt(2.0) ? 1.0 : rest < std::sqrt(10.0) ? 2.0 : rest < std::sqrt(50.0) ? 5.0 : 10.0);
}

std::vector<double> round_numbers(double low, double high, double step) {
  std::vector<double> numbers;
  const double slack = 1e-9 * (high - low);
  const double first = std::ceil((low - slack) / step);
  for (int i = 0; (first + i) * step <= high + slack; ++i) {
    numbers.push_back((first + i) * step + 0.0);  // + 0.0: no negative zero
  }
  return numbers;
}

struct Unit {
  double scale;
  const char* suffix;
};

Unit unit_for(double largest) {
  static constexpr std::array<Unit, 4> kUnits = {{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1.0, ""}}};
  return *std::find_if(kUnits.begin(), kUnits.end() - 1,
                       [&](const Unit& unit) { return largest >= (unit.scale > 1e3 ? unit.scale : 1e4); });
}

int digits_for(double step) {
  return std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 9);
}

std::vector<std::string> tick_labels(const std::vector<double>& ticks, double step) {
  double largest = 0.0;
  for (const double tick : ticks) {
    largest = std::max(largest, std::abs(tick));
  }
  const bool tiny = largest < 1e-3;
  const bool huge = largest >= 1e13;
  const double exponent = std::floor(std::log10(std::max(largest, step)) + 1e-9);
  const Unit unit = tiny || huge ? Unit{std::pow(10.0, exponent), ""} : unit_for(largest);
  const std::string suffix = tiny || huge ? fmt::format("e{}", static_cast<int>(exponent)) : unit.suffix;
  std::vector<std::string> labels;
  for (const double tick : ticks) {
    labels.push_back(tick == 0.0 ? "0" : fmt::format("{:.{}f}{}", tick / unit.scale, digits_for(step / unit.scale), suffix));
  }
  return labels;
}

// The range of one coordinate over all points; empty (low > high) when there is none.
std::pair<double, double> range_of(const Chart& chart, double Point::* coordinate) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Line& line : chart.lines) {
    for (const Point& point : line.points) {
      low = std::min(low, point.*coordinate);
      high = std::max(high, point.*coordinate);
    }
  }
  return {low, high};
}

// Runs of the same name are told apart by a number.
std::vector<std::string> labels_of(std::span<const RunHistory> runs) {
  std::map<std::string, int> seen;
  std::vector<std::string> labels;
  for (const RunHistory& run : runs) {
    const int times = ++seen[run.name];
    labels.push_back(times == 1 ? run.name : fmt::format("{} ({})", run.name, times));
  }
  return labels;
}

}  // namespace

Axis make_axis(double low, double high, int wanted) {
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
    low = 0.0;
    high = 1.0;
  }
  low = std::clamp(low, -kLargest, kLargest);
  high = std::clamp(high, -kLargest, kLargest);
  const double largest = std::max(std::abs(low), std::abs(high));
  if (high - low <= 1e-9 * largest || high - low < 1e-290) {  // no room for ticks that differ
    const double pad = largest < 1e-290 ? 1.0 : 0.05 * largest;
    low -= pad;
    high += pad;
  }
  Axis axis;
  axis.low = low;
  axis.high = high;
  double step = nice_step((high - low) / std::max(1, wanted));
  axis.ticks = round_numbers(low, high, step);
  while (axis.ticks.size() < 2) {  // one number is no scale
    step = nice_step(step / 2.0);
    axis.ticks = round_numbers(low, high, step);
  }
  axis.labels = tick_labels(axis.ticks, step);
  return axis;
}

Axis x_axis(const Chart& chart, int wanted) {
  const auto [low, high] = range_of(chart, &Point::x);
  return make_axis(low, high, wanted);
}

Axis y_axis(const Chart& chart, int wanted, double margin) {
  const auto [low, high] = range_of(chart, &Point::y);
  const double room = margin * (high - low);
  return make_axis(low - room, high + room, wanted);
}

std::vector<Chart> run_charts(std::span<const RunHistory> runs) {
  struct Kind {
    const char* title;
    std::vector<Point> RunHistory::* points;
  };
  static constexpr std::array<Kind, 4> kKinds = {{{"loss (nats per token)", &RunHistory::loss},
                                                  {"validation loss (nats per token)", &RunHistory::validation_loss},
                                                  {"learning rate", &RunHistory::lr},
                                                  {"tokens per second and device", &RunHistory::tokens_per_second}}};
  const std::vector<std::string> labels = labels_of(runs);
  std::vector<Chart> charts;
  for (const Kind& kind : kKinds) {
    Chart chart{kind.title, {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
      chart.lines.push_back({.label = labels[i], .points = runs[i].*kind.points});
    }
    charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace rhea
