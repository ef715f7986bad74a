// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "lib/Dialect/Tile/TileOps.h"
#include "llvm/Support/JSON.h"

namespace tilefold {

/// The formula of a program's value, as artifacts hold it: i64 and i1 values from sizes, strides, integer scalars, device
/// properties and constants; f32 scalars and constants under comparisons. Errors name the operation that has no formula.
llvm::FailureOr<llvm::json::Value> toFormula(mlir::Value value);

/// `{name: [operands...]}`, the form of every operation.
llvm::json::Value formula(llvm::StringRef name, llvm::json::Array operands);
inline llvm::json::Value formula(llvm::StringRef name, std::initializer_list<llvm::json::Value> operands) {
  return formula(name, llvm::json::Array(operands));
}

/// The name by which formulas speak of a view: the argument's or the workspace's.
llvm::FailureOr<llvm::StringRef> getViewName(mlir::Value view);

/// "f16", "bf16", "f32", "i32", "i1": the names that artifacts use.
std::string getTypeName(mlir::Type type);

} // namespace tilefold
