// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "lib/Dialect/Tile/TileOps.h"

namespace tilefold::tile {

/// How deep a host formula may be nested, which is what runtimes accept, and how many operations and operands it and those of a whole
/// program may have: artifacts hold formulas as trees, so that what a program shares counts once for each use. Real formulas have tens;
/// each operation takes kilobytes while an artifact is made.
inline constexpr int64_t kFormulaDepthLimit = 128, kFormulaSizeLimit = 10000, kFormulasSizeLimit = 50000;

/// Whether the result of an operation cannot be negative, given the same of its operands. Where neither operand of a division can
/// be, truncating and flooring are the same.
bool isNonNegative(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> operandIs);

/// Refuses the first operation of a program whose formula exceeds the limits.
llvm::LogicalResult verifyFormulas(ProgramOp program);

} // namespace tilefold::tile
