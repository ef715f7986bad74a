// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/Uniform.h"
#include "lib/Analysis/Views.h"
#include "lib/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;
using namespace tilefold::tile;

namespace tilefold::tile {
#define GEN_PASS_DEF_EXPANDWEIGHPASS
#include "lib/Transforms/Passes.h.inc"
} // namespace tilefold::tile

namespace {

/// Whether each element of `value` is infinite or NaN wherever the element of `source` at the same place is. Sums, products
/// and quotients have that property in every operand but a divisor: inf * 0, inf - inf and inf / inf are NaN.
bool staysNonFinite(Value value, Value source) {
  if (value == source)
    return true;
  Operation *op = value.getDefiningOp();
  if (auto weigh = dyn_cast_or_null<WeighOp>(op))
    return staysNonFinite(weigh.getAcc(), source);
  if (auto dot = dyn_cast_or_null<DotOp>(op))
    return staysNonFinite(dot.getAcc(), source);
  if (auto div = dyn_cast_or_null<arith::DivFOp>(op))
    return staysNonFinite(div.getLhs(), source);
  if (isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp, arith::ExtFOp, arith::TruncFOp, math::FmaOp>(op))
    return llvm::any_of(op->getOperands(), [&](Value operand) { return staysNonFinite(operand, source); });
  return false;
}

bool isTestAgainstNegativeInfinity(arith::CmpFOp compare) {
  auto predicate = compare.getPredicate();
  return isNegativeInfinity(compare.getRhs()) && (predicate == arith::CmpFPredicate::OGT || predicate == arith::CmpFPredicate::UNE);
}

/// Whether `value` is made of finite constants, scalars, and tiles of which -inf has been replaced: a softmax's reference, which is
/// not finite only where a visible score is not.
bool isGuarded(Value value) {
  value = repeatedSource(value);
  if (!isa<ShapedType>(value.getType()))
    return true;
  if (std::optional<APFloat> constant = uniformFloat(value))
    return constant->isFinite();
  Operation *op = value.getDefiningOp();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    return compare && isTestAgainstNegativeInfinity(compare) && compare.getLhs() == select.getTrueValue() && isGuarded(select.getFalseValue());
  }
  return isa_and_nonnull<arith::NegFOp, arith::ExtFOp, arith::MulFOp>(op) && llvm::all_of(op->getOperands(), isGuarded);
}

bool isPositiveConstant(Value value) {
  std::optional<APFloat> constant = uniformFloat(value);
  return constant && constant->isFiniteNonZero() && !constant->isNegative();
}

/// Whether `value` is -inf where `source` is: it, times positive numbers, plus what is guarded. A scalar that a fused product
/// scales by was taken for a factor of scores by tile-exp-to-exp2, whose guard holds that it is positive.
bool followsToNegativeInfinity(Value value, Value source) {
  if (value == source)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  auto follows = [&](Value operand) { return followsToNegativeInfinity(operand, source); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::SubFOp>([&](auto op) { return follows(op.getLhs()) && isGuarded(op.getRhs()); })
      .Case<arith::AddFOp>([&](auto op) {
        return (follows(op.getLhs()) && isGuarded(op.getRhs())) || (isGuarded(op.getLhs()) && follows(op.getRhs()));
      })
      .Case<arith::MulFOp>([&](auto op) {
        return (follows(op.getLhs()) && isPositiveConstant(op.getRhs())) || (isPositiveConstant(op.getLhs()) && follows(op.getRhs()));
      })
      .Case<math::FmaOp>([&](auto op) {
        auto isFactor = [](Value factor) { return isPositiveConstant(factor) || !isa<ShapedType>(repeatedSource(factor).getType()); };
        return follows(op.getA()) && isFactor(op.getB()) && isGuarded(op.getC());
      })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto op) { return follows(op.getIn()); })
      .Default([](Operation *) { return false; });
}

/// Whether an invisible weight is 0: it is an exponential of the score that visibility compares with -inf, less a reference that is
/// finite where nothing is visible.
bool vanishesWhereInvisible(WeighOp weigh) {
  Value weights = weigh.getWeights();
  while (isa_and_nonnull<arith::TruncFOp, arith::ExtFOp>(weights.getDefiningOp()))
    weights = weights.getDefiningOp()->getOperand(0);
  Operation *exp = weights.getDefiningOp();
  auto visible = weigh.getVisible().getDefiningOp<arith::CmpFOp>();
  return isa_and_nonnull<math::ExpOp, math::Exp2Op>(exp) && visible && isTestAgainstNegativeInfinity(visible) &&
         followsToNegativeInfinity(exp->getOperand(0), visible.getLhs());
}

