#include "rhea/metrics/svg_plot.h"

#include "rhea/metrics/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace rhea {
namespace {

// Pixels.
constexpr double kPanelWidth = 560, kPanelHeight = 320, kGap = 16, kLeft = 64, kRight = 16, kTop = 36, kBottom = 44;
constexpr double kPlotWidth = kPanelWidth - kLeft - kRight;
constexpr double kPlotHeight = kPanelHeight - kTop - kBottom;
constexpr double kTitleHeight = 40, kLegendRow = 22, kLegendEntry = 280;
constexpr std::size_t kPointsWithDots = 40;

constexpr std::array<std::string_view, 7> kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                      "#E69F00", "#56B4E9", "#444444"};
// Beyond seven runs colours come again, dashed.
constexpr std::array<std::string_view, 4> kDashes = {"", "6 3", "2 2", "8 3 2 3"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;  // XML has no control characters
    }
  }
  return out;
}

std::string stroke(std::size_t line) {
  const std::string_view dash = kDashes[line / kColours.size() % kDashes.size()];
  return fmt::format(R"(stroke="{}"{})", kColours[line % kColours.size()],
                     dash.empty() ? "" : fmt::format(R"( stroke-dasharray="{}")", dash));
}

// Where a panel's points lie in the picture.
struct Frame {
  double left, top;
  const Axis& x;
  const Axis& y;

  double px(double value) const { return left + kPlotWidth * (value - x.low) / (x.high - x.low); }
  double py(double value) const { return top + kPlotHeight * (y.high - value) / (y.high - y.low); }
};

// First, lowest, highest and last point of each column of pixels: as many as can be seen.
std::vector<Point> visible_points(const std::vector<Point>& points, const Frame& frame) {
  if (points.size() <= 4 * static_cast<std::size_t>(kPlotWidth)) {
    return points;
  }
  std::vector<Point> kept;
  for (std::size_t begin = 0; begin < points.size();) {
    std::size_t end = begin, low = begin, high = begin;
    for (const double column = std::floor(frame.px(points[begin].x)); end < points.size() && frame.px(points[end].x) < column + 1;
         ++end) {
      low = points[end].y < points[low].y ? end : low;
      high = points[end].y > points[high].y ? end : high;
    }
    end = std::max(end, begin + 1);
    std::array<std::size_t, 4> chosen = {begin, low, high, end - 1};
    std::sort(chosen.begin(), chosen.end());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (i == 0 || chosen[i] != chosen[i - 1]) {
        kept.push_back(points[chosen[i]]);
      }
    }
    begin = end;
  }
  return kept;
}

std::string draw_line(const Line& line, std::size_t index, const Frame& frame) {
  const std::vector<Point> points = visible_points(line.points, frame);
  if (points.empty()) {
    return "";
  }
  std::string text =
      fmt::format(R"(<polyline fill="none" stroke-width="1.6" stroke-linejoin="round" {} points=")", stroke(index));
  for (const Point& point : points) {
    text += fmt::format("{:.1f},{:.1f} ", frame.px(point.x), frame.py(point.y));
  }
  text.back() = '"';
  text += "/>\n";
  if (points.size() <= kPointsWithDots) {
    for (const Point& point : points) {
      text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\" fill=\"{}\"/>\n", frame.px(point.x), frame.py(point.y),
                          kColours[index % kColours.size()]);
    }
  }
  return text;
}

