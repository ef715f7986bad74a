// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Dialect/Tile/TileOps.h"
#include "lib/Dialect/Tile/ViewRoot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilefold::tile;

#define GET_OP_CLASSES
#include "lib/Dialect/Tile/TileOps.cpp.inc"

//===-- shared checks -------------------------------------------------------------------------------------------===//

static LogicalResult checkDim(Operation *op, int64_t dim, int64_t rank) {
  if (dim >= 0 && dim < rank)
    return success();
  return op->emitOpError("expected a dimension in [0, ") << rank << "), got " << dim;
}

static LogicalResult checkCount(Operation *op, StringRef what, size_t expected, size_t actual) {
  if (expected == actual)
    return success();
  return op->emitOpError("expected ") << expected << " " << what << ", got " << actual;
}

/// A tile and the view that it is read from or written to.
static LogicalResult checkAccess(Operation *op, ShapedType tile, ViewType view, size_t offsets) {
  if (tile.getRank() != view.getRank())
    return op->emitOpError("expected a tile of rank ") << view.getRank() << " for " << view << ", got " << tile;
  if (tile.getElementType() != view.getElementType())
    return op->emitOpError("expected a tile of ") << view.getElementType() << " for " << view << ", got " << tile;
  return checkCount(op, "offsets", view.getRank(), offsets);
}

static ArrayRef<int64_t> shapeOf(Type type) {
  if (auto buffer = dyn_cast<BufferType>(type))
    return buffer.getShape();
  return cast<RankedTensorType>(type).getShape();
}

static Type elementOf(Type type) {
  if (auto buffer = dyn_cast<BufferType>(type))
    return buffer.getElementType();
  return cast<RankedTensorType>(type).getElementType();
}

static LogicalResult checkSame(Operation *op, Type source, Type result) {
  if (shapeOf(source) != shapeOf(result))
    return op->emitOpError("expected equal shapes, got ") << source << " and " << result;
  if (elementOf(source) != elementOf(result))
    return op->emitOpError("expected equal element types, got ") << source << " and " << result;
  return success();
}

static LogicalResult checkResultShape(Operation *op, Type result, ArrayRef<int64_t> shape) {
  if (shapeOf(result) == shape)
    return success();
  InFlightDiagnostic diag = op->emitOpError("expected a result of shape ");
  llvm::interleave(shape, diag, "x");
  return diag << ", got " << result;
}

/// acc + a b.
static LogicalResult checkProduct(Operation *op, Type a, Type b, Type acc) {
  for (Type t : {a, b, acc})
    if (shapeOf(t).size() != 2)
      return op->emitOpError("expected operands of rank 2, got ") << t;
  if (shapeOf(a)[1] != shapeOf(b)[0])
    return op->emitOpError("contracts ") << shapeOf(a)[1] << " columns of the left tile with " << shapeOf(b)[0]
                                         << " rows of the right tile";
  if (shapeOf(acc)[0] != shapeOf(a)[0] || shapeOf(acc)[1] != shapeOf(b)[1])
    return op->emitOpError("expected an accumulator of shape ")
           << shapeOf(a)[0] << "x" << shapeOf(b)[1] << ", got " << acc;
  if (elementOf(a) != elementOf(b))
    return op->emitOpError("expected operands of one element type, got ") << elementOf(a) << " and " << elementOf(b);
  if (!elementOf(acc).isF32())
    return op->emitOpError("expected an accumulator of f32, got ") << acc;
  return success();
}

//===-- kernel operations ---------------------------------------------------------------------------------------===//

LogicalResult ProgramIdOp::verify() { return checkDim(*this, getDim(), 3); }
LogicalResult SizeOp::verify() { return checkDim(*this, getDim(), cast<ViewType>(getView().getType()).getRank()); }
LogicalResult StrideOp::verify() { return checkDim(*this, getDim(), cast<ViewType>(getView().getType()).getRank()); }
LogicalResult NarrowOp::verify() { return checkDim(*this, getDim(), cast<ViewType>(getView().getType()).getRank()); }

LogicalResult SliceOp::verify() {
  auto source = cast<ViewType>(getView().getType()), result = cast<ViewType>(getResult().getType());
  if (failed(checkCount(*this, "indices", getDims().size(), getIndices().size())))
    return failure();
  int64_t previous = -1;
  for (int64_t dim : getDims()) {
    if (failed(checkDim(*this, dim, source.getRank())))
      return failure();
    if (dim <= previous)
      return emitOpError("expected dimensions in ascending order, got ") << dim << " after " << previous;
    previous = dim;
  }
  auto expected = ViewType::get(getContext(), source.getRank() - int64_t(getDims().size()), source.getElementType());
  if (result != expected)
    return emitOpError("expected a result of ") << expected << ", got " << result;
  return success();
}

LogicalResult LoadOp::verify() {
  if (getPad() && cast<TypedAttr>(*getPad()).getType() != getResult().getType().getElementType())
    return emitOpError("expected padding of ") << getResult().getType().getElementType() << ", got " << *getPad();
  return checkAccess(*this, getResult().getType(), cast<ViewType>(getView().getType()), getOffsets().size());
}

/// Of arguments whose role the kernel itself states; those of the launches are checked with the launches.
static LogicalResult checkStored(StoreOp store) {
  BlockArgument root = findViewRoot(store.getView());
  auto kernel = root ? dyn_cast_or_null<KernelOp>(root.getOwner()->getParentOp()) : KernelOp();
  if (!kernel || kernel.getArgumentRole(root.getArgNumber()) != "input")
    return success();
  return emitStoreToInput(store, kernel.getArgumentName(root.getArgNumber()));
}