/// Compares |tile| with infinity. 16-bit tiles are widened first: bf16 has no comparison before sm_90.
Value compareWithInfinity(OpBuilder &builder, Location loc, arith::CmpFPredicate predicate, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  RankedTensorType wide = type.clone(builder.getF32Type());
  if (wide != type)
    tile = arith::ExtFOp::create(builder, loc, wide, tile);
  Value magnitude = math::AbsFOp::create(builder, loc, tile);
  Value infinity = floatConstant(builder, loc, wide, std::numeric_limits<double>::infinity());
  return arith::CmpFOp::create(builder, loc, predicate, magnitude, infinity);
}

Value isFinite(OpBuilder &builder, Location loc, Value tile) {
  return compareWithInfinity(builder, loc, arith::CmpFPredicate::OLT, tile);
}

Value anyNonFinite(OpBuilder &builder, Location loc, Value tile) {
  return AnyOp::create(builder, loc, builder.getI1Type(), compareWithInfinity(builder, loc, arith::CmpFPredicate::UGE, tile));
}

Value visibleWeights(OpBuilder &builder, WeighOp weigh) {
  Value zero = floatConstant(builder, weigh.getLoc(), weigh.getWeights().getType(), 0);
  return arith::SelectOp::create(builder, weigh.getLoc(), weigh.getVisible(), weigh.getWeights(), zero);
}

/// The product that is right as long as it is finite.
Value buildFast(OpBuilder &builder, WeighOp weigh) {
  Value weights = vanishesWhereInvisible(weigh) ? weigh.getWeights() : visibleWeights(builder, weigh);
  return DotOp::create(builder, weigh.getLoc(), weigh.getType(), weights, weigh.getValues(), weigh.getAcc());
}

/// The product of what is visible and finite.
Value buildClean(OpBuilder &builder, WeighOp weigh) {
  Location loc = weigh.getLoc();
  Value values = weigh.getValues();
  Value clean = arith::SelectOp::create(builder, loc, isFinite(builder, loc, values), values,
                                        floatConstant(builder, loc, values.getType(), 0));
  Value weights = vanishesWhereInvisible(weigh) ? weigh.getWeights() : visibleWeights(builder, weigh);
  return DotOp::create(builder, loc, weigh.getType(), weights, clean, weigh.getAcc());
}

/// +inf added to `acc` where something visible is not finite: 2^120 * 2^120 is infinite in fp32 and everything else in the
/// product is zero, so it needs no accumulator of its own.
Value addPoison(OpBuilder &builder, WeighOp weigh, Value acc) {
  Location loc = weigh.getLoc();
  Value values = weigh.getValues();
  auto constant = [&](Value like, double value) {
    return floatConstant(builder, loc, cast<RankedTensorType>(like.getType()).clone(builder.getBF16Type()), value);
  };
  Value seen = arith::SelectOp::create(builder, loc, weigh.getVisible(), constant(weigh.getWeights(), 0x1p120),
                                       constant(weigh.getWeights(), 0));
  Value poison = arith::SelectOp::create(builder, loc, isFinite(builder, loc, values), constant(values, 0),
                                         constant(values, 0x1p120));
  return DotOp::create(builder, loc, weigh.getType(), seen, poison, acc);
}

Value buildExact(OpBuilder &builder, WeighOp weigh) { return addPoison(builder, weigh, buildClean(builder, weigh)); }

void replace(WeighOp weigh, llvm::function_ref<Value(OpBuilder &, WeighOp)> build) {
  OpBuilder builder(weigh);
  weigh.getResult().replaceAllUsesWith(build(builder, weigh));
  weigh.erase();
}

/// dot, and again exactly if that is not finite.
Value buildChecked(OpBuilder &builder, WeighOp weigh) {
  Location loc = weigh.getLoc();
  Value fast = buildFast(builder, weigh);
  auto retry = scf::IfOp::create(builder, loc, fast.getType(), anyNonFinite(builder, loc, fast), /*withElseRegion=*/true);
  retry->setAttr(kColdAttr, builder.getUnitAttr());
  OpBuilder exact = retry.getThenBodyBuilder();
  scf::YieldOp::create(exact, loc, buildExact(exact, weigh));
  OpBuilder kept = retry.getElseBodyBuilder();
  scf::YieldOp::create(kept, loc, fast);
  return retry.getResult(0);
}

