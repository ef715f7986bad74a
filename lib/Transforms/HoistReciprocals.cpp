// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/Uniform.h"
#include "lib/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tilefold::tile {
#define GEN_PASS_DEF_HOISTRECIPROCALSPASS
#include "lib/Transforms/Passes.h.inc"
} // namespace tilefold::tile

using namespace tilefold::tile;

namespace {

int64_t countElements(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.getNumElements() : 1;
}

/// x / repeat(y) -> x * repeat(1 / y), and the same for constants.
struct HoistReciprocal : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    Value divisor = op.getRhs();
    if (!getElementTypeOrSelf(divisor.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "the reciprocal would be rounded to fewer than 24 bits");
    if (std::optional<APFloat> constant = uniformFloat(divisor)) {
      APFloat reciprocal(1.0f / constant->convertToFloat());
      if (!reciprocal.isNormal())
        return rewriter.notifyMatchFailure(op, "the reciprocal is out of range");
      Value factor = floatConstant(rewriter, op.getLoc(), divisor.getType(), reciprocal.convertToFloat());
      rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), factor, op.getFastmathAttr());
      return success();
    }
    Value source = repeatedSource(divisor);
    if (countElements(source.getType()) >= countElements(divisor.getType()))
      return rewriter.notifyMatchFailure(op, "the divisor has as many elements as the quotient");

    // Where the repetition starts: a divisor that is repeated outside a loop is inverted outside too.
    Operation *first = divisor.getDefiningOp();
    while (first->getOperand(0) != source)
      first = first->getOperand(0).getDefiningOp();
    rewriter.setInsertionPoint(first);
    Value one = floatConstant(rewriter, op.getLoc(), source.getType(), 1.0);
    Value reciprocal = arith::DivFOp::create(rewriter, op.getLoc(), one, source, op.getFastmathAttr());
    rewriter.setInsertionPoint(op);
    Value factor = repeatOnto(rewriter, divisor, reciprocal);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), factor, op.getFastmathAttr());
    return success();
  }
};

struct HoistReciprocalsPass : tilefold::tile::impl::HoistReciprocalsPassBase<HoistReciprocalsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<HoistReciprocal>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