LogicalResult StoreOp::verify() {
  if (failed(checkStored(*this)))
    return failure();
  return checkAccess(*this, getValue().getType(), cast<ViewType>(getView().getType()), getOffsets().size());
}

LogicalResult DotOp::verify() { return checkProduct(*this, getA().getType(), getB().getType(), getAcc().getType()); }

void DotOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand *operand : {&getAMutable(), &getBMutable()})
    if (isa<BufferType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand);
}

LogicalResult WeighOp::verify() {
  auto weights = getWeights().getType(), visible = getVisible().getType();
  if (weights.getShape() != visible.getShape() || !visible.getElementType().isInteger(1))
    return emitOpError("expected visibility of i1 in the shape of ") << weights << ", got " << visible;
  return checkProduct(*this, weights, getValues().getType(), getAcc().getType());
}

LogicalResult ReduceOp::verify() {
  auto source = getSource().getType();
  if (failed(checkDim(*this, getDim(), source.getRank())))
    return failure();
  SmallVector<int64_t> shape(source.getShape());
  shape.erase(shape.begin() + getDim());
  if (shape.empty()) {
    if (getResult().getType() != source.getElementType())
      return emitOpError("expected a result of ") << source.getElementType() << ", got " << getResult().getType();
    return success();
  }
  auto result = dyn_cast<RankedTensorType>(getResult().getType());
  if (!result || result.getElementType() != source.getElementType())
    return emitOpError("expected a tile of ") << source.getElementType() << ", got " << getResult().getType();
  return checkResultShape(*this, result, shape);
}

LogicalResult ExpandOp::verify() {
  SmallVector<int64_t> shape(getSource().getType().getShape());
  if (failed(checkDim(*this, getDim(), shape.size() + 1)))
    return failure();
  shape.insert(shape.begin() + getDim(), 1);
  return checkResultShape(*this, getResult().getType(), shape);
}

LogicalResult BroadcastOp::verify() {
  auto source = getSource().getType(), result = getResult().getType();
  if (source.getRank() != result.getRank() || source.getElementType() != result.getElementType())
    return emitOpError("expected a result of the source's rank and element type, got ") << source << " and " << result;
  for (auto [from, to] : llvm::zip(source.getShape(), result.getShape()))
    if (from != to && from != 1)
      return emitOpError("cannot repeat extent ") << from << " to " << to;
  return success();
}

LogicalResult TransposeOp::verify() {
  ArrayRef<int64_t> source = shapeOf(getSource().getType());
  if (source.size() != 2)
    return emitOpError("expected a tile of rank 2, got ") << getSource().getType();
  return checkResultShape(*this, getResult().getType(), {source[1], source[0]});
}

LogicalResult SplatOp::verify() {
  if (getScalar().getType() != getResult().getType().getElementType())
    return emitOpError("expected a scalar of ") << getResult().getType().getElementType() << ", got "
                                                << getScalar().getType();
  return success();
}

LogicalResult AnyOp::verify() {
  if (!getSource().getType().getElementType().isInteger(1))
    return emitOpError("expected a tile of i1, got ") << getSource().getType();
  return success();
}

//===-- staging operations --------------------------------------------------------------------------------------===//

LogicalResult ConvertLayoutOp::verify() { return checkSame(*this, getSource().getType(), getResult().getType()); }
LogicalResult ReadOp::verify() { return checkSame(*this, getBuffer().getType(), getResult().getType()); }
LogicalResult WriteOp::verify() { return checkSame(*this, getValue().getType(), getBuffer().getType()); }

LogicalResult WaitCopiesOp::verify() {
  if (int64_t pending = getPending(); pending < 0) // the accessor is unsigned
    return emitOpError("expected a number of groups that may be in flight, 0 or more, got ") << pending;
  return success();
}

LogicalResult SlotOp::verify() {
  auto ring = cast<BufferType>(getRing().getType());
  if (ring.getRank() != 3)
    return emitOpError("expected a ring of rank 3, got ") << ring;
  if (getSlot().getType() != ring.getSlot())
    return emitOpError("expected a slot of ") << ring.getSlot() << ", got " << getSlot().getType();
  return success();
}

LogicalResult CopyAsyncOp::verify() {
  auto buffer = cast<BufferType>(getBuffer().getType());
  auto tile = RankedTensorType::get(buffer.getShape(), buffer.getElementType());
  return checkAccess(*this, tile, cast<ViewType>(getView().getType()), getOffsets().size());
}

LogicalResult CopyOp::verify() {
  auto buffer = cast<BufferType>(getBuffer().getType());
  Type element = cast<ViewType>(getView().getType()).getElementType();
  if (failed(checkAccess(*this, RankedTensorType::get(buffer.getShape(), element), cast<ViewType>(getView().getType()),
                         getOffsets().size())))
    return failure();
  if (getBody().empty()) {
    if (buffer.getElementType() != element)
      return emitOpError("expected a buffer of ") << element << " where nothing is changed, got " << buffer;
    return success();
  }
  Block &body = getBody().front();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!getBody().hasOneBlock() || body.getNumArguments() != 1 || body.getArgument(0).getType() != element || !yield ||
      yield.getValue().getType() != buffer.getElementType())
    return emitOpError("expected a body that takes ") << element << " and yields " << buffer.getElementType();
  return success();
}
