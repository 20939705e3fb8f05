#include "rhea/metrics/progress_line.h"

#include "rhea/metrics/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace rhea {
namespace {

constexpr std::size_t kRememberedSteps = 51;  // odd: the median is one of them
constexpr int kWidestBar = 40;
constexpr int kNarrowestBar = 8;

bool continues_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

int columns(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char byte) { return !continues_code_point(byte); }));
}

// The byte at which code point number `index` begins.
std::size_t byte_of(std::string_view text, int index) {
  std::size_t at = 0;
  for (int seen = 0; at < text.size(); ++at) {
    if (!continues_code_point(text[at]) && seen++ == index) {
      return at;
    }
  }
  return at;
}

std::string blocks(double share, int width) {
  static constexpr std::array<std::string_view, 8> kEighths = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(share * width * 8.0);
  std::string bar;
  for (int cell = 0; cell < width; ++cell) {
    const int filled = std::clamp(eighths - 8 * cell, 0, 8);
    bar += filled == 8 ? "█" : kEighths.at(static_cast<std::size_t>(filled));
  }
  return bar;
}

}  // namespace

std::string clock_text(double seconds) {
  constexpr double kLongest = 86400.0 * 9999;
  if (!(seconds >= 0.0) || seconds > kLongest) {
    return "--:--";
  }
  const auto total = static_cast<long>(std::lround(seconds));
  const long days = total / 86400, hours = total / 3600 % 24, minutes = total / 60 % 60, rest = total % 60;
  if (days > 0) {
    return fmt::format("{}d {}:{:02}:{:02}", days, hours, minutes, rest);
  }
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, rest) : fmt::format("{}:{:02}", minutes, rest);
}

std::string elide_middle(std::string_view text, int width) {
  const int length = columns(text);
  if (length <= width) {
    return std::string(text);
  }
  if (width <= 0) {
    return "";
  }
  const int front = width / 2;
  const int back = width - 1 - front;
  return fmt::format("{}…{}", text.substr(0, byte_of(text, front)), text.substr(byte_of(text, length - back)));
}

std::string progress_line(const ProgressStatus& status, int width) {
  const double share = std::isfinite(status.share) ? std::clamp(status.share, 0.0, 1.0) : 0.0;
  const std::string head = fmt::format("{:3}%", static_cast<int>(share * 100.0));
  std::string tail =
      status.total_steps > 0 ? fmt::format("{}/{}", status.step, status.total_steps) : fmt::format("step {}", status.step);
  if (std::isfinite(status.loss)) {
    tail += fmt::format("  loss {:.4f}", status.loss);
  }
  if (status.tokens_per_second > 0.0) {
    tail += fmt::format("  {} tok/s", decimal_with_thousands(status.tokens_per_second));
  }
  tail += fmt::format("  ETA {}", clock_text(status.seconds_left));
  const int bar = std::min(kWidestBar, width - columns(head) - columns(tail) - 4);
  if (bar < kNarrowestBar) {
    return elide_middle(fmt::format("{}  {}", head, tail), width);
  }
  return fmt::format("{} {}▏ {}", head, blocks(share, bar), tail);
}

void TimeLeft::update(double share, double now) {
  if (!started_) {
    started_ = true;
    last_share_ = share;
    last_now_ = now;
    return;
  }
  if (!(share > last_share_)) {
    return;  // the time counts to the next step that moves on
  }
  seconds_per_share_.push_back((now - last_now_) / (share - last_share_));
  if (seconds_per_share_.size() > kRememberedSteps) {
    seconds_per_share_.pop_front();
  }
  last_share_ = share;
  last_now_ = now;
}

double TimeLeft::seconds(double share) const {
  if (seconds_per_share_.empty()) {
    return -1.0;
  }
  std::vector<double> sorted(seconds_per_share_.begin(), seconds_per_share_.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return std::max(0.0, (1.0 - share) * *middle);
}

}  // namespace rhea
