// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `BaseTwoComponent` finds the values that must change to base 2 together, and changes them in place, if the factor of all their
// logits can move behind the maximum, which `foldScale` then does. What is left of exp and log is rewritten where it stands.
#include "lib/Analysis/Uniform.h"
#include "lib/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"
#include <cmath>
#include <limits>

#define DEBUG_TYPE "tile-exp-to-exp2"

using namespace mlir;
using namespace tilefold::tile;

namespace tilefold::tile {
#define GEN_PASS_DEF_EXPTOEXP2PASS
#include "lib/Transforms/Passes.h.inc"
} // namespace tilefold::tile

namespace {

constexpr double kLog2E = 1.4426950408889634;
constexpr double kLn2 = 0.6931471805599453;

bool isF32(Value value) { return getElementTypeOrSelf(value.getType()).isF32(); }

/// f(c x, c y) = c f(x, y) for every c > 0, exactly up to rounding.
bool isHomogeneous(Operation *op) {
  return isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
                         arith::MaxNumFOp, arith::MinNumFOp, arith::SelectOp, ReduceOp>(op) ||
         isRepetition(op);
}

/// A constant, or a scalar that is no link of a homogeneous chain: multiplying it costs nothing per element.
bool isLeaf(Value value) {
  Value source = repeatedSource(value);
  Attribute constant;
  if (matchPattern(source, m_Constant(&constant)))
    return isa<FloatAttr, DenseFPElementsAttr>(constant);
  if (isa<ShapedType>(source.getType()))
    return false;
  Operation *op = source.getDefiningOp();
  if (!op)
    return isa<KernelOp>(source.getParentBlock()->getParentOp());
  bool reducesSum = isa<ReduceOp>(op) && cast<ReduceOp>(op).getKind() == ReduceKind::Sum;
  return reducesSum || !(isHomogeneous(op) || isa<math::LogOp, scf::ForOp, scf::IfOp>(op));
}

/// m + log l, the one place where values of base 2 may turn back: a rounding of the sum, not of m alone (C12).
bool isLogSum(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<arith::AddFOp, arith::SubFOp>(op) &&
         llvm::any_of(op->getOperands(), [](Value v) { return v.getDefiningOp<math::LogOp>(); });
}

/// Multiplies leaves by log2 e, each once.
class LeafScaler {
public:
  Value operator()(Value leaf) {
    Value &scaled = cache[leaf];
    if (!scaled)
      scaled = build(leaf);
    return scaled;
  }

private:
  Value build(Value leaf) {
    OpBuilder builder(leaf.getContext());
    Value source = repeatedSource(leaf);
    if (source != leaf) {
      Value factor = (*this)(source);
      builder.setInsertionPointAfterValue(leaf);
      return repeatOnto(builder, leaf, factor);
    }
    builder.setInsertionPointAfterValue(leaf);
    Location loc = leaf.getLoc();
    Attribute constant;
    if (!matchPattern(leaf, m_Constant(&constant)))
      return arith::MulFOp::create(builder, loc, leaf, floatConstant(builder, loc, leaf.getType(), kLog2E));
    // The product of the doubles is rounded once: 12 ln 2 becomes exactly 12.
    auto scale = [](const APFloat &x) { return APFloat(float(double(x.convertToFloat()) * kLog2E)); };
    if (auto scalar = dyn_cast<FloatAttr>(constant))
      return arith::ConstantOp::create(builder, loc, FloatAttr::get(scalar.getType(), scale(scalar.getValue())));
    auto elements = cast<DenseFPElementsAttr>(constant);
    auto scaled = elements.mapValues(builder.getF32Type(), [&](const APFloat &x) { return scale(x).bitcastToAPInt(); });
    return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(Attribute(scaled)));
  }

  llvm::DenseMap<Value, Value> cache;
};

/// Whether a finite constant is not finite in base 2.
bool overflowsInBaseTwo(const APFloat &constant) {
  return constant.isFinite() && std::isinf(float(double(constant.convertToFloat()) * kLog2E));
}

/// Whether a scalar is positive, and neither flushed to zero nor infinite after a product with log2 e, given the names of the
/// scalar arguments for which a guard sees to that.
bool isPositive(Value scalar, ArrayRef<StringRef> positive) {
  if (std::optional<APFloat> constant = uniformFloat(scalar))
    return constant->isNormal() && !constant->isNegative() && !overflowsInBaseTwo(*constant);
  auto argument = dyn_cast<BlockArgument>(scalar);
  auto kernel = argument ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp()) : KernelOp();
  return kernel && llvm::is_contained(positive, kernel.getArgumentName(argument.getArgNumber()));
}

