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

} // namespace tilefold::support
