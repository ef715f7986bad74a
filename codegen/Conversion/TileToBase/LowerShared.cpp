// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/TileToBase/KernelLowering.h"

using namespace mlir;
using namespace tilefold;
using namespace tilefold::tile;

LogicalResult KernelLowering::lowerAlloc(AllocOp op) {
  values[op.getBuffer()] = i32(sharedPlan.getOffset(op), op.getLoc());
  return success();
}

void KernelLowering::lowerSlot(SlotOp op) {
  int64_t slotBytes = cast<BufferType>(op.getSlot().getType()).getBytes();
  Value offset = mul(values.lookup(op.getIndex()), i32(slotBytes, op.getLoc()), op.getLoc());
  values[op.getSlot()] = add(values.lookup(op.getRing()), offset, op.getLoc());
}

Value KernelLowering::sharedAddress(Value byteOffset, Location loc) {
  return LLVM::GEPOp::create(builder, loc, sharedBase.getType(), builder.getI8Type(), sharedBase,
                             ArrayRef<LLVM::GEPArg>{byteOffset});
}

Value KernelLowering::swizzledOffset(BufferType type, Value row, Value column, Location loc) {
  int64_t elementBytes = type.getElementType().getIntOrFloatBitWidth() / 8, perChunk = 16 / elementBytes;
  int64_t columns = type.getShape()[type.getTransposed() ? type.getRank() - 2 : type.getRank() - 1];
  SwizzleAttr swizzle = type.getSwizzle();
  Value chunk = arith::DivUIOp::create(builder, loc, column, i32(perChunk, loc));
  Value within = arith::RemUIOp::create(builder, loc, column, i32(perChunk, loc));
  Value flip = arith::ShRUIOp::create(builder, loc, row, i32(swizzle.getShift(), loc));
  flip = arith::AndIOp::create(builder, loc, flip, i32((1 << swizzle.getBits()) - 1, loc));
  chunk = arith::XOrIOp::create(builder, loc, chunk, flip);
  Value offset = mul(row, i32(columns * elementBytes, loc), loc);
  offset = add(offset, mul(chunk, i32(16, loc), loc), loc);
  return add(offset, mul(within, i32(elementBytes, loc), loc), loc);
}

/// Visits the registers of `layout` in vectors that stay inside one chunk of the buffer's rows.
static void forEachChunk(const Layout &layout, BufferType buffer, function_ref<void(int64_t, int64_t)> visit) {
  int64_t limit = buffer.getTransposed() ? 1 : 128 / buffer.getElementType().getIntOrFloatBitWidth();
  for (int64_t r = 0; r < layout.getRegisters();) {
    int64_t width = layout.getVectorWidth(r, limit);
    visit(r, width);
    r += width;
  }
}

Value KernelLowering::offsetInBuffer(Value buffer, const Layout &layout, int64_t reg, Location loc) {
  auto type = cast<BufferType>(buffer.getType());
  Value row = add(threadCoordinates(layout)[0], i32(layout.ofRegister(reg)[0], loc), loc);
  Value column = add(threadCoordinates(layout)[1], i32(layout.ofRegister(reg)[1], loc), loc);
  if (type.getTransposed())
    std::swap(row, column);
  return add(values.lookup(buffer), swizzledOffset(type, row, column, loc), loc);
}

LogicalResult KernelLowering::lowerRead(ReadOp op) {
  Location loc = op.getLoc();
  auto type = op.getResult().getType();
  auto buffer = cast<BufferType>(op.getBuffer().getType());
  Layout layout(type);
  SmallVector<Value> elements;
  forEachChunk(layout, buffer, [&](int64_t r, int64_t width) {
    Value offset = offsetInBuffer(op.getBuffer(), layout, r, loc);
    auto part = VectorType::get({width}, type.getElementType());
    Value loaded = LLVM::LoadOp::create(builder, loc, part, sharedAddress(offset, loc),
                                        width * type.getElementTypeBitWidth() / 8);
    for (int64_t i = 0; i < width; ++i)
      elements.push_back(extract(loaded, i, loc));
  });
  values[op.getResult()] = fromElements(elements, loc);
  return success();
}

LogicalResult KernelLowering::lowerWrite(WriteOp op) {
  Location loc = op.getLoc();
  auto type = op.getValue().getType();
  auto buffer = cast<BufferType>(op.getBuffer().getType());
  Layout layout(type);
  Value value = values.lookup(op.getValue());
  byFirstHolder(layout, loc, [&] {
    forEachChunk(layout, buffer, [&](int64_t r, int64_t width) {
      Value offset = offsetInBuffer(op.getBuffer(), layout, r, loc);
      Value part = vector::ExtractStridedSliceOp::create(builder, loc, value, r, width, 1);
      LLVM::StoreOp::create(builder, loc, part, sharedAddress(offset, loc), width * type.getElementTypeBitWidth() / 8);
    });
  });
  return success();
}