/// The loop's results that hold every non-finite product of `weigh` until the end.
std::optional<unsigned> findCarrier(scf::ForOp loop, WeighOp weigh) {
  for (auto [index, yielded] : llvm::enumerate(loop.getYieldedValues()))
    if (yielded.getType() == weigh.getType() && staysNonFinite(yielded, weigh.getResult()) &&
        staysNonFinite(yielded, loop.getRegionIterArg(index)))
      return index;
  return std::nullopt;
}

bool canRunTwice(scf::ForOp loop) {
  return !loop
              ->walk([](Operation *op) {
                if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(op))
                  return WalkResult::advance();
                auto effects = dyn_cast<MemoryEffectOpInterface>(op);
                return effects && effects.onlyHasEffect<MemoryEffects::Read>() ? WalkResult::advance()
                                                                              : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// The results of the loop that depend on `sources`; the others are the same in both runs.
SmallVector<unsigned> findDependentResults(scf::ForOp loop, ArrayRef<WeighOp> sources) {
  llvm::DenseSet<Value> dependent;
  for (WeighOp weigh : sources)
    dependent.insert(weigh.getResult());
  SmallVector<unsigned> results;
  for (size_t before = 0; before != dependent.size();) {
    before = dependent.size();
    for (Operation &op : loop.getBody()->without_terminator()) {
      bool depends = op.walk([&](Operation *inner) {
                         bool found = llvm::any_of(inner->getOperands(), [&](Value v) { return dependent.contains(v); });
                         return found ? WalkResult::interrupt() : WalkResult::advance();
                       }).wasInterrupted();
      if (depends)
        dependent.insert(op.result_begin(), op.result_end());
    }
    results.clear();
    for (auto [index, yielded] : llvm::enumerate(loop.getYieldedValues()))
      if (dependent.contains(yielded)) {
        dependent.insert(loop.getRegionIterArg(index));
        results.push_back(index);
      }
  }
  return results;
}

/// Whether `value`, computed in the loop, depends on `source`.
bool dependsOn(Value value, Value source, scf::ForOp loop) {
  Operation *def = value.getDefiningOp();
  if (value == source)
    return true;
  if (!def || !loop->isAncestor(def))
    return false;
  return def->walk([&](Operation *op) {
              bool found = llvm::any_of(op->getOperands(), [&](Value operand) {
                return !def->isProperAncestor(operand.getParentBlock()->getParentOp()) && operand.getDefiningOp() != def &&
                       dependsOn(operand, source, loop);
              });
              return found ? WalkResult::interrupt() : WalkResult::advance();
            })
      .wasInterrupted();
}

/// Expands the products of a cold loop. One carried product is done in two loops: first infinity where something visible is not
/// finite, then on top of it, in the same accumulator, the sum of what is. Each has no more values alive at a time than the
/// loop that it stands in for, so that the cold path does not cost the kernel registers. `result` is the product's.
void expandCold(scf::ForOp cold, unsigned result) {
  SmallVector<WeighOp> weighs;
  cold.walk([&](WeighOp weigh) { weighs.push_back(weigh); });
  bool isSingle = weighs.size() == 1 && weighs.front()->getParentOp() == cold &&
                  findDependentResults(cold, weighs).size() == 1 &&
                  !dependsOn(weighs.front().getVisible(), cold.getRegionIterArg(result), cold);
  if (!isSingle) {
    for (WeighOp weigh : weighs)
      replace(weigh, buildExact);
    return;
  }
  OpBuilder builder(cold);
  auto marking = cast<scf::ForOp>(builder.clone(*cold));
  cold.getInitArgsMutable()[result].set(marking.getResult(result));
  WeighOp weigh;
  marking.walk([&](WeighOp found) { weigh = found; });
  builder.setInsertionPoint(weigh);
  Value marked = addPoison(builder, weigh, marking.getRegionIterArg(result));
  marking.getBody()->getTerminator()->setOperand(result, marked);
  weigh.getResult().replaceAllUsesWith(marked);
  weigh.erase();
  replace(weighs.front(), buildClean);
}

/// Moves what a kernel does behind `branch` into both of its regions, so that no register of one has to end up where the other
/// has it. Only where that is short: elementwise work and stores, no product that is still to be expanded.
void finishApart(scf::IfOp branch) {
  SmallVector<Operation *> rest;
  for (Operation *op = branch->getNextNode(); !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode())
    rest.push_back(op);
  auto fits = [](Operation *op) { return !op->getNumRegions() && !isa<WeighOp>(op) && (isPure(op) || isa<StoreOp>(op)); };
  if (!isa<KernelOp>(branch->getParentOp()) || !llvm::all_of(rest, fits))
    return;
  OpBuilder builder(branch);
  auto apart = scf::IfOp::create(builder, branch.getLoc(), TypeRange(), branch.getCondition(), /*withElseRegion=*/true);
  apart->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  for (auto [from, to] : llvm::zip(branch->getRegions(), apart->getRegions())) {
    to.takeBody(from);
    Operation *end = to.front().getTerminator();
    IRMapping map;
    map.map(branch.getResults(), end->getOperands());
    builder.setInsertionPoint(end);
    for (Operation *op : rest)
      builder.clone(*op, map);
    end->setOperands({});
  }
  for (Operation *op : llvm::reverse(rest))
    op->erase();
  branch.erase();
}

/// Runs the loop with plain products, and once more with exact ones if a carried result is not finite.
void expandInLoop(scf::ForOp loop, ArrayRef<WeighOp> weighs, ArrayRef<unsigned> carriers) {
  // All results come from the second run, also those that are the same in both: kept, they would live beside it.
  SmallVector<Value> fast(loop.getResults());
  SmallVector<std::pair<OpOperand *, unsigned>> uses;
  for (OpResult result : loop.getResults())
    for (OpOperand &use : result.getUses())
      uses.emplace_back(&use, result.getResultNumber());

  OpBuilder builder(loop->getContext());
  builder.setInsertionPointAfter(loop);
  Location loc = loop.getLoc();
  Value bad;
  for (unsigned index : carriers) {
    Value here = anyNonFinite(builder, loc, loop.getResult(index));
    bad = bad ? arith::OrIOp::create(builder, loc, bad, here).getResult() : here;
  }
  auto retry = scf::IfOp::create(builder, loc, ValueRange(fast).getTypes(), bad, /*withElseRegion=*/true);
  retry->setAttr(kColdAttr, builder.getUnitAttr());
  OpBuilder again = retry.getThenBodyBuilder();
  auto cold = cast<scf::ForOp>(again.clone(*loop));
  cold->setAttr(kColdAttr, builder.getUnitAttr());
  scf::YieldOp::create(again, loc, cold.getResults());
  OpBuilder kept = retry.getElseBodyBuilder();
  scf::YieldOp::create(kept, loc, fast);
  for (auto [use, position] : uses)
    use->set(retry.getResult(position));

  expandCold(cold, carriers.front());
  finishApart(retry);
  for (WeighOp weigh : weighs)
    replace(weigh, buildFast);
}

struct ExpandWeighPass : tilefold::tile::impl::ExpandWeighPassBase<ExpandWeighPass> {
  void runOnOperation() override {
    llvm::MapVector<scf::ForOp, SmallVector<WeighOp>> carried;
    llvm::DenseMap<scf::ForOp, llvm::SmallSetVector<unsigned, 2>> carriers;
    SmallVector<WeighOp> local, cold;
    getOperation().walk([&](WeighOp weigh) {
      if (isCold(weigh)) {
        cold.push_back(weigh);
        return;
      }
      auto loop = dyn_cast<scf::ForOp>(weigh->getParentOp());
      std::optional<unsigned> carrier = loop && canRunTwice(loop) ? findCarrier(loop, weigh) : std::nullopt;
      if (!carrier) {
        local.push_back(weigh);
        return;
      }
      carried[loop].push_back(weigh);
      carriers[loop].insert(*carrier);
    });
    for (WeighOp weigh : cold)
      replace(weigh, buildExact);
    for (auto &[loop, weighs] : carried)
      expandInLoop(loop, weighs, carriers[loop].getArrayRef());
    for (WeighOp weigh : local)
      replace(weigh, buildChecked);
  }
};

} // namespace
