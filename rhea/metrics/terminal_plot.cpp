#include "rhea/metrics/terminal_plot.h"

#include "rhea/core/error.h"
#include "rhea/metrics/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace rhea {
namespace {

constexpr std::array<std::string_view, 6> kColours = {"\033[34m", "\033[33m", "\033[32m", "\033[35m", "\033[36m", "\033[31m"};
constexpr std::string_view kReset = "\033[0m";
constexpr std::string_view kMarkers = "*o+x#@%&";

// Dots in cells of 2 by 4, each cell of the line that drew into it last.
class Canvas {
 public:
  Canvas(int columns, int rows)
      : columns_(columns), rows_(rows), dots_(static_cast<std::size_t>(columns) * rows), owner_(dots_.size(), -1) {}

  int width() const { return 2 * columns_; }
  int height() const { return 4 * rows_; }

  // (0, 0) is at the bottom left.
  void set(int x, int y, int line) {
    // The bits of U+2800 and on: dots 1, 2, 3, 7 go down the left column, 4, 5, 6, 8 down the right one.
    static constexpr std::array<std::array<unsigned char, 4>, 2> kBits = {{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};
    const int from_top = height() - 1 - y;
    const std::size_t cell = static_cast<std::size_t>(from_top / 4) * columns_ + x / 2;
    dots_[cell] |= kBits[x % 2][from_top % 4];
    owner_[cell] = line;
  }

  // Bresenham's line.
  void draw(int x0, int y0, int x1, int y1, int line) {
    const int dx = std::abs(x1 - x0), dy = -std::abs(y1 - y0);
    const int step_x = x0 < x1 ? 1 : -1, step_y = y0 < y1 ? 1 : -1;
    for (int error = dx + dy;;) {
      set(x0, y0, line);
      if (x0 == x1 && y0 == y1) {
        return;
      }
      const int doubled = 2 * error;
      if (doubled >= dy) {
        error += dy;
        x0 += step_x;
      }
      if (doubled <= dx) {
        error += dx;
        y0 += step_y;
      }
    }
  }

  unsigned char dots(int row, int column) const { return dots_[static_cast<std::size_t>(row) * columns_ + column]; }
  int owner(int row, int column) const { return owner_[static_cast<std::size_t>(row) * columns_ + column]; }

 private:
  int columns_;
  int rows_;
  std::vector<unsigned char> dots_;
  std::vector<int> owner_;
};

// How lines are told apart: by colour, else by characters, else (a single line) not at all. Lines that are not joined
// are always characters: a single dot would be lost.
class Style {
 public:
  Style(const Chart& chart, bool colour) : colour_(colour), markers_(!colour && chart.lines.size() > 1) {
    for (const Line& line : chart.lines) {
      joined_.push_back(line.joined);
    }
  }

  // What a line's cell looks like.
  std::string cell(std::string_view braille, int line) const {
    if (markers_ || !joined_[static_cast<std::size_t>(line)]) {
      return std::string(1, kMarkers[line % kMarkers.size()]);
    }
    return std::string(braille);
  }

  // Changes the colour from one line's to another's; -1: none.
  std::string_view change(int from, int to) const {
    if (!colour_ || from == to) {
      return "";
    }
    return to < 0 ? kReset : kColours[to % kColours.size()];
  }

