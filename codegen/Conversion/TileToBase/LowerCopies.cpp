// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From global to shared memory. A tile is cut into 16-byte chunks, which the threads of the block take in turn.
#include "codegen/Conversion/TileToBase/KernelLowering.h"
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/IRMapping.h"
#include "lib/Analysis/Views.h"

using namespace mlir;
using namespace tilefold;
using namespace tilefold::tile;

namespace {

/// How a block of threads walks over the chunks of a tile.
struct ChunkWalk {
  int64_t rows, perChunk, chunks, threads, total, steps;
  ChunkWalk(BufferType buffer, int64_t threads) : rows(buffer.getShape()[0]), threads(threads) {
    perChunk = 128 / buffer.getElementType().getIntOrFloatBitWidth();
    chunks = buffer.getShape()[1] / perChunk;
    total = rows * chunks;
    steps = llvm::divideCeil(total, threads);
  }
  /// The threads cover whole rows: a thread keeps its column and steps down by a fixed number of rows.
  bool isRegular() const { return threads % chunks == 0; }
  bool isPartial() const { return total % threads; }
};

} // namespace

/// Copies in a row before a loop takes over: enough to hide the loop, few enough to keep a kernel short.
static constexpr int64_t kUnrolledCopies = 16;

/// cp.async reads only as many bytes as lie inside the view and fills the rest of the chunk with zeros.
LogicalResult KernelLowering::lowerCopyAsync(CopyAsyncOp op) {
  Location loc = op.getLoc();
  auto buffer = cast<BufferType>(op.getBuffer().getType());
  ChunkWalk walk(buffer, warps * kLanes);
  LoweredView view = views.lookup(op.getView());
  int64_t elementBytes = 16 / walk.perChunk;
  Value rowOffset = values.lookup(op.getOffsets()[0]), columnOffset = values.lookup(op.getOffsets()[1]);
  Value base = values.lookup(op.getBuffer());

  APInt constant;
  const bool startsInside = matchPattern(op.getOffsets()[1], m_ConstantInt(&constant)) && constant.isNonNegative();
  // The tile's corner first: it is the same for every thread, and for every chunk of one.
  Value corner[] = {rowOffset, columnOffset};
  LoweredView cornerView = view;
  cornerView.pointer = address(view, corner, loc);
  auto copyAt = [&](Value row, Value chunk, Value pointer) {
    Value column = mul(chunk, i32(walk.perChunk, loc), loc);
    Value viewRow = add(rowOffset, row, loc), viewColumn = add(columnOffset, column, loc);
    Value rowInside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, viewRow, view.extents[0]);
    Value left = mul(arith::SubIOp::create(builder, loc, view.extents[1], viewColumn), i32(elementBytes, loc), loc);
    left = arith::MaxSIOp::create(builder, loc, arith::MinSIOp::create(builder, loc, left, i32(16, loc)), i32(0, loc));
    Value inside = rowInside;
    if (!startsInside) {
      Value notBefore = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, viewColumn, i32(0, loc));
      inside = arith::AndIOp::create(builder, loc, rowInside, notBefore);
    }
    Value bytes = arith::SelectOp::create(builder, loc, inside, left, i32(0, loc));
    Value target = sharedAddress(add(base, swizzledOffset(buffer, row, column, loc), loc), loc);
    NVVM::CpAsyncOp::create(builder, loc, target, pointer, 16, NVVM::LoadCacheModifierKind::CG, bytes);
  };

  if (walk.isRegular() && !walk.isPartial()) {
    // One address and one stride instead of a product for every chunk.
    Value row = arith::DivUIOp::create(builder, loc, thread, i32(walk.chunks, loc));
    Value chunk = arith::RemUIOp::create(builder, loc, thread, i32(walk.chunks, loc));
    int64_t rowsPerStep = walk.threads / walk.chunks;
    Value inside[] = {row, mul(chunk, i32(walk.perChunk, loc), loc)};
    Value pointer = address(cornerView, inside, loc);
    Value step = arith::MulIOp::create(builder, loc, view.strides[0],
                                       arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(rowsPerStep)));
    auto advanceBy = [&](Value from, Value by) -> Value {
      return LLVM::GEPOp::create(builder, loc, from.getType(), view.element, from, ArrayRef<LLVM::GEPArg>{by});
    };
    auto unrolled = [&](int64_t count, Value firstRow, Value from) {
      for (int64_t i = 0; i < count; ++i) {
        copyAt(add(firstRow, i32(i * rowsPerStep, loc), loc), chunk, from);
        from = advanceBy(from, step);
      }
      return from;
    };
    int64_t perTurn = walk.steps <= kUnrolledCopies ? walk.steps : kUnrolledCopies / 2;
    if (walk.steps % perTurn == 0 && walk.steps > perTurn) {
      auto loop = scf::ForOp::create(builder, loc, i32(0, loc), i32(walk.rows, loc), i32(perTurn * rowsPerStep, loc),
                                     ValueRange{pointer});
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(loop.getBody());
      Value next = unrolled(perTurn, add(row, loop.getInductionVar(), loc), loop.getRegionIterArgs()[0]);
      scf::YieldOp::create(builder, loc, next);
    } else
      unrolled(walk.steps, row, pointer);
    return success();
  }

  for (int64_t first = 0; first < walk.total; first += walk.threads) {
    Value index = add(thread, i32(first, loc), loc);
    Value row = arith::DivUIOp::create(builder, loc, index, i32(walk.chunks, loc));
    Value chunk = arith::RemUIOp::create(builder, loc, index, i32(walk.chunks, loc));
    Value inside[] = {row, mul(chunk, i32(walk.perChunk, loc), loc)};
    auto copy = [&] { copyAt(row, chunk, address(cornerView, inside, loc)); };
    if (first + walk.threads <= walk.total) {
      copy();
      continue;
    }
    Value takesPart = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index, i32(walk.total, loc));
    auto branch = scf::IfOp::create(builder, loc, takesPart, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    copy();
  }
  return success();
}

