// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one input of the op generator: the three groups of operations.
include "lib/Dialect/Tile/TileProgramOps.td"
include "lib/Dialect/Tile/TileOps.td"
include "lib/Dialect/Tile/TileStagingOps.td"
