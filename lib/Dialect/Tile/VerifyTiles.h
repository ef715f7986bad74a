// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "lib/Dialect/Tile/TileOps.h"

namespace tilefold::tile {

/// Elements of a tile, at most: what no kernel can hold takes compilers hours.
inline constexpr int64_t kMostTileElements = int64_t(1) << 20;

/// Every tile of a kernel has extents that a tile can have, and where it has a layout, one that covers it with the kernel's warps.
/// Lowering relies on it; text that was edited by hand may break it.
llvm::LogicalResult verifyTiles(KernelOp kernel);

} // namespace tilefold::tile
