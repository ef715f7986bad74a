// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>

namespace tilefold::support {

/// Calls body(i) for every i in [0, count), on up to `threads` threads (0: one for each hardware thread), this one among
/// them. Work is handed out one index at a time, in order, so an index should be worth some microseconds. If a body throws,
/// the rest is skipped and the first exception leaves this function.
void parallel_for(std::int64_t count, const std::function<void(std::int64_t)> &body, unsigned threads = 0);

/// What `threads` = 0 stands for; at least 1.
unsigned hardware_threads();

} // namespace tilefold::support
