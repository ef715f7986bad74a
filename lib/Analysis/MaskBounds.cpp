// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/MaskBounds.h"
#include "lib/Analysis/Uniform.h"
#include "lib/Dialect/Tile/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilefold::tile {

//===-- bounds ----------------------------------------------------------------------------------------------------===//

static Bounds scaled(Bounds bounds, int64_t factor) {
  for (Bounds::Term &term : bounds.terms)
    term.factor *= factor;
  bounds.low *= factor;
  bounds.high *= factor;
  if (factor < 0)
    std::swap(bounds.low, bounds.high);
  return bounds;
}

static Bounds sum(Bounds a, const Bounds &b) {
  for (const Bounds::Term &term : b.terms) {
    auto same = llvm::find_if(a.terms, [&](const Bounds::Term &t) { return t.scalar == term.scalar; });
    if (same == a.terms.end())
      a.terms.push_back(term);
    else if ((same->factor += term.factor) == 0)
      a.terms.erase(same);
  }
  a.low += b.low;
  a.high += b.high;
  return a;
}

static std::optional<Bounds> findConstantBounds(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)) || !getElementTypeOrSelf(value.getType()).isInteger(32))
    return std::nullopt;
  Bounds bounds;
  if (auto scalar = dyn_cast<IntegerAttr>(constant)) {
    bounds.low = bounds.high = scalar.getInt();
    return bounds;
  }
  auto elements = dyn_cast<DenseIntElementsAttr>(constant);
  if (!elements || elements.empty())
    return std::nullopt;
  bounds.low = std::numeric_limits<int64_t>::max();
  bounds.high = std::numeric_limits<int64_t>::min();
  if (elements.isSplat()) {
    bounds.low = bounds.high = elements.getSplatValue<APInt>().getSExtValue();
    return bounds;
  }
  for (const APInt &element : elements.getValues<APInt>()) {
    bounds.low = std::min(bounds.low, element.getSExtValue());
    bounds.high = std::max(bounds.high, element.getSExtValue());
  }
  return bounds;
}

/// What positions are moved and multiplied by: extents of blocks.
static constexpr int64_t kSlack = 1 << 15;

/// Whether a scalar is, on that side, within the positions of some tensor, up to extents of blocks: made of positions in the grid,
/// sizes, loop counters between such, and constants that are small beside the 65,536 by which tensors keep away from the end of
/// i32. A scalar argument may be anything, and so may a position times a number that is no block's extent.
static bool isBounded(Value scalar, bool above, int depth = 0) {
  if (depth >= 16)
    return false;
  auto isSmall = [](Value value) {
    APInt constant;
    return matchPattern(value, m_ConstantInt(&constant)) && constant.isNonNegative() && constant.ule(kSlack);
  };
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           isBounded(above ? loop.getUpperBound() : loop.getLowerBound(), above, depth + 1);
  }
  Operation *op = scalar.getDefiningOp();
  APInt constant;
  if (matchPattern(scalar, m_ConstantInt(&constant)))
    return constant.abs().ule(kSlack);
  if (isa<ProgramIdOp, SizeOp>(op))
    return true;
  auto operand = [&](unsigned i, bool side) { return isBounded(op->getOperand(i), side, depth + 1); };
  auto bothSides = [&](unsigned i) { return operand(i, true) && operand(i, false); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::AddIOp>([&](auto) { return operand(0, above) && operand(1, above); })
      .Case<arith::SubIOp>([&](auto) { return operand(0, above) && operand(1, !above); })
      // The smaller one is below both, the larger one above both.
      .Case<arith::MinSIOp, arith::MaxSIOp>([&](auto) {
        return isa<arith::MinSIOp>(op) == above ? operand(0, above) || operand(1, above) : operand(0, above) && operand(1, above);
      })
      .Case<arith::MulIOp>([&](auto) {
        return (isSmall(op->getOperand(1)) && operand(0, above)) || (isSmall(op->getOperand(0)) && operand(1, above));
      })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>([&](auto) {
        return isSmall(op->getOperand(1)) ? operand(0, above) : bothSides(0);
      })
      .Case<arith::RemSIOp>([&](auto) { return bothSides(0); })
      .Case<arith::ExtSIOp>([&](auto) { return operand(0, above); })
      .Default([](Operation *) { return false; });
}
static bool isPosition(Value scalar) { return isBounded(scalar, true) && isBounded(scalar, false); }

