// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "mlir/IR/Value.h"

namespace tilefold::tile {

/// A number that certainly divides an integer scalar, from how it is computed: constants, products, sums, loop positions.
/// 0 for the constant zero, which everything divides.
int64_t getKnownDivisor(mlir::Value value);

} // namespace tilefold::tile
