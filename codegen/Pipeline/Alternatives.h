// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "lib/Dialect/Tile/TileOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

namespace tilefold {

/// What the code of one alternative may rely on, and the guards that check it before a launch.
struct AlternativePlan {
  std::string name;
  llvm::json::Array guards;
  llvm::StringSet<> alignedViews;    ///< arguments and workspaces: contiguous rows of whole 16-byte chunks
  llvm::StringSet<> positiveScalars; ///< f32 scalars whose reciprocals and products stay normal numbers
};

/// The alternatives of a program, best first; the last has no guards. They differ if a guard is worth its check: a view
/// counts if tiles of rank two move through it (or, in a program without such, if it is a vector), since then 16 bytes move
/// at once. A statistic of one number per row must not send a whole program down the general path. "fast" knows of contiguous rows
/// and of the scale, "strided" of the scale alone, "any" of nothing.
llvm::SmallVector<AlternativePlan> planAlternatives(tile::ProgramOp program);

/// Marks the arguments of `clone`, a copy of `kernel`, with what the plan promises for all launches of the kernel.
void markArguments(tile::KernelOp clone, tile::KernelOp kernel, tile::ProgramOp program, const AlternativePlan &plan);

} // namespace tilefold
