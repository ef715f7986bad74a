// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "lib/Analysis/Layout.h"
#include "lib/Dialect/Tile/TileOps.h"

namespace tilefold {

/// A tile laid out row by row in scratch memory on its way from one layout to another. Rows are padded by 16 bytes, so
/// that the columns of neighbouring rows lie in different banks.
struct ScratchTile {
  int64_t rows, rowBytes, elementBytes;
  explicit ScratchTile(mlir::RankedTensorType type);
  int64_t getBytes() const { return rows * rowBytes; }
};

/// How a reduction splits over threads: what stays in registers, what crosses lanes, what crosses warps.
struct ReductionPlan {
  llvm::SmallVector<llvm::SmallVector<int64_t>> registers; // for each result register, the registers that it combines
  llvm::SmallVector<int64_t> laneMasks;                    // butterfly steps
  int64_t warpCount = 1;                                   // warps that hold parts of one result
  int64_t results = 1;                                     // elements of the result
  explicit ReductionPlan(tile::ReduceOp op);
};

/// Shared memory that a kernel needs for exchanges between its warps; one region, used by one exchange at a time.
int64_t getScratchBytes(tile::KernelOp kernel);

} // namespace tilefold
