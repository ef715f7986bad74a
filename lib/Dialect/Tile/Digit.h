// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "llvm/ADT/Hashing.h"
#include <cstdint>

namespace tilefold::tile {

/// One digit of a mixed-radix index: counts 0..radix-1 and moves coordinate `dim` by `stride` per step. Stride 0 replicates.
struct Digit {
  int32_t radix, dim, stride;
  bool operator==(const Digit &) const = default;
};
inline llvm::hash_code hash_value(const Digit &d) { return llvm::hash_combine(d.radix, d.dim, d.stride); }

} // namespace tilefold::tile