/// Whether a sum of i32 certainly stays in its range: at most a position, less another, plus or minus a tile's extents.
static bool isDifferenceOfPositions(const Bounds &bounds) {
  int64_t plus = 0, minus = 0;
  for (const Bounds::Term &term : bounds.terms) {
    if (!isPosition(term.scalar))
      return false;
    (term.factor > 0 ? plus : minus) += std::abs(term.factor);
  }
  return plus <= 1 && minus <= 1 && bounds.low >= -kSlack && bounds.high <= kSlack;
}

std::optional<Bounds> findBounds(Value value, SmallVectorImpl<Bounds> &mayWrap) {
  Type element = getElementTypeOrSelf(value.getType());
  if (!element.isInteger(32) && !element.isInteger(64))
    return std::nullopt;
  if (auto bounds = findConstantBounds(value))
    return bounds;
  if (!isa<ShapedType>(value.getType())) {
    Bounds bounds;
    bounds.terms.push_back({value, 1});
    return bounds;
  }
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<IotaOp>(op)) {
    Bounds bounds;
    bounds.high = cast<ShapedType>(value.getType()).getNumElements() - 1;
    return bounds;
  }
  if (isRepetition(op) || isa_and_nonnull<arith::ExtSIOp>(op))
    return findBounds(op->getOperand(0), mayWrap);
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<Bounds> a = findBounds(op->getOperand(0), mayWrap), b = findBounds(op->getOperand(1), mayWrap);
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    Bounds result = sum(*a, isa<arith::AddIOp>(op) ? *b : scaled(*b, -1));
    if (element.isInteger(32) && !isDifferenceOfPositions(result))
      mayWrap.push_back(result);
    return result;
  }
  // A product with a run-time scalar may well wrap around (a hash does); one of small constants does not.
  if (!a->terms.empty() || a->low != a->high)
    std::swap(a, b);
  constexpr int64_t kSmall = int64_t(1) << 24;
  auto isSmall = [](const Bounds &x) { return x.terms.empty() && x.low > -kSmall && x.high < kSmall; };
  if (a->low != a->high || !isSmall(*a) || !isSmall(*b) || !isSmall(scaled(*b, a->low)))
    return std::nullopt;
  return scaled(*b, a->low);
}

//===-- conditions ------------------------------------------------------------------------------------------------===//

MaskCondition MaskCondition::combine(Kind kind, MaskCondition a, MaskCondition b) {
  Kind neutral = kind == Kind::And ? Kind::Always : Kind::Never;
  Kind absorbing = kind == Kind::And ? Kind::Never : Kind::Always;
  if (a.kind == neutral || b.kind == absorbing)
    return b;
  if (b.kind == neutral || a.kind == absorbing)
    return a;
  MaskCondition result(kind);
  result.parts = {std::move(a), std::move(b)};
  return result;
}

MaskCondition MaskCondition::less(const Bounds &a, const Bounds &b, int64_t offset) {
  MaskCondition result(Kind::Negative);
  result.bounds = sum(a, scaled(b, -1));
  result.bounds.high += offset;
  if (result.bounds.terms.empty())
    return MaskCondition(result.bounds.high < 0 ? Kind::Always : Kind::Never);
  return result;
}

MaskCondition MaskCondition::fits(const Bounds &bounds) {
  Bounds end, beforeFirst;
  end.low = end.high = int64_t(1) << 31;
  beforeFirst.low = beforeFirst.high = -(int64_t(1) << 31) - 1;
  return both(less(bounds, end, 0), less(beforeFirst, bounds, 0));
}

std::optional<MaskCondition> MaskCondition::find(Value mask, bool wanted) {
  Attribute constant;
  if (matchPattern(mask, m_Constant(&constant))) {
    auto elements = dyn_cast<DenseIntElementsAttr>(constant);
    if (auto scalar = dyn_cast<IntegerAttr>(constant))
      return MaskCondition((scalar.getValue() != 0) == wanted ? Kind::Always : Kind::Never);
    if (elements && elements.isSplat())
      return MaskCondition(elements.getSplatValue<APInt>().isOne() == wanted ? Kind::Always : Kind::Never);
    return std::nullopt;
  }
  if (!isa<ShapedType>(mask.getType())) {
    if (!wanted || !mask.getType().isInteger(1))
      return std::nullopt;
    MaskCondition result(Kind::Scalar);
    result.scalar = mask;
    return result;
  }
  Operation *op = mask.getDefiningOp();
  if (isRepetition(op))
    return find(op->getOperand(0), wanted);
  if (isa_and_nonnull<arith::XOrIOp>(op)) {
    for (unsigned i : {0, 1})
      if (matchPattern(op->getOperand(i), m_One()))
        return find(op->getOperand(1 - i), !wanted);
    return std::nullopt;
  }
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op)) {
    std::optional<MaskCondition> a = find(op->getOperand(0), wanted), b = find(op->getOperand(1), wanted);
    if (isa<arith::AndIOp>(op) == wanted)
      return a && b ? std::optional(combine(Kind::And, std::move(*a), std::move(*b))) : std::nullopt;
    // One of them holding everywhere is enough.
    if (a && b)
      return combine(Kind::Or, std::move(*a), std::move(*b));
    return a ? std::move(a) : std::move(b);
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare)
    return std::nullopt;
  SmallVector<Bounds> mayWrap;
  std::optional<Bounds> a = findBounds(compare.getLhs(), mayWrap), b = findBounds(compare.getRhs(), mayWrap);
  if (!a || !b)
    return std::nullopt;
  auto predicate = wanted ? compare.getPredicate() : arith::invertPredicate(compare.getPredicate());
  std::optional<MaskCondition> result = compareBounds(predicate, *a, *b);
  for (const Bounds &sum : mayWrap)
    if (result)
      result = both(fits(sum), std::move(*result));
  return result;
}

