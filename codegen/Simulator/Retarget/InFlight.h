// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace tilefold::sim {

/// Operands, by position, that may be accumulators of products in flight where an operation computes with them.
using InFlightUses = llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 2>>;

/// Finds them in a kernel. A result of `wgmma` is in flight until a wait exchanges it, which may be one that waits for too
/// little; moving it around (block arguments, shuffles, casts of bits, further products) is no use. Of several uses of a
/// value in a block the first is enough.
InFlightUses findInFlightUses(mlir::Region &kernel);

/// Products that take registers which are computed behind the last wgmma.fence before them, in the same block.
llvm::DenseSet<mlir::Operation *> findUnfencedProducts(mlir::Region &kernel);

} // namespace tilefold::sim