std::string draw_axes(const Frame& frame) {
  const double bottom = frame.top + kPlotHeight, right = frame.left + kPlotWidth;
  std::string text;
  for (std::size_t i = 0; i < frame.y.ticks.size(); ++i) {
    const double y = frame.py(frame.y.ticks[i]);
    text +=
        fmt::format("<line class=\"grid\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", frame.left, y, right, y);
    text += fmt::format("<text class=\"tick\" text-anchor=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", frame.left - 8, y + 4,
                        frame.y.labels[i]);
  }
  for (std::size_t i = 0; i < frame.x.ticks.size(); ++i) {
    const double x = frame.px(frame.x.ticks[i]);
    text +=
        fmt::format("<line class=\"axis\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", x, bottom, x, bottom + 4);
    text += fmt::format("<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x, bottom + 18,
                        frame.x.labels[i]);
  }
  text += fmt::format("<path class=\"axis\" d=\"M{:.1f},{:.1f} V{:.1f} H{:.1f}\"/>\n", frame.left, frame.top, bottom, right);
  text += fmt::format("<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">step</text>\n",
                      frame.left + kPlotWidth / 2, bottom + 36);
  return text;
}

std::string draw_panel(const Chart& chart, const Axis& x, double left, double top) {
  const Axis y = y_axis(chart, 5);
  const Frame frame{left + kLeft, top + kTop, x, y};
  std::string text =
      fmt::format("<g>\n<text class=\"title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", frame.left, top + 22, escaped(chart.title));
  const bool empty = std::all_of(chart.lines.begin(), chart.lines.end(), [](const Line& line) { return line.points.empty(); });
  if (empty) {
    return text + fmt::format("<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">none logged</text>\n</g>\n",
                              frame.left + kPlotWidth / 2, frame.top + kPlotHeight / 2);
  }
  text += draw_axes(frame);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    text += draw_line(chart.lines[i], i, frame);
  }
  return text + "</g>\n";
}

// One for all panels, so that what happened at a step stands below one another.
Axis common_x_axis(std::span<const Chart> charts) {
  Chart all;
  for (const Chart& chart : charts) {
    all.lines.insert(all.lines.end(), chart.lines.begin(), chart.lines.end());
  }
  return x_axis(all, 6);
}

std::string draw_legend(const std::vector<Line>& lines, std::size_t columns) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double x = kGap + kLeft + kLegendEntry * static_cast<double>(i % columns);
    const double y = kTitleHeight + kLegendRow * static_cast<double>(i / columns) + 8;
    text += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke-width=\"3\" {}/>\n", x, y, x + 24,
                        y, stroke(i));
    text += fmt::format("<text class=\"legend\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 32, y + 4,
                        escaped(elide_middle(lines[i].label, 34)));
  }
  return text;
}

}  // namespace

std::string svg_plot(std::span<const Chart> charts, const std::string& title) {
  const double width = 2 * kPanelWidth + 3 * kGap;
  const auto legend_columns = static_cast<std::size_t>((width - kGap - kLeft) / kLegendEntry);
  const std::vector<Line> runs = charts.empty() ? std::vector<Line>{} : charts.front().lines;
  const double legend_rows = static_cast<double>((runs.size() + legend_columns - 1) / legend_columns);
  const double panels_top = kTitleHeight + kLegendRow * legend_rows + kGap;
  const double height = panels_top + static_cast<double>((charts.size() + 1) / 2) * (kPanelHeight + kGap);
  std::string text = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}">
<style>
text {{ font-family: "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #333333; }}
.head {{ font-size: 17px; font-weight: bold; }}
.title {{ font-size: 14px; font-weight: bold; }}
.legend {{ font-size: 13px; }}
.tick {{ font-size: 12px; fill: #666666; }}
.grid {{ stroke: #e6e6e6; stroke-width: 1; }}
.axis {{ stroke: #999999; stroke-width: 1; fill: none; }}
</style>
<rect width="100%" height="100%" fill="#ffffff"/>
<text class="head" x="{2:.0f}" y="28">{3}</text>
)",
      width, height, kGap + kLeft, escaped(title));
  text += draw_legend(runs, legend_columns);
  const Axis x = common_x_axis(charts);
  for (std::size_t i = 0; i < charts.size(); ++i) {
    text += draw_panel(charts[i], x, kGap + static_cast<double>(i % 2) * (kPanelWidth + kGap),
                       panels_top + static_cast<double>(i / 2) * (kPanelHeight + kGap));
  }
  return text + "</svg>\n";
}

}  // namespace rhea
