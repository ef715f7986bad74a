// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Dialect/Tile/TileOps.h"
#include "lib/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tilefold::tile {
#define GEN_PASS_DEF_CONTRACTPRODUCTSPASS
#include "lib/Transforms/Passes.h.inc"
} // namespace tilefold::tile

using namespace mlir;
using namespace tilefold::tile;

static bool isContractible(arith::FastMathFlags flags) {
  return bitEnumContainsAny(flags, arith::FastMathFlags::contract);
}

/// The product behind `value`, if nothing else reads it and it may be fused.
static arith::MulFOp getOwnProduct(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() && isContractible(product.getFastmath()) ? product : arith::MulFOp();
}

/// a b + c, a b - c or c - a b as one operation; nothing if `sum` is none of these.
static Value fuse(OpBuilder &builder, Operation *sum) {
  Location loc = sum->getLoc();
  Value left = sum->getOperand(0), right = sum->getOperand(1);
  bool subtracts = isa<arith::SubFOp>(sum);
  auto negate = [&](Value value) -> Value { return arith::NegFOp::create(builder, loc, value); };
  if (arith::MulFOp product = getOwnProduct(left))
    return math::FmaOp::create(builder, loc, product.getLhs(), product.getRhs(), subtracts ? negate(right) : right);
  if (arith::MulFOp product = getOwnProduct(right))
    return math::FmaOp::create(builder, loc, subtracts ? negate(product.getLhs()) : product.getLhs(), product.getRhs(), left);
  return {};
}

namespace {
struct ContractProductsPass : tilefold::tile::impl::ContractProductsPassBase<ContractProductsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> sums, flagged;
    getOperation().walk([&](Operation *op) {
      auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
      if (!flags || !flags.getFastMathFlagsAttr() || !isContractible(flags.getFastMathFlagsAttr().getValue()))
        return;
      flagged.push_back(op);
      if (isa<arith::AddFOp, arith::SubFOp>(op) && getElementTypeOrSelf(op->getResult(0).getType()).isF32())
        sums.push_back(op);
    });
    llvm::SmallPtrSet<Operation *, 16> gone;
    for (Operation *sum : sums) {
      OpBuilder builder(sum);
      arith::MulFOp product = getOwnProduct(sum->getOperand(0));
      if (!product)
        product = getOwnProduct(sum->getOperand(1));
      Value fused = fuse(builder, sum);
      if (!fused)
        continue;
      sum->getResult(0).replaceAllUsesWith(fused);
      gone.insert(sum);
      gone.insert(product);
      sum->erase();
      product->erase();
    }
    // What is left is rounded as written: neither LLVM nor ptxas may fuse one copy of a loop and not the other.
    for (Operation *op : flagged)
      if (!gone.contains(op)) {
        auto flags = cast<arith::ArithFastMathInterface>(op);
        op->setAttr(flags.getFastMathAttrName(),
                    arith::FastMathFlagsAttr::get(&getContext(), bitEnumClear(flags.getFastMathFlagsAttr().getValue(),
                                                                              arith::FastMathFlags::contract)));
      }
  }
};
} // namespace
