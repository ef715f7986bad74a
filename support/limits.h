// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace tilefold::support {

/// Extents of tensors are below this: they are i32 in kernels, and tile arithmetic may run past them by less than the margin (C4 of
/// docs/semantics.md).
inline constexpr std::int64_t extent_limit = (std::int64_t(1) << 31) - 65536;

constexpr bool is_extent(std::int64_t value) { return value >= 0 && value < extent_limit; }

/// What errors expect of one that is none.
inline constexpr const char *extent_range = "0 or more and less than 2^31 - 65536";

/// Whether a loop over [lo, hi) by `step` runs in i32: the position after its last one and the length of the range are i32. Machine
/// code goes from one position to the next until it is not below hi, and would not end.
constexpr bool is_loop_of_i32(std::int64_t lo, std::int64_t hi, std::int64_t step) {
  constexpr std::int64_t most = INT32_MAX;
  return lo >= hi || (hi - lo <= most && lo + (hi - 1 - lo) / step * step + step <= most);
}

/// What errors expect of one that does not.
inline constexpr const char *loop_range = "a range whose length and whose position after the last fit i32";

} // namespace tilefold::support