/// A scaled score tile: what is masked, by which selects, and who looks at the result.
struct ScaledScore {
  arith::MulFOp product;
  Value score;
  OpOperand *factor; // of the product: repeats a scalar or a constant
  SmallVector<arith::SelectOp> masks;
  SmallVector<ReduceOp> maxima;
  SmallVector<arith::SubFOp> exponents;
  SmallVector<arith::CmpFOp> comparisons;

  Value result() { return masks.empty() ? product.getResult() : masks.back().getResult(); }
};

std::optional<ScaledScore> matchScaledScore(arith::MulFOp product, ArrayRef<StringRef> positive) {
  if (!isa<RankedTensorType>(product.getType()) || !isF32(product))
    return std::nullopt;
  ScaledScore s{product};
  for (unsigned i : {1, 0}) {
    OpOperand &factor = product->getOpOperand(i);
    if (isLeaf(factor.get()) && isPositive(repeatedSource(factor.get()), positive)) {
      s.factor = &factor;
      s.score = product->getOperand(1 - i);
      break;
    }
  }
  if (!s.score)
    return std::nullopt;
  while (s.result().hasOneUse()) {
    auto mask = dyn_cast<arith::SelectOp>(*s.result().user_begin());
    if (!mask || mask.getTrueValue() != s.result() || !isNegativeInfinity(mask.getFalseValue()))
      break;
    s.masks.push_back(mask);
  }
  for (OpOperand &use : s.result().getUses()) {
    Operation *user = use.getOwner();
    auto isExp = [](Operation *op) { return isa<math::ExpOp>(op); };
    if (auto reduce = dyn_cast<ReduceOp>(user); reduce && reduce.getKind() == ReduceKind::Max)
      s.maxima.push_back(reduce);
    else if (auto sub = dyn_cast<arith::SubFOp>(user);
             sub && use.getOperandNumber() == 0 && sub.getRhs() != sub.getLhs() && llvm::all_of(sub->getUsers(), isExp))
      s.exponents.push_back(sub);
    else if (auto cmp = dyn_cast<arith::CmpFOp>(user); cmp && use.getOperandNumber() == 0 && isNegativeInfinity(cmp.getRhs()))
      s.comparisons.push_back(cmp);
    else
      return std::nullopt;
  }
  if (s.maxima.empty() || s.exponents.empty())
    return std::nullopt;
  return s;
}

/// The values connected to the operand of one exp by homogeneous operations, loops and branches. Multiplied by log2 e all
/// together, they leave every operation between them as it is; only the leaves around them change.
class BaseTwoComponent {
public:
  BaseTwoComponent(math::ExpOp seed, ArrayRef<StringRef> positive) : positive(positive) {
    exps.insert(seed);
    visit(seed.getOperand());
    while (!worklist.empty() && obstacle.empty()) {
      Value value = worklist.pop_back_val();
      visitDefinition(value);
      if (!isLogSum(value))
        visitUses(value);
    }
    for (OpOperand *leaf : leaves)
      if (members.contains(repeatedSource(leaf->get())))
        fail("a product of two logits");
    if (scores.empty())
      fail("the want of a scaled score");
  }

  /// Why it cannot be changed; empty if it can.
  StringRef getObstacle() const { return obstacle; }
  ArrayRef<math::ExpOp> getExps() const { return exps.getArrayRef(); }
  MutableArrayRef<ScaledScore> getScores() { return scores; }

  void rewrite(LeafScaler &scale) {
    for (OpOperand *operand : leaves)
      operand->set(scale(operand->get()));
    for (Value value : members) {
      if (!isLogSum(value))
        continue;
      OpBuilder builder(value.getContext());
      builder.setInsertionPointAfterValue(value);
      Value ln2 = floatConstant(builder, value.getLoc(), value.getType(), kLn2);
      Value natural = arith::MulFOp::create(builder, value.getLoc(), value, ln2);
      value.replaceUsesWithIf(natural, [&](OpOperand &use) {
        auto exp = dyn_cast<math::ExpOp>(use.getOwner());
        return use.getOwner() != natural.getDefiningOp() && !(exp && exps.contains(exp));
      });
    }
    for (math::LogOp log : logs) {
      OpBuilder builder(log);
      log.replaceAllUsesWith(math::Log2Op::create(builder, log.getLoc(), log.getOperand(), log.getFastmath()).getResult());
      log.erase();
    }
    for (math::ExpOp exp : exps) {
      OpBuilder builder(exp);
      exp.replaceAllUsesWith(math::Exp2Op::create(builder, exp.getLoc(), exp.getOperand(), exp.getFastmath()).getResult());
      exp.erase();
    }
  }

private:
  void visit(Value value) {
    if (!isF32(value))
      fail("a conversion");
    else if (members.insert(value))
      worklist.push_back(value);
  }

