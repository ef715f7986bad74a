// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs any pass of Tilefold on textual IR. Knows every dialect above and below the `base` boundary;
// `tilefold-base-opt` is the one that refuses `tile`.
#include "codegen/Conversion/TileToBase/TileToBase.h"
#include "lib/Dialect/Tile/TileOps.h"
#ifdef TILEFOLD_HAS_TRANSFORMS
#include "lib/Transforms/Passes.h"
#endif
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tilefold::tile::TileDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect>();
  mlir::registerTransformsPasses(); // canonicalize, cse, loop-invariant-code-motion, ...
#ifdef TILEFOLD_HAS_TRANSFORMS
  tilefold::tile::registerTilePasses();
#endif
  tilefold::registerTileToBasePasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Tilefold's pass driver\n", registry));
}