 private:
  bool colour_;
  bool markers_;
  std::vector<bool> joined_;
};

int dot(double value, const Axis& axis, int size) {
  const double share = (value - axis.low) / (axis.high - axis.low);
  return std::clamp(static_cast<int>(std::lround(share * (size - 1))), 0, size - 1);
}

std::string braille(unsigned char dots) {
  // UTF-8 of U+2800 + dots.
  return {'\xE2', static_cast<char>(0xA0U + (dots >> 6U)), static_cast<char>(0x80U + (dots & 0x3FU))};
}

std::string without_controls(std::string_view text) {
  std::string clean(text);
  std::replace_if(clean.begin(), clean.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return clean;
}

std::size_t widest(const std::vector<std::string>& labels) {
  std::size_t width = 0;
  for (const std::string& label : labels) {
    width = std::max(width, label.size());
  }
  return width;
}

// "  a  b": the tick labels below their ticks, those that would touch the one before left out.
std::string x_labels(const Axis& axis, int columns) {
  std::string text(static_cast<std::size_t>(columns), ' ');
  int free_from = 0;
  for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
    const int size = static_cast<int>(axis.labels[i].size());
    const int at = std::clamp(dot(axis.ticks[i], axis, columns) - size / 2, 0, std::max(0, columns - size));
    if (at >= free_from && at + size <= columns) {
      text.replace(static_cast<std::size_t>(at), axis.labels[i].size(), axis.labels[i]);
      free_from = at + size + 2;
    }
  }
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string x_rule(const Axis& axis, int columns) {
  std::vector<std::string_view> cells(static_cast<std::size_t>(columns), "─");
  for (const double tick : axis.ticks) {
    cells[static_cast<std::size_t>(dot(tick, axis, columns))] = "┬";
  }
  std::string rule;
  for (const std::string_view cell : cells) {
    rule += cell;
  }
  return rule;
}

std::string legend(const Chart& chart, const Style& style, int width) {
  std::string text;
  int used = 0;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const std::string label = elide_middle(without_controls(chart.lines[i].label), std::max(8, width / 3));
    const int size = 4 + static_cast<int>(label.size());
    if (used + size > width && used > 0) {
      return text + "…";
    }
    const int line = static_cast<int>(i);
    text += fmt::format("{}{}{} {}  ", style.change(-1, line), style.cell("⠤⠤", line), style.change(line, -1), label);
    used += size;
  }
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

Canvas draw_lines(const Chart& chart, const Axis& x, const Axis& y, int columns, int rows) {
  Canvas canvas(columns, rows);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const std::vector<Point>& points = chart.lines[i].points;
    for (std::size_t p = 0; p < points.size(); ++p) {
      const Point& from = points[p == 0 || !chart.lines[i].joined ? p : p - 1];
      canvas.draw(dot(from.x, x, canvas.width()), dot(from.y, y, canvas.height()), dot(points[p].x, x, canvas.width()),
                  dot(points[p].y, y, canvas.height()), static_cast<int>(i));
    }
  }
  return canvas;
}

std::string plot_row(const Canvas& canvas, int row, int columns, const Style& style) {
  std::string text;
  std::string spaces;  // written once something follows
  int line = -1;
  for (int column = 0; column < columns; ++column) {
    const unsigned char dots = canvas.dots(row, column);
    if (dots == 0) {
      spaces += ' ';
      continue;
    }
    const int owner = canvas.owner(row, column);
    text += spaces;
    text += style.change(line, owner);
    text += style.cell(braille(dots), owner);
    spaces.clear();
    line = owner;
  }
  text += style.change(line, -1);
  return text;
}

}  // namespace

std::string terminal_plot(const Chart& chart, const TerminalPlotOptions& options) {
  if (options.width < 24 || options.width > 1000) {
    fail_usage("width {}: expected 24 to 1000 columns for a plot", options.width);
  }
  if (options.height < 6 || options.height > 1000) {
    fail_usage("height {}: expected 6 to 1000 rows for a plot", options.height);
  }
  const Style style(chart, options.colour);
  const int rows = options.height - 4;  // title with legend, axis, its labels, and an empty row
  const Axis y = y_axis(chart, std::max(2, rows / 3));
  const int margin = static_cast<int>(widest(y.labels));
  const int columns = options.width - margin - 2;
  const Axis x = x_axis(chart, std::max(2, columns / 12));
  const Canvas canvas = draw_lines(chart, x, y, columns, rows);

  std::vector<std::string> labels(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < y.ticks.size(); ++i) {
    labels[static_cast<std::size_t>(rows - 1 - dot(y.ticks[i], y, rows))] = y.labels[i];
  }
  std::string title = without_controls(chart.title);
  std::string text = fmt::format("{:{}}{}  {}\n", "", margin + 2, title,
                                 legend(chart, style, std::max(8, columns - static_cast<int>(title.size()) - 2)));
  for (int row = 0; row < rows; ++row) {
    const std::string& label = labels[static_cast<std::size_t>(row)];
    text += fmt::format("{:>{}} {}{}\n", label, margin, label.empty() ? "│" : "┤", plot_row(canvas, row, columns, style));
  }
  text += fmt::format("{:{}} └{}\n", "", margin, x_rule(x, columns));
  text += fmt::format("{:{}}{}\n\n", "", margin + 2, x_labels(x, columns));
  return text;
}

}  // namespace rhea
