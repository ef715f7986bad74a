// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/Interpreter/Kernel.h"

namespace tilefold::interpreter {

/// Fails with the fault of the slice or narrow that made `view`, if there is one.
bool usable(const View &view, Frame &frame);

/// Reads a tile of `shape` at `offsets` of the view into `result`, which has the storage of tiles; `padding` outside the view.
bool readTile(const View &view, const std::int64_t *offsets, llvm::ArrayRef<std::int64_t> shape, double padding,
              std::byte *result, mlir::Operation *op, Frame &frame);

} // namespace tilefold::interpreter
