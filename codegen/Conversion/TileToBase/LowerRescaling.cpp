// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/TileToBase/KernelLowering.h"

using namespace mlir;
using namespace tilefold;
using namespace tilefold::tile;

/// From so many registers of an accumulator on, a thread has none to spare beside it and a block's scores.
static constexpr int64_t kManyRegisters = 80;

/// The factors, one a row, by which `op` rescales an accumulator between two iterations; null if it is no such product, or if the
/// accumulator is small.
static Value findRescaling(arith::MulFOp op) {
  auto accumulator = dyn_cast<BlockArgument>(op.getLhs());
  auto broadcast = op.getRhs().getDefiningOp<BroadcastOp>();
  auto expand = broadcast ? broadcast.getSource().getDefiningOp<ExpandOp>() : ExpandOp();
  if (!accumulator || accumulator.getOwner() != op->getBlock() || !expand || !op->hasOneUse())
    return {};
  auto product = dyn_cast<DotOp>(*op->user_begin());
  if (!product || product.getAcc() != op.getResult() ||
      Layout(cast<RankedTensorType>(op.getType())).getRegisters() < kManyRegisters)
    return {};
  return expand.getSource();
}

bool KernelLowering::isLeftToProduct(arith::MulFOp op) { return bool(findRescaling(op)); }

/// The accumulator that a product starts from. Most blocks of an online softmax leave the running maximum where it was: every
/// factor is exactly 1, and a warp skips the rescaling, which changes no bit. The branch has a second use. ptxas moves nothing
/// across it, so the weights of a block are summed and packed, and half their registers free, before the product begins; where
/// registers abound, that order costs more than it saves.
Value KernelLowering::lowerAccumulator(DotOp op) {
  auto rescaled = op.getAcc().getDefiningOp<arith::MulFOp>();
  Value factors = rescaled ? findRescaling(rescaled) : Value();
  if (!factors)
    return values.lookup(op.getAcc());
  Location loc = rescaled.getLoc();
  Value accumulator = values.lookup(rescaled.getLhs()), ofRows = values.lookup(factors);
  Value one = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(1)), changes;
  for (int64_t i = 0, n = cast<VectorType>(ofRows.getType()).getNumElements(); i < n; ++i) {
    // Also true for NaN.
    Value isOther = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, extract(ofRows, i, loc), one);
    changes = changes ? Value(arith::OrIOp::create(builder, loc, changes, isOther)) : isOther;
  }
  changes = NVVM::VoteSyncOp::create(builder, loc, builder.getI1Type(), i32(-1, loc), changes, NVVM::VoteSyncKind::any);
  auto branch = scf::IfOp::create(builder, loc, TypeRange(accumulator.getType()), changes, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder rescale = OpBuilder::atBlockEnd(branch.thenBlock()), keep = OpBuilder::atBlockEnd(branch.elseBlock());
  Value scaled = arith::MulFOp::create(rescale, loc, accumulator, values.lookup(rescaled.getRhs()));
  scf::YieldOp::create(rescale, loc, scaled);
  scf::YieldOp::create(keep, loc, accumulator);
  return branch.getResult(0);
}
