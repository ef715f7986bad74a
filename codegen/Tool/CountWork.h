// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Tool/Compiler.h"
#include "lib/Dialect/Tile/TileOps.h"

namespace tilefold::cli {

/// Evaluates the program's own formulas for tensors of these shapes, then follows the index arithmetic of its kernels: how
/// often loops turn and what each turn loads, multiplies and stores. Long loops and large grids are sampled. Errors: a
/// missing shape or scalar, a formula that fails, a loop whose bounds come from data.
support::Result<ProgramWork> countWork(tile::ProgramOp program, const std::map<std::string, support::Shape> &shapes,
                                       const Scalars &scalars);

} // namespace tilefold::cli
