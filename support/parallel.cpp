// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace tilefold::support {

unsigned hardware_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

void parallel_for(std::int64_t count, const std::function<void(std::int64_t)> &body, unsigned threads) {
  if (threads == 0)
    threads = hardware_threads();
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr first_exception;
  const auto work = [&] {
    try {
      for (std::int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;)
        body(i);
    } catch (...) {
      next = count;
      const std::lock_guard<std::mutex> lock(mutex);
      if (!first_exception)
        first_exception = std::current_exception();
    }
  };
  std::vector<std::thread> helpers;
  for (std::int64_t t = 1; t < std::min<std::int64_t>(threads, count); ++t) {
    try {
      helpers.emplace_back(work);
    } catch (const std::system_error &) { // no more threads to be had: fewer do the work
      break;
    }
  }
  work();
  for (std::thread &helper : helpers)
    helper.join();
  if (first_exception)
    std::rethrow_exception(first_exception);
}

} // namespace tilefold::support