  void visitOperand(OpOperand &operand) {
    if (isLogSum(operand.get()))
      return fail("an LSE among the logits");
    if (!isLeaf(operand.get()))
      return visit(operand.get());
    // Zero and infinities are their own multiples.
    std::optional<APFloat> constant = uniformFloat(operand.get());
    if (constant && overflowsInBaseTwo(*constant))
      return fail("a constant that would overflow");
    if (!constant || constant->isFiniteNonZero())
      leaves.insert(&operand);
  }

  void visitCarried(scf::ForOp loop, unsigned index) {
    visitOperand(loop.getInitArgsMutable()[index]);
    visitOperand((*loop.getYieldedValuesMutable())[index]);
    visit(loop.getRegionIterArg(index));
    visit(loop.getResult(index));
  }

  void visitBranches(scf::IfOp branch, unsigned index) {
    visit(branch.getResult(index));
    visitOperand(branch.thenYield()->getOpOperand(index));
    visitOperand(branch.elseYield()->getOpOperand(index));
  }

  void visitDefinition(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop || argument.getArgNumber() == 0)
        return fail("a block argument");
      return visitCarried(loop, argument.getArgNumber() - 1);
    }
    Operation *op = value.getDefiningOp();
    unsigned index = cast<OpResult>(value).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visitCarried(loop, index);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return visitBranches(branch, index);
    if (auto log = dyn_cast<math::LogOp>(op))
      return (void)logs.insert(log);
    if (auto product = dyn_cast<arith::MulFOp>(op)) {
      std::optional<ScaledScore> score = matchScaledScore(product, positive);
      if (!score)
        return fail("a product whose factor cannot move behind a maximum"); // in base 2 each element could overflow, unseen
      leaves.insert(score->factor);
      return scores.push_back(*score);
    }
    if (!isHomogeneous(op))
      return fail(op->getName().getStringRef());
    for (OpOperand &operand : op->getOpOperands())
      if (isa<FloatType>(getElementTypeOrSelf(operand.get().getType())))
        visitOperand(operand);
  }

  void visitUses(Value value) {
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (auto exp = dyn_cast<math::ExpOp>(user)) {
        exps.insert(exp);
      } else if (isHomogeneous(user)) {
        visit(user->getResult(0));
      } else if (isa<arith::CmpFOp>(user)) {
        visitOperand(user->getOpOperand(1 - use.getOperandNumber()));
      } else if (auto loop = dyn_cast<scf::ForOp>(user)) {
        visitCarried(loop, use.getOperandNumber() - loop.getNumControlOperands());
      } else if (isa<scf::YieldOp>(user) && isa<scf::ForOp>(user->getParentOp())) {
        visitCarried(cast<scf::ForOp>(user->getParentOp()), use.getOperandNumber());
      } else if (isa<scf::YieldOp>(user) && isa<scf::IfOp>(user->getParentOp())) {
        visitBranches(cast<scf::IfOp>(user->getParentOp()), use.getOperandNumber());
      } else {
        // Turning it back would round m apart from l and acc, which are relative to the unrounded one.
        fail(user->getName().getStringRef());
      }
    }
  }

  void fail(StringRef reason) {
    if (obstacle.empty())
      obstacle = reason;
  }

  ArrayRef<StringRef> positive;
  StringRef obstacle;
  SmallVector<ScaledScore, 1> scores;
  llvm::SetVector<Value> members;
  SmallVector<Value> worklist;
  llvm::SetVector<math::ExpOp> exps;
  llvm::SetVector<math::LogOp> logs;
  llvm::SmallSetVector<OpOperand *, 8> leaves;
};

/// exp(x) = exp2(log2e x) and log x = ln2 log2 x where they stand; 16-bit types go through f32.
void rewriteInPlace(Operation *op) {
  Value operand = op->getOperand(0);
  Type type = operand.getType(), element = getElementTypeOrSelf(type);
  if (element.isF64())
    return;
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type wide = builder.getF32Type();
  if (auto shaped = dyn_cast<ShapedType>(type))
    wide = shaped.clone(wide);
  if (type != wide)
    operand = arith::ExtFOp::create(builder, loc, wide, operand);
  Value result;
  if (isa<math::ExpOp>(op)) {
    Value scaled = arith::MulFOp::create(builder, loc, operand, floatConstant(builder, loc, wide, kLog2E));
    result = math::Exp2Op::create(builder, loc, scaled);
  } else {
    Value logarithm = math::Log2Op::create(builder, loc, operand);
    result = arith::MulFOp::create(builder, loc, logarithm, floatConstant(builder, loc, wide, kLn2));
  }
  if (type != wide)
    result = arith::TruncFOp::create(builder, loc, type, result);
  op->replaceAllUsesWith(ValueRange{result});
  op->erase();
}

