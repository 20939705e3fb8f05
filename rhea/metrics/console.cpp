#include "rhea/metrics/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace rhea {
namespace {

constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kOrange = "\033[38;5;180m";
constexpr std::string_view kTurquoise = "\033[38;5;43m";
constexpr std::string_view kBlue = "\033[34m";
constexpr std::string_view kCyan = "\033[36m";
constexpr std::string_view kMagenta = "\033[35m";
constexpr std::string_view kYellow = "\033[33m";
constexpr std::string_view kReset = "\033[0m";

class FieldLine {
 public:
  explicit FieldLine(bool colour) : colour_(colour) {}

  void add(std::string_view colour, std::string_view text) {
    line_ += line_.empty() ? "" : "  ";
    line_ += colour_ ? fmt::format("{}{}{}", colour, text, kReset) : text;
  }

  std::string take() { return std::move(line_); }

 private:
  bool colour_;
  std::string line_;
};

std::string memory_field(double gib, double share) {
  return fmt::format("memory: {:5.2f}GiB({:.2f}%)", gib, 100.0 * share);
}

}  // namespace

std::string decimal_with_thousands(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (!std::isfinite(value)) {
    return text;
  }
  const std::size_t first = text.front() == '-' ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string grouped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i > first && i < point && (point - i) % 3 == 0) {
      grouped += ',';
    }
    grouped += text[i];
  }
  return grouped;
}

// ">" keeps "nan" and "inf" on the right as well, as Python does.
std::string console_line(const StepMetrics& m, bool colour) {
  FieldLine line(colour);
  line.add(kRed, fmt::format("step: {:2}", m.step));
  line.add(kGreen, fmt::format("loss: {:>8.5f}", m.loss));
  line.add(kOrange, fmt::format("grad_norm: {:>7.4f}", m.grad_norm));
  line.add(kTurquoise, memory_field(m.memory_gib, m.memory_share));
  line.add(kBlue, fmt::format("tps: {}", decimal_with_thousands(m.tokens_per_second)));
  line.add(kCyan, fmt::format("tflops: {}", decimal_with_thousands(m.tflops, 2)));
  line.add(kMagenta, m.mfu < 0.0 ? "mfu: n/a" : fmt::format("mfu: {:.2f}%", 100.0 * m.mfu));
  if (m.skipped_steps > 0) {
    line.add(kYellow, fmt::format("skipped: {}", m.skipped_steps));
  }
  return line.take();
}

std::string console_line(const ValidationMetrics& m, bool colour) {
  FieldLine line(colour);
  line.add(kYellow, fmt::format("validate step: {:2}", m.step));
  line.add(kGreen, fmt::format("loss: {:>7.4f}", m.loss));
  line.add(kTurquoise, memory_field(m.memory_gib, m.memory_share));
  line.add(kBlue, fmt::format("tps: {}", decimal_with_thousands(m.tokens_per_second)));
  return line.take();
}

bool wants_colour(int descriptor) {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return isatty(descriptor) != 0 && !dumb && std::getenv("NO_COLOR") == nullptr;
}

}  // namespace rhea
