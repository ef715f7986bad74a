// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "lib/Dialect/Tile/TileOps.h"
#include "llvm/ADT/DenseSet.h"

namespace tilefold::tile {

/// Kernel argument attribute: the guards of this alternative hold for the view, so its last dimension is contiguous and
/// its address, its other strides and its last extent are multiples of 16 bytes.
inline constexpr llvm::StringLiteral kAlignedAttr = "tile.aligned";

/// Discardable attribute of a region that runs only on exceptional data; not worth optimising.
inline constexpr llvm::StringLiteral kColdAttr = "tile.cold";

/// The kernel argument that a view is taken from.
mlir::BlockArgument getViewRoot(mlir::Value view);

/// Whether the guards promise alignment for the argument behind a view.
bool isAlignedView(mlir::Value view);

/// Whether rows that are read or written from these offsets on start at a multiple of 16 bytes.
bool startsAtChunk(mlir::Value view, mlir::ValueRange offsets);

/// Whether `op` or something around it is cold.
bool isCold(mlir::Operation *op);

/// The arguments that a kernel stores to.
class StoredViews {
public:
  explicit StoredViews(KernelOp kernel);
  bool contains(mlir::Value view) const { return roots.contains(getViewRoot(view)); }

private:
  llvm::DenseSet<mlir::Value> roots;
};

} // namespace tilefold::tile
