// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/MaskBounds.h"
#include "lib/Analysis/Uniform.h"
#include "lib/Analysis/Views.h"
#include "lib/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tilefold::tile;

namespace tilefold::tile {
#define GEN_PASS_DEF_GUARDMASKSPASS
#include "lib/Transforms/Passes.h.inc"
} // namespace tilefold::tile

namespace {

bool isSameFill(Value a, Value b) {
  Attribute x, y;
  return a == b || (matchPattern(a, m_Constant(&x)) && matchPattern(b, m_Constant(&y)) && x == y);
}

/// The select that `select` masks further with the same fill, if nobody else sees its result.
arith::SelectOp getInner(arith::SelectOp select) {
  auto inner = select.getTrueValue().getDefiningOp<arith::SelectOp>();
  bool chained = inner && inner->hasOneUse() && inner->getBlock() == select->getBlock() &&
                 isa<ShapedType>(inner.getCondition().getType()) &&
                 isSameFill(inner.getFalseValue(), select.getFalseValue());
  return chained ? inner : arith::SelectOp();
}

bool isOutermost(arith::SelectOp select) {
  auto outer = select->hasOneUse() ? dyn_cast<arith::SelectOp>(*select->user_begin()) : arith::SelectOp();
  return !outer || getInner(outer) != select;
}

/// Selects of one chain, innermost first.
SmallVector<arith::SelectOp> getChain(arith::SelectOp outermost) {
  SmallVector<arith::SelectOp> chain;
  for (arith::SelectOp select = outermost; select; select = getInner(select))
    chain.push_back(select);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

/// Clones what a mask is computed from, down to scalars, to where it is needed.
Value cloneMask(OpBuilder &builder, Value value, IRMapping &map) {
  if (Value known = map.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  if (!op || !tile || !tile.getElementType().isInteger() || op->getNumRegions() != 0 || !isPure(op))
    return value;
  for (Value operand : op->getOperands())
    map.map(operand, cloneMask(builder, operand, map));
  builder.clone(*op, map);
  return map.lookup(value);
}

void guard(arith::SelectOp outermost, scf::ForOp loop) {
  SmallVector<arith::SelectOp> chain = getChain(outermost), guarded, unguarded;
  std::optional<MaskCondition> condition;
  bool changes = false;
  for (arith::SelectOp select : chain) {
    std::optional<MaskCondition> mask = MaskCondition::find(select.getCondition());
    if (mask && mask->isAlways()) {
      changes = true;
    } else if (mask && !mask->isNever()) {
      changes = true;
      guarded.push_back(select);
      condition = condition ? MaskCondition::both(std::move(*condition), std::move(*mask)) : std::move(mask);
    } else {
      unguarded.push_back(select);
    }
  }
  if (!changes)
    return;

  // Selects of one fill commute, so those that stay come first.
  OpBuilder builder(outermost);
  Location loc = outermost.getLoc();
  Value value = chain.front().getTrueValue();
  for (arith::SelectOp select : unguarded)
    value = arith::SelectOp::create(builder, select.getLoc(), select.getCondition(), value, select.getFalseValue());
  if (condition) {
    Value all = condition->build(builder, loc, loop);
    auto branch = scf::IfOp::create(builder, loc, value.getType(), all, /*withElseRegion=*/true);
    OpBuilder plain = branch.getThenBodyBuilder();
    scf::YieldOp::create(plain, loc, value);
    OpBuilder masked = branch.getElseBodyBuilder();
    IRMapping map;
    for (arith::SelectOp select : guarded) {
      Value mask = cloneMask(masked, select.getCondition(), map);
      value = arith::SelectOp::create(masked, select.getLoc(), mask, value, select.getFalseValue());
    }
    scf::YieldOp::create(masked, loc, value);
    value = branch.getResult(0);
  }
  outermost.getResult().replaceAllUsesWith(value);
  for (arith::SelectOp select : llvm::reverse(chain))
    select.erase();
}

struct GuardMasksPass : tilefold::tile::impl::GuardMasksPassBase<GuardMasksPass> {
  void runOnOperation() override {
    SmallVector<arith::SelectOp> outermost;
    getOperation().walk([&](arith::SelectOp select) {
      if (isa<RankedTensorType>(select.getCondition().getType()) && select->getParentOfType<scf::ForOp>() && isOutermost(select))
        outermost.push_back(select);
    });
    for (arith::SelectOp select : outermost)
      guard(select, select->getParentOfType<scf::ForOp>());
    // The masks themselves are now computed where they are used.
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};

} // namespace
