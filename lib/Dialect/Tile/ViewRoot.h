// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "lib/Dialect/Tile/TileOps.h"

namespace tilefold::tile {

/// The block argument that a view is taken from by slices and narrows; null if something else gives it.
inline mlir::BlockArgument findViewRoot(mlir::Value view) {
  while (mlir::Operation *def = view.getDefiningOp()) {
    if (!mlir::isa<SliceOp, NarrowOp>(def))
      return {};
    view = def->getOperand(0);
  }
  return mlir::cast<mlir::BlockArgument>(view);
}

/// The error of a store to an input, by the name that the user knows it by.
inline mlir::InFlightDiagnostic emitStoreToInput(StoreOp store, llvm::StringRef name) {
  return store.emitOpError("writes to '") << name << "', an input, expected an output, an inout or a workspace";
}

} // namespace tilefold::tile
