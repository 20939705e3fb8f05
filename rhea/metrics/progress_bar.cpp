#include "rhea/metrics/progress_bar.h"

#include "rhea/core/log.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

namespace rhea {
namespace {

constexpr double kSecondsBetweenDraws = 0.1;

}  // namespace

int terminal_width(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return 80;
  }
  return size.ws_col;
}

ProgressBar::ProgressBar(int descriptor) : descriptor_(descriptor) {
  LogInterruption interruption;
  interruption.context = this;
  // The lock is held from one to the other: nothing may draw while the log line is being written.
  interruption.before = [](void* context) {
    auto* bar = static_cast<ProgressBar*>(context);
    bar->mutex_.lock();
    if (bar->drawn_) {
      bar->write_line("");
    }
  };
  interruption.after = [](void* context) {
    auto* bar = static_cast<ProgressBar*>(context);
    if (bar->drawn_) {
      bar->write_line(bar->text_);
    }
    bar->mutex_.unlock();
  };
  set_log_interruption(interruption);
}

ProgressBar::~ProgressBar() {
  close();
}

void ProgressBar::update(ProgressStatus status, double now) {
  const std::lock_guard lock(mutex_);
  time_left_.update(status.share, now);
  if (closed_ || (drawn_ && now - drawn_at_ < kSecondsBetweenDraws)) {
    return;
  }
  status.seconds_left = time_left_.seconds(status.share);
  // The last column stays free: a full line makes some terminals scroll.
  text_ = progress_line(status, terminal_width(descriptor_) - 1);
  write_line(text_);
  drawn_ = true;
  drawn_at_ = now;
}

void ProgressBar::close() {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) {
      return;
    }
    closed_ = true;
  }
  set_log_interruption({});  // outside our lock: the log takes its own first, then ours
  const std::lock_guard lock(mutex_);
  if (drawn_) {
    write_line("");
  }
  drawn_ = false;
}

void ProgressBar::write_line(const std::string& line) const {
  // A bar that cannot be written is no reason to end a run.
  const std::string bytes = "\r" + line + "\033[K";
  while (::write(descriptor_, bytes.data(), bytes.size()) < 0 && errno == EINTR) {
  }
}

}  // namespace rhea