//===-- fold-scale ------------------------------------------------------------------------------------------------===//

/// maximum * factor. Where that overflows it is the lowest finite number, since -inf is what a row has that sees nothing. Its
/// weights vanish beside such a reference, by which the row is known (C12).
Value scaledMaximum(OpBuilder &builder, Value maximum, Value factor) {
  Location loc = maximum.getLoc();
  Type type = maximum.getType();
  auto constant = [&](double value) { return floatConstant(builder, loc, type, value); };
  Value product = arith::MulFOp::create(builder, loc, maximum, factor);
  // -FLT_MAX, or what is not finite of the maximum: an fma instead of a comparison and a select.
  Value lowest = math::FmaOp::create(builder, loc, maximum, constant(0x1p-64), constant(-std::numeric_limits<float>::max()));
  return arith::MaximumFOp::create(builder, loc, product, lowest);
}

void foldScale(ScaledScore &s) {
  OpBuilder builder(s.product);
  Value score = s.score;
  for (arith::SelectOp mask : s.masks) {
    builder.setInsertionPoint(mask);
    score = arith::SelectOp::create(builder, mask.getLoc(), mask.getCondition(), score, mask.getFalseValue());
  }
  Value factor = repeatedSource(s.factor->get());
  auto factorOf = [&](Location loc, Type type) -> Value {
    if (std::optional<APFloat> constant = uniformFloat(factor))
      return floatConstant(builder, loc, type, constant->convertToFloat());
    return isa<ShapedType>(type) ? SplatOp::create(builder, loc, type, factor).getResult() : factor;
  };
  for (ReduceOp max : s.maxima) {
    builder.setInsertionPoint(max);
    Value raw = ReduceOp::create(builder, max.getLoc(), max.getType(), max.getKind(), score, max.getDim());
    max.getResult().replaceAllUsesWith(scaledMaximum(builder, raw, factorOf(max.getLoc(), max.getType())));
    max.erase();
  }
  for (arith::CmpFOp cmp : s.comparisons)
    cmp->setOperand(0, score);
  for (arith::SubFOp sub : s.exponents) {
    Location loc = sub.getLoc();
    Value shift = repeatedSource(sub.getRhs());
    builder.setInsertionPointAfterValue(shift); // negate per row, not per element
    Value negated = arith::NegFOp::create(builder, loc, shift);
    builder.setInsertionPoint(sub);
    Value addend = repeatOnto(builder, sub.getRhs(), negated);
    Value exponent = math::FmaOp::create(builder, loc, score, factorOf(loc, sub.getType()), addend);
    sub.getResult().replaceAllUsesWith(exponent);
    sub.erase();
  }
  for (arith::SelectOp mask : llvm::reverse(s.masks))
    mask.erase();
  s.product.erase();
}

//===-- pass ------------------------------------------------------------------------------------------------------===//

struct ExpToExp2Pass : tilefold::tile::impl::ExpToExp2PassBase<ExpToExp2Pass> {
  using ExpToExp2PassBase::ExpToExp2PassBase;

  void runOnOperation() override {
    if (foldScale)
      changeToBaseTwo();
    SmallVector<Operation *> rest;
    getOperation().walk([&](Operation *op) {
      if (isa<math::ExpOp, math::LogOp>(op))
        rest.push_back(op);
    });
    llvm::for_each(rest, rewriteInPlace);
  }

private:
  void changeToBaseTwo() {
    SmallVector<StringRef> names;
    StringRef(positive).split(names, ',', -1, /*KeepEmpty=*/false);
    SmallVector<math::ExpOp> exps;
    getOperation().walk([&](math::ExpOp exp) { exps.push_back(exp); });
    LeafScaler scale;
    llvm::DenseSet<Operation *> done;
    for (math::ExpOp exp : exps) {
      if (done.contains(exp) || !isF32(exp.getOperand()) || isLeaf(exp.getOperand()))
        continue;
      BaseTwoComponent component(exp, names);
      if (!component.getObstacle().empty()) {
        LLVM_DEBUG(llvm::dbgs() << "kept in base e because of " << component.getObstacle() << ": " << exp << "\n");
        continue;
      }
      for (math::ExpOp member : component.getExps())
        done.insert(member);
      component.rewrite(scale);
      for (ScaledScore &score : component.getScores())
        ::foldScale(score);
    }
  }
};

} // namespace
