// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folding and canonicalisation: what moves elements moves a constant or a splat at compile time, and a view's sizes are
// asked of the view that it was made from.
#include "lib/Dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilefold::tile;

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===-- tiles ---------------------------------------------------------------------------------------------------===//

/// A constant all of whose elements are equal, in another shape; null if `operand` is none.
static OpFoldResult resizeSplat(Attribute operand, Type type) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(operand);
  auto tile = dyn_cast<RankedTensorType>(type);
  return splat && tile ? OpFoldResult(splat.resizeSplat(tile)) : OpFoldResult();
}

/// op(splat(x)) is a splat of x in op's shape.
template <class Op> struct MoveSplat : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto splat = op.getSource().template getDefiningOp<SplatOp>();
    if (!splat)
      return rewriter.notifyMatchFailure(op, "the source is not a splat");
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getResult().getType(), splat.getScalar());
    return success();
  }
};

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute scalar = adaptor.getScalar();
  if (!isa_and_nonnull<FloatAttr, IntegerAttr>(scalar))
    return {};
  return SplatElementsAttr::get(getResult().getType(), scalar);
}

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) { return resizeSplat(adaptor.getSource(), getType()); }
void ExpandOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MoveSplat<ExpandOp>>(context);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  // With layouts, each step is one that a lowering knows.
  if (auto inner = getSource().getDefiningOp<BroadcastOp>(); inner && !getType().getEncoding()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return resizeSplat(adaptor.getSource(), getType());
}
void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MoveSplat<BroadcastOp>>(context);
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  // Of buffers too: exchanging twice gives the type that one began with.
  if (auto inner = getSource().getDefiningOp<TransposeOp>(); inner && inner.getSource().getType() == getType())
    return inner.getSource();
  return resizeSplat(adaptor.getSource(), getType());
}
void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MoveSplat<TransposeOp>>(context);
}

OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) {
  // The maximum and minimum of equal elements. A sum would have to know in which order it rounds.
  auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource());
  if (!splat || getKind() == ReduceKind::Sum)
    return {};
  if (auto tile = dyn_cast<RankedTensorType>(getType()))
    return splat.resizeSplat(tile);
  return splat.getSplatValue<Attribute>();
}

OpFoldResult AnyOp::fold(FoldAdaptor adaptor) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource());
  return splat ? OpFoldResult(splat.getSplatValue<Attribute>()) : OpFoldResult();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ConvertLayoutOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return resizeSplat(adaptor.getSource(), getType());
}

//===-- views ---------------------------------------------------------------------------------------------------===//

/// Moves a question about dimension `dim` of a narrowed or sliced view to the view that it was made from. Returns whether
/// `view` and `dim` have changed.
static bool askSource(OpOperand &view, int64_t &dim) {
  if (auto narrow = view.get().getDefiningOp<NarrowOp>()) {
    view.set(narrow.getView());
    return true;
  }
  auto slice = view.get().getDefiningOp<SliceOp>();
  if (!slice)
    return false;
  for (int64_t fixed : slice.getDims()) // ascending: each fixed dimension at or below shifts the rest
    if (fixed <= dim)
      ++dim;
  view.set(slice.getView());
  return true;
}

OpFoldResult SizeOp::fold(FoldAdaptor) {
  int64_t dim = getDim();
  if (auto narrow = getView().getDefiningOp<NarrowOp>(); narrow && int64_t(narrow.getDim()) == dim)
    return narrow.getSize().getType() == getType() ? OpFoldResult(narrow.getSize()) : OpFoldResult();
  if (!askSource(getViewMutable(), dim))
    return {};
  setDim(dim);
  return getResult();
}

OpFoldResult StrideOp::fold(FoldAdaptor) {
  int64_t dim = getDim();
  if (!askSource(getViewMutable(), dim))
    return {};
  setDim(dim);
  return getResult();
}

OpFoldResult SliceOp::fold(FoldAdaptor) { return getDims().empty() ? OpFoldResult(getView()) : OpFoldResult(); }

namespace {
/// slice(slice(v)) fixes both sets of dimensions at once.
struct MergeSlices : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp outer, PatternRewriter &rewriter) const override {
    auto inner = outer.getView().getDefiningOp<SliceOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(outer, "the source is not a slice");
    SmallVector<std::pair<int64_t, Value>> fixed;
    for (auto [dim, index] : llvm::zip(inner.getDims(), inner.getIndices()))
      fixed.push_back({dim, index});
    for (auto [dim, index] : llvm::zip(outer.getDims(), outer.getIndices())) {
      int64_t source = dim;
      for (int64_t taken : inner.getDims())
        if (taken <= source)
          ++source;
      fixed.push_back({source, index});
    }
    llvm::sort(fixed, llvm::less_first());
    SmallVector<int64_t> dims;
    SmallVector<Value> indices;
    for (auto [dim, index] : fixed) {
      dims.push_back(dim);
      indices.push_back(index);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(outer, outer.getType(), inner.getView(), indices, dims);
    return success();
  }
};

/// A requirement that always holds.
struct DropHeldRequirement : OpRewritePattern<RequireOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RequireOp op, PatternRewriter &rewriter) const override {
    if (!matchPattern(op.getCondition(), m_One()))
      return rewriter.notifyMatchFailure(op, "the condition is not the constant true");
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeSlices>(context);
}
void RequireOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropHeldRequirement>(context);
}
