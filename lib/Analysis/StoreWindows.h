// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "lib/Dialect/Tile/TileOps.h"

namespace tilefold::tile {

/// Whether some step of a loop around the store may write elements that another thread wrote in an earlier step. It does not where
/// each loop moves the window by its own extent or more, or not at all: in place, an element stays the same thread's.
bool mayOverlapEarlierStep(StoreOp store);

} // namespace tilefold::tile
