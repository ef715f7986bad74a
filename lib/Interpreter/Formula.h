// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host formulas of a program: i64 arithmetic over sizes, strides, scalars and device properties.
#pragma once

#include "lib/Dialect/Tile/TileOps.h"
#include "support/status.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <functional>
#include <string>

namespace tilefold::interpreter {

/// An integer (i1, i32, i64, index) or a floating-point number.
struct Number {
  bool isFloat = false;
  std::int64_t integer = 0;
  double floating = 0;
};

/// Evaluates values of a program's body on demand, so that a formula which a failing `tile.require` protects is not even
/// looked at. `and`, `or` and `select` evaluate what decides them first and the rest only if needed.
class Formulas {
public:
  /// Gives extent (stride: false) or stride `dim` of a view.
  using Dimension = std::function<support::Result<std::int64_t>(mlir::Value view, std::int64_t dim, bool stride)>;
  explicit Formulas(Dimension dimension) : dimension(std::move(dimension)) {}

  void bind(mlir::Value value, Number number) { known[value] = number; }

  /// The value of a formula. `owner` begins the error's sentence: i64 overflow, a division by zero, an operation without a
  /// host formula.
  support::Result<Number> evaluate(mlir::Value value, const std::string &owner);

private:
  Dimension dimension;
  llvm::DenseMap<mlir::Value, Number> known;
};

} // namespace tilefold::interpreter
