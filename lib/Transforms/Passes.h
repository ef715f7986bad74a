// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "lib/Dialect/Tile/TileOps.h"
#include "mlir/Pass/Pass.h"

namespace tilefold::tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Passes.h.inc"

} // namespace tilefold::tile
