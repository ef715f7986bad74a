// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <unistd.h>
#include <utility>

namespace tilefold::support {

/// One line on standard error, "label  42 %", while long work goes on. Silent unless standard error is a terminal, and for
/// the first half second, so that short work shows nothing. The line is erased at the end. `advance` may be called from any
/// thread.
class Progress {
 public:
  Progress(std::string label, std::int64_t total)
      : label_(std::move(label)), total_(total), active_(::isatty(STDERR_FILENO) != 0), next_(Clock::now() + first_delay) {}
  Progress(const Progress &) = delete;
  ~Progress() {
    if (shown_)
      std::fprintf(stderr, "\r\033[K");
  }

  void advance(std::int64_t steps = 1) {
    const std::int64_t done = done_ += steps;
    if (!active_ || total_ <= 0)
      return;
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock || Clock::now() < next_)
      return;
    next_ = Clock::now() + period;
    shown_ = true;
    std::fprintf(stderr, "\r\033[K%s  %d %%", label_.c_str(), int(100 * double(done) / double(total_)));
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds first_delay{500}, period{100};
  std::string label_;
  std::int64_t total_;
  bool active_, shown_ = false;
  std::atomic<std::int64_t> done_{0};
  std::mutex mutex_;
  Clock::time_point next_;
};

} // namespace tilefold::support
