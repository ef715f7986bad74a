// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "lib/Dialect/Tile/TileOps.h"
#include "llvm/ADT/DenseMap.h"

namespace tilefold {

/// Where each buffer of a kernel lies in shared memory. Buffers that are never in use at the same time share storage, if
/// a barrier of the whole block lies between the last use of one and the first use of the other; in a loop, on the way round too.
class SharedPlan {
public:
  /// `reserved` bytes at the start are left free.
  SharedPlan(tile::KernelOp kernel, int64_t reserved);
  int64_t getOffset(tile::AllocOp alloc) const { return offsets.lookup(alloc); }
  int64_t getBytes() const { return bytes; }

private:
  llvm::DenseMap<mlir::Operation *, int64_t> offsets;
  int64_t bytes;
};

} // namespace tilefold