/// `width` neighbours of one row, zero where they lie outside the view.
Value KernelLowering::loadChunk(const LoweredView &view, Value row, Value column, int64_t width, bool isAligned, Location loc) {
  auto zero = [&](VectorType type) -> Value {
    return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  };
  auto guarded = [&](Value at, int64_t count) -> Value {
    auto type = VectorType::get({count}, view.element);
    Value where[] = {row, at};
    auto branch = scf::IfOp::create(builder, loc, TypeRange(type), inBounds(view, where, loc), true, true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(branch.thenBlock());
    int64_t bytes = count * view.element.getIntOrFloatBitWidth() / 8;
    scf::YieldOp::create(builder, loc, LLVM::LoadOp::create(builder, loc, type, address(view, where, loc), bytes).getResult());
    builder.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(builder, loc, zero(type));
    return branch.getResult(0);
  };
  if (isAligned)
    return guarded(column, width);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < width; ++i)
    elements.push_back(extract(guarded(add(column, i32(i, loc), loc), 1), 0, loc));
  return fromElements(elements, loc);
}

/// A loop, not unrolled: this path serves tensors that cp.async cannot read and data that is not finite.
LogicalResult KernelLowering::lowerCopy(CopyOp op) {
  Location loc = op.getLoc();
  auto buffer = cast<BufferType>(op.getBuffer().getType());
  ChunkWalk walk(buffer, warps * kLanes);
  LoweredView view = views.lookup(op.getView());
  bool isAligned = startsAtChunk(op.getView(), op.getOffsets());
  auto loop = scf::ForOp::create(builder, loc, thread, i32(walk.total, loc), i32(walk.threads, loc));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  // Opaque, or the column, often the same in all steps, would be kept in a register of its own far beyond this loop.
  Value index = ptx::OpaqueOp::create(builder, loc, loop.getInductionVar());
  Value row = arith::DivUIOp::create(builder, loc, loop.getInductionVar(), i32(walk.chunks, loc));
  Value chunk = arith::RemUIOp::create(builder, loc, index, i32(walk.chunks, loc));
  Value column = mul(chunk, i32(walk.perChunk, loc), loc);
  Value viewRow = add(values.lookup(op.getOffsets()[0]), row, loc);
  Value viewColumn = add(values.lookup(op.getOffsets()[1]), column, loc);
  Value elements = loadChunk(view, viewRow, viewColumn, walk.perChunk, isAligned, loc);
  if (!op.getBody().empty()) {
    // The body speaks of one element; here it works on a chunk of them.
    auto onChunk = [&](Type element) { return VectorType::get({walk.perChunk}, element); };
    IRMapping map;
    map.map(op.getBody().getArgument(0), elements);
    auto onElements = [&](Value v) -> Value {
      if (Value own = map.lookupOrNull(v))
        return own;
      return vector::BroadcastOp::create(builder, loc, onChunk(v.getType()), values.lookup(v)); // a scalar of the kernel's
    };
    for (Operation &inner : op.getBody().front().without_terminator()) {
      if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
        auto type = onChunk(constant.getType());
        map.map(constant.getResult(), arith::ConstantOp::create(builder, loc, cast<TypedAttr>(DenseElementsAttr::get(
                                                                                  type, Attribute(constant.getValue()))))
                                          .getResult());
        continue;
      }
      SmallVector<Value> operands(llvm::map_range(inner.getOperands(), onElements));
      OperationState state(inner.getLoc(), inner.getName(), operands, onChunk(inner.getResult(0).getType()), inner.getAttrs());
      state.propertiesAttr = inner.getPropertiesAsAttribute();
      map.map(inner.getResult(0), builder.create(state)->getResult(0));
    }
    elements = onElements(op.getBody().front().getTerminator()->getOperand(0));
  }
  Value target = sharedAddress(add(values.lookup(op.getBuffer()), swizzledOffset(buffer, row, column, loc), loc), loc);
  LLVM::StoreOp::create(builder, loc, elements, target, 16);
  return success();
}
