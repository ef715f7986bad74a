// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEFOLD_TILE_DIALECT_TD
#define TILEFOLD_TILE_DIALECT_TD

include "mlir/IR/DialectBase.td"

def TileDialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilefold::tile";
  let summary = "Tile programs: host formulas, kernels on register tiles, and their staging in shared memory";
  let description = [{
    The dialect has three groups of operations, each in a file of its own.

    - `TileProgramOps.td`: what the host does before a launch. Sizes, workspaces, argument checks and launches.
    - `TileOps.td`: what one program instance computes. Tiles are `tensor`s of static shape; elementwise work is `arith`
      and `math` on them; loops are `scf.for`. Nothing here knows about warps.
    - `TileStagingOps.td`: where and when. Layout conversions, shared-memory buffers, asynchronous copies and barriers,
      which passes introduce on the way to a GPU.

    Positions inside a kernel are i32; formulas in a program are i64; addresses are always formed in i64.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif
