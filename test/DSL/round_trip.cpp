// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/DSL/round_trip.h"
#include "lib/Dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

std::string round_trip(const std::string &text) {
  mlir::DialectRegistry registry;
  registry.insert<tilefold::tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string out;
  llvm::raw_string_ostream stream(out);
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) { stream << d.getLocation() << ": " << d << "\n"; });
  if (auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context))
    module->print(stream);
  return out;
}
