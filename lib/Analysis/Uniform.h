// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "mlir/IR/Builders.h"
#include "llvm/ADT/APFloat.h"
#include <optional>

namespace tilefold::tile {

/// Whether `op` only repeats or re-indexes the elements of its one operand: splat, expand, broadcast or transpose.
bool isRepetition(mlir::Operation *op);

/// What is under a chain of repetitions: the value that they start from, which may be `value` itself.
mlir::Value repeatedSource(mlir::Value value);

/// Builds the repetitions between `value` and `repeatedSource(value)` again, on top of `source`.
mlir::Value repeatOnto(mlir::OpBuilder &builder, mlir::Value value, mlir::Value source);

/// The float that every element of `value` is, where that is a constant.
std::optional<llvm::APFloat> uniformFloat(mlir::Value value);

/// Whether every element of `value` is the constant -inf.
bool isNegativeInfinity(mlir::Value value);

/// A constant of `type`, a float type or a tile of one; the number is rounded to its element type.
mlir::Value floatConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, double value);

} // namespace tilefold::tile
