// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/TileToBase/KernelLowering.h"
#include "codegen/Conversion/TileToBase/Scratch.h"
#include "codegen/Dialect/Ptx/PtxDialect.h"

using namespace mlir;
using namespace tilefold;
using namespace tilefold::tile;

LogicalResult KernelLowering::lowerIota(IotaOp op) {
  Location loc = op.getLoc();
  Layout layout(op.getResult().getType());
  Value base = threadCoordinates(layout)[0];
  SmallVector<Value> elements;
  for (int64_t r = 0; r < layout.getRegisters(); ++r)
    elements.push_back(add(base, i32(layout.ofRegister(r)[0], loc), loc));
  values[op.getResult()] = fromElements(elements, loc);
  return success();
}

LogicalResult KernelLowering::lowerSplat(SplatOp op) {
  values[op.getResult()] = vector::BroadcastOp::create(builder, op.getLoc(), convert(op.getResult().getType()),
                                                       values.lookup(op.getScalar()));
  return success();
}

/// Every thread already holds what it needs: element c of the result is element project(c) of the source.
LogicalResult
KernelLowering::lowerRearrangement(Operation *op, function_ref<Layout::Coordinates(Layout::Coordinates)> project) {
  Layout from(cast<RankedTensorType>(op->getOperand(0).getType())), to(cast<RankedTensorType>(op->getResult(0).getType()));
  std::optional<SmallVector<int64_t>> map = mapRegisters(from, to, project);
  if (!map)
    return op->emitError("expected layouts under which each thread holds what it needs, got ")
           << op->getOperand(0).getType() << " and " << op->getResult(0).getType();
  values[op->getResult(0)] = shuffleVector(values.lookup(op->getOperand(0)), *map, op->getLoc());
  return success();
}

LogicalResult KernelLowering::lowerConvertLayout(ConvertLayoutOp op) {
  Location loc = op.getLoc();
  auto type = op.getSource().getType();
  Layout from(type), to(op.getResult().getType());
  Value source = values.lookup(op.getSource());
  if (std::optional<SmallVector<int64_t>> map = mapRegisters(from, to)) {
    values[op.getResult()] = shuffleVector(source, *map, loc);
    return success();
  }

  // Through scratch memory. A bit travels as a byte.
  ScratchTile scratch(type);
  Type element = type.getElementType(), stored = element.isInteger(1) ? Type(builder.getI8Type()) : element;
  auto offsetOf = [&](const Layout &layout, int64_t r) {
    const Values &mine = threadCoordinates(layout);
    int64_t last = type.getRank() - 1;
    Value offset = mul(add(mine[last], i32(layout.ofRegister(r)[last], loc), loc), i32(scratch.elementBytes, loc), loc);
    if (type.getRank() == 2)
      offset = add(offset, mul(add(mine[0], i32(layout.ofRegister(r)[0], loc), loc), i32(scratch.rowBytes, loc), loc), loc);
    return sharedAddress(offset, loc);
  };
  int64_t limit = 16 / scratch.elementBytes;
  auto forEachVector = [&](const Layout &layout, function_ref<void(int64_t, int64_t)> visit) {
    for (int64_t r = 0; r < layout.getRegisters();) {
      int64_t width = layout.getVectorWidth(r, limit);
      visit(r, width);
      r += width;
    }
  };
  NVVM::Barrier0Op::create(builder, loc);
  byFirstHolder(from, loc, [&] {
    forEachVector(from, [&](int64_t r, int64_t width) {
      Value part = vector::ExtractStridedSliceOp::create(builder, loc, source, r, width, 1);
      if (stored != element)
        part = arith::ExtUIOp::create(builder, loc, VectorType::get({width}, stored), part);
      LLVM::StoreOp::create(builder, loc, part, offsetOf(from, r), scratch.elementBytes * width);
    });
  });
  NVVM::Barrier0Op::create(builder, loc);
  SmallVector<Value> elements;
  forEachVector(to, [&](int64_t r, int64_t width) {
    auto part = VectorType::get({width}, stored);
    Value loaded = LLVM::LoadOp::create(builder, loc, part, offsetOf(to, r), scratch.elementBytes * width);
    if (stored != element)
      loaded = arith::TruncIOp::create(builder, loc, VectorType::get({width}, element), loaded);
    for (int64_t i = 0; i < width; ++i)
      elements.push_back(extract(loaded, i, loc));
  });
  values[op.getResult()] = fromElements(elements, loc);
  return success();
}

//===-- reductions ----------------------------------------------------------------------------------------------===//

Value KernelLowering::combine(ReduceKind kind, Value a, Value b, Location loc) {
  bool isFloat = isa<FloatType>(a.getType());
  switch (kind) {
  case ReduceKind::Sum:
    if (isFloat)
      return arith::AddFOp::create(builder, loc, a, b);
    return arith::AddIOp::create(builder, loc, a, b);
  case ReduceKind::Max:
    if (isFloat)
      return arith::MaximumFOp::create(builder, loc, a, b);
    return arith::MaxSIOp::create(builder, loc, a, b);
  case ReduceKind::Min:
    if (isFloat)
      return arith::MinimumFOp::create(builder, loc, a, b);
    return arith::MinSIOp::create(builder, loc, a, b);
  }
  llvm_unreachable("every kind is listed");
}

