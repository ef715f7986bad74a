// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/TileToBase/KernelLowering.h"
#include "lib/Analysis/Views.h"

using namespace mlir;
using namespace tilefold;
using namespace tilefold::tile;

/// base + index * stride, the product in i64.
static Value advance(OpBuilder &builder, Location loc, Value pointer, Value index, Value stride, Type element) {
  Value wide = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), index);
  Value offset = arith::MulIOp::create(builder, loc, wide, stride);
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), element, pointer, ArrayRef<LLVM::GEPArg>{offset});
}

void KernelLowering::lowerSlice(SliceOp op) {
  LoweredView source = views.lookup(op.getView()), result{source.pointer, {}, {}, source.element};
  for (int64_t d = 0, next = 0; d < int64_t(source.extents.size()); ++d) {
    if (next < int64_t(op.getDims().size()) && op.getDims()[next] == d) {
      Value index = values.lookup(op.getIndices()[next++]);
      result.pointer = advance(builder, op.getLoc(), result.pointer, index, source.strides[d], source.element);
      continue;
    }
    result.extents.push_back(source.extents[d]);
    result.strides.push_back(source.strides[d]);
  }
  views[op.getResult()] = result;
}

void KernelLowering::lowerNarrow(NarrowOp op) {
  LoweredView view = views.lookup(op.getView());
  int64_t d = op.getDim();
  view.pointer = advance(builder, op.getLoc(), view.pointer, values.lookup(op.getOffset()), view.strides[d], view.element);
  view.extents[d] = values.lookup(op.getSize());
  views[op.getResult()] = view;
}

/// The position in the view of what this thread holds in register `reg`.
KernelLowering::Values KernelLowering::position(const Layout &layout, int64_t reg, ValueRange offsets, Location loc) {
  Values result;
  for (int64_t d = 0; d < layout.getRank(); ++d) {
    Value base = add(values.lookup(offsets[d]), threadCoordinates(layout)[d], loc);
    result.push_back(add(base, i32(layout.ofRegister(reg)[d], loc), loc));
  }
  return result;
}

Value KernelLowering::inBounds(const LoweredView &view, ArrayRef<Value> position, Location loc) {
  Value all;
  for (auto [p, extent] : llvm::zip(position, view.extents)) {
    // Unsigned, so that a negative position is outside as well.
    Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, p, extent);
    all = all ? Value(arith::AndIOp::create(builder, loc, all, inside)) : inside;
  }
  return all ? all : Value(arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
}

Value KernelLowering::address(const LoweredView &view, ArrayRef<Value> position, Location loc) {
  Value pointer = view.pointer;
  for (auto [p, stride] : llvm::zip(position, view.strides))
    pointer = advance(builder, loc, pointer, p, stride, view.element);
  return pointer;
}

/// Vectors may be used where the guards hold and the access starts at a multiple of 16 bytes in the last dimension.
static int64_t vectorLimit(Value view, ValueRange offsets, Type element) {
  return element.isInteger(1) || !startsAtChunk(view, offsets) ? 1 : 128 / element.getIntOrFloatBitWidth();
}

/// How memory holds an element; a bit takes a byte.
static Type storedType(Type element, OpBuilder &builder) {
  return element.isInteger(1) ? Type(builder.getI8Type()) : element;
}

LogicalResult KernelLowering::lowerLoad(LoadOp op) {
  Location loc = op.getLoc();
  auto type = op.getResult().getType();
  Layout layout(type);
  LoweredView view = views.lookup(op.getView());
  Type element = type.getElementType(), stored = storedType(element, builder);
  int64_t limit = vectorLimit(op.getView(), op.getOffsets(), element);
  TypedAttr pad = op.getPad() ? cast<TypedAttr>(*op.getPad()) : builder.getZeroAttr(element);
  view.element = stored;

  SmallVector<Value> elements;
  for (int64_t r = 0; r < layout.getRegisters();) {
    int64_t width = layout.getVectorWidth(r, limit);
    Values where = position(layout, r, op.getOffsets(), loc);
    auto part = VectorType::get({width}, element);
    auto branch = scf::IfOp::create(builder, loc, TypeRange(part), inBounds(view, where, loc), true, true);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(branch.thenBlock());
      Value loaded = LLVM::LoadOp::create(builder, loc, VectorType::get({width}, stored), address(view, where, loc),
                                          width * stored.getIntOrFloatBitWidth() / 8);
      if (stored != element)
        loaded = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, loaded,
                                       arith::ConstantOp::create(builder, loc, builder.getZeroAttr(loaded.getType())));
      scf::YieldOp::create(builder, loc, loaded);
      builder.setInsertionPointToEnd(branch.elseBlock());
      Value padding = arith::ConstantOp::create(builder, loc, cast<TypedAttr>(DenseElementsAttr::get(part, Attribute(pad))));
      scf::YieldOp::create(builder, loc, padding);
    }
    for (int64_t i = 0; i < width; ++i)
      elements.push_back(extract(branch.getResult(0), i, loc));
    r += width;
  }
  values[op.getResult()] = fromElements(elements, loc);
  return success();
}

LogicalResult KernelLowering::lowerStore(StoreOp op) {
  Location loc = op.getLoc();
  auto type = op.getValue().getType();
  Layout layout(type);
  LoweredView view = views.lookup(op.getView());
  Type element = type.getElementType(), stored = storedType(element, builder);
  int64_t limit = vectorLimit(op.getView(), op.getOffsets(), element);
  Value value = values.lookup(op.getValue());
  view.element = stored;
  // Where the same elements were read before, their addresses would live until here: two registers for each.
  OwnCoordinates own(*this);
  bool isReread = false;
  kernel.walk([&](LoadOp load) { isReread |= getViewRoot(load.getView()) == getViewRoot(op.getView()); });
  if (isReread)
    deriveAnew(loc);

  byFirstHolder(layout, loc, [&] {
    for (int64_t r = 0; r < layout.getRegisters();) {
      int64_t width = layout.getVectorWidth(r, limit);
      Values where = position(layout, r, op.getOffsets(), loc);
      auto branch = scf::IfOp::create(builder, loc, inBounds(view, where, loc), /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      Value part = vector::ExtractStridedSliceOp::create(builder, loc, value, r, width, 1);
      if (stored != element)
        part = arith::ExtUIOp::create(builder, loc, VectorType::get({width}, stored), part);
      LLVM::StoreOp::create(builder, loc, part, address(view, where, loc), width * stored.getIntOrFloatBitWidth() / 8);
      r += width;
    }
  });
  return success();
}
