// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include <optional>
#include <vector>

namespace tilefold::tile {

/// Bounds of the elements of a tile of positions: a sum of scalars, the same for every element, plus an interval.
struct Bounds {
  struct Term {
    mlir::Value scalar;
    int64_t factor;
  };
  llvm::SmallVector<Term, 4> terms;
  int64_t low = 0, high = 0;
};

/// Bounds of an i32 scalar or tile made of iota, splats, constants, sums, differences and shapes; of constants also
/// products. They hold where none of the sums in `mayWrap`, which is added to, leaves the range of i32. Positions in tensors are
/// taken to stay in it, also with a tile's extent added: extents stay 65,536 below 2^31.
std::optional<Bounds> findBounds(mlir::Value value, llvm::SmallVectorImpl<Bounds> &mayWrap);

/// Something about scalars from which it follows that every element of a mask is true.
class MaskCondition {
public:
  /// Nothing if the mask is not made of comparisons with bounds, or no scalar condition is enough.
  static std::optional<MaskCondition> find(mlir::Value mask) { return find(mask, true); }

  static MaskCondition both(MaskCondition a, MaskCondition b) { return combine(Kind::And, std::move(a), std::move(b)); }

  bool isAlways() const { return kind == Kind::Always; }
  bool isNever() const { return kind == Kind::Never; }

  /// Builds the condition as an i1, in i64 arithmetic. What `loop` does not change is kept apart, so that it can move out.
  mlir::Value build(mlir::OpBuilder &builder, mlir::Location loc, mlir::LoopLikeOpInterface loop) const;

private:
  enum class Kind { Always, Never, Scalar, Negative, And, Or };

  explicit MaskCondition(Kind kind) : kind(kind) {}
  static std::optional<MaskCondition> find(mlir::Value mask, bool wanted);
  static std::optional<MaskCondition> compareBounds(mlir::arith::CmpIPredicate predicate, const Bounds &a, const Bounds &b);
  static MaskCondition combine(Kind kind, MaskCondition a, MaskCondition b);
  /// a - b + offset < 0 for all elements.
  static MaskCondition less(const Bounds &a, const Bounds &b, int64_t offset);
  /// All elements are in the range of i32.
  static MaskCondition fits(const Bounds &bounds);
  mlir::Value buildNegative(mlir::OpBuilder &builder, mlir::Location loc, mlir::LoopLikeOpInterface loop) const;

  Kind kind;
  mlir::Value scalar;               // Scalar
  Bounds bounds;                    // Negative: the sum of the terms plus `high` is below zero
  std::vector<MaskCondition> parts; // And, Or
};

} // namespace tilefold::tile