Value KernelLowering::shuffle(Value value, int64_t laneMask, Location loc) {
  return NVVM::ShflOp::create(builder, loc, value.getType(), i32(-1, loc), value, i32(laneMask, loc), i32(31, loc),
                              NVVM::ShflKind::bfly, UnitAttr());
}

/// Registers first, in four running chains, then lanes in a butterfly, then warps through scratch memory. The order is
/// fixed, and every thread that holds a result computes the same bits: a butterfly adds the same two numbers on both sides.
LogicalResult KernelLowering::lowerReduce(ReduceOp op) {
  Location loc = op.getLoc();
  auto type = op.getSource().getType();
  // 16-bit numbers are combined as f32 and rounded once.
  const bool isNarrow = is16BitFloat(type.getElementType());
  if (!isNarrow && !type.getElementType().isF32() && !type.getElementType().isInteger(32))
    return op.emitError("expected a tile of f16, bf16, f32 or i32, got ") << type;
  ReductionPlan plan(op);
  Value source = values.lookup(op.getSource());
  if (isNarrow)
    source = arith::ExtFOp::create(builder, loc, widen(source.getType()), source);
  ReduceKind kind = op.getKind();

  SmallVector<Value> results;
  for (ArrayRef<int64_t> group : plan.registers) {
    SmallVector<Value> chains;
    for (auto [i, r] : llvm::enumerate(group)) {
      Value element = extract(source, r, loc);
      if (chains.size() < 4)
        chains.push_back(element);
      else
        chains[i % 4] = combine(kind, chains[i % 4], element, loc);
    }
    while (chains.size() > 1) {
      Value last = chains.pop_back_val();
      size_t into = chains.size() / 2;
      chains[into] = combine(kind, chains[into], last, loc);
    }
    Value result = chains.front();
    for (int64_t mask : plan.laneMasks)
      result = combine(kind, result, shuffle(result, mask, loc), loc);
    results.push_back(result);
  }

  auto resultType = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (plan.warpCount > 1) {
    // Row w of scratch memory holds the results of the w-th warp along the reduced dimension.
    SmallVector<Digit> along; // the warps' digits, those along the dimension renumbered densely
    int64_t weight = 1;
    for (Digit d : cast<LayoutAttr>(type.getEncoding()).getWarps()) {
      bool isAlong = d.dim == int64_t(op.getDim()) && d.stride;
      along.push_back({d.radix, 0, int32_t(isAlong ? weight : 0)});
      weight *= isAlong ? d.radix : 1;
    }
    Value part = weighDigits(prologue, along, warp, 0);
    SmallVector<Value> positions;
    if (resultType) {
      Layout layout(resultType);
      for (int64_t r = 0; r < layout.getRegisters(); ++r) {
        Value position = i32(0, loc);
        int64_t pitch = 1;
        for (int64_t d = layout.getRank() - 1; d >= 0; --d) {
          Value c = add(threadCoordinates(layout)[d], i32(layout.ofRegister(r)[d], loc), loc);
          position = add(position, mul(c, i32(pitch, loc), loc), loc);
          pitch *= resultType.getDimSize(d);
        }
        positions.push_back(position);
      }
    } else
      positions.push_back(i32(0, loc));
    auto slot = [&](Value row, Value position) {
      Value index = add(mul(row, i32(plan.results, loc), loc), position, loc);
      return sharedAddress(mul(index, i32(4, loc), loc), loc);
    };
    NVVM::Barrier0Op::create(builder, loc);
    // Lanes hold what the result's layout says, all the same if it is a scalar; warps differ along the dimension as well.
    SmallVector<Digit> lanes = {{int32_t(kLanes), 0, 0}};
    if (resultType)
      lanes = llvm::to_vector(Layout(resultType).getAttribute().getLanes());
    byFirstHolder(lanes, cast<LayoutAttr>(type.getEncoding()).getWarps(), loc, [&] {
      for (auto [result, position] : llvm::zip(results, positions))
        LLVM::StoreOp::create(builder, loc, result, slot(part, position));
    });
    NVVM::Barrier0Op::create(builder, loc);
    for (auto [result, position] : llvm::zip(results, positions))
      for (int64_t w = 0; w < plan.warpCount; ++w) {
        Value other = LLVM::LoadOp::create(builder, loc, result.getType(), slot(i32(w, loc), position));
        result = w ? combine(kind, result, other, loc) : other;
      }
  }
  Value result = resultType ? fromElements(results, loc) : results.front();
  if (isNarrow)
    result = arith::TruncFOp::create(builder, loc, convert(op.getResult().getType()), result);
  values[op.getResult()] = result;
  return success();
}

LogicalResult KernelLowering::lowerAny(AnyOp op) {
  Location loc = op.getLoc();
  Value source = values.lookup(op.getSource());
  Value mine = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, source);
  Value any = ptx::BarrierOrOp::create(builder, loc, builder.getI1Type(), mine);
  // The answer is the same for all threads, but ptxas would not know. Behind a branch on it, what a warp shares could then no
  // longer live in its shared registers.
  values[op.getResult()] = NVVM::VoteSyncOp::create(builder, loc, builder.getI1Type(), i32(-1, loc), any, NVVM::VoteSyncKind::any);
  return success();
}
