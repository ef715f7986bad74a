// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEFOLD_TILE_OP_BASE_TD
#define TILEFOLD_TILE_OP_BASE_TD

include "lib/Dialect/Tile/TileTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TileOp<string opMnemonic, list<Trait> traits = []> : Op<TileDialect, opMnemonic, traits>;

#endif