std::optional<MaskCondition> MaskCondition::compareBounds(arith::CmpIPredicate predicate, const Bounds &a, const Bounds &b) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::slt:
    return less(a, b, 0);
  case P::sle:
    return less(a, b, -1);
  case P::sgt:
    return less(b, a, 0);
  case P::sge:
    return less(b, a, -1);
  case P::eq:
    return combine(Kind::And, less(a, b, -1), less(b, a, -1));
  case P::ne:
    return combine(Kind::Or, less(a, b, 0), less(b, a, 0));
  default:
    return std::nullopt;
  }
}

static Value toI64(OpBuilder &builder, Location loc, Value scalar) {
  if (scalar.getType().isInteger(64))
    return scalar;
  return arith::ExtSIOp::create(builder, loc, builder.getI64Type(), scalar);
}

/// The sum of the terms times `sign`, plus a constant.
static Value buildSum(OpBuilder &builder, Location loc, ArrayRef<Bounds::Term> terms, int64_t sign, int64_t constant) {
  Value result;
  auto constantOf = [&](int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 64).getResult(); };
  auto add = [&](Value value, bool negative) {
    if (!result)
      result = negative ? arith::SubIOp::create(builder, loc, constantOf(0), value).getResult() : value;
    else if (negative)
      result = arith::SubIOp::create(builder, loc, result, value);
    else
      result = arith::AddIOp::create(builder, loc, result, value);
  };
  for (const Bounds::Term &term : terms) {
    int64_t factor = term.factor * sign;
    Value value = toI64(builder, loc, term.scalar);
    if (factor != 1 && factor != -1)
      value = arith::MulIOp::create(builder, loc, value, constantOf(std::abs(factor)));
    add(value, factor < 0);
  }
  if (constant != 0 || !result)
    add(constantOf(constant), false);
  return result;
}

Value MaskCondition::buildNegative(OpBuilder &builder, Location loc, LoopLikeOpInterface loop) const {
  // varying + fixed + high < 0, as varying < -fixed - high, or -varying > fixed + high.
  SmallVector<Bounds::Term> varying, fixed;
  for (const Bounds::Term &term : bounds.terms)
    (loop && !loop.isDefinedOutsideOfLoop(term.scalar) ? varying : fixed).push_back(term);
  bool flip = llvm::all_of(varying, [](const Bounds::Term &term) { return term.factor < 0; });
  int64_t sign = flip ? -1 : 1;
  Value left = buildSum(builder, loc, varying, sign, 0);
  Value right = buildSum(builder, loc, fixed, -sign, -sign * bounds.high);
  auto predicate = flip ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(builder, loc, predicate, left, right);
}

Value MaskCondition::build(OpBuilder &builder, Location loc, LoopLikeOpInterface loop) const {
  switch (kind) {
  case Kind::Always:
  case Kind::Never:
    return arith::ConstantIntOp::create(builder, loc, kind == Kind::Always, 1);
  case Kind::Scalar:
    return scalar;
  case Kind::Negative:
    return buildNegative(builder, loc, loop);
  case Kind::And:
  case Kind::Or:
    break;
  }
  Value a = parts[0].build(builder, loc, loop), b = parts[1].build(builder, loc, loop);
  if (kind == Kind::And)
    return arith::AndIOp::create(builder, loc, a, b);
  return arith::OrIOp::create(builder, loc, a, b);
}

} // namespace tilefold::tile
