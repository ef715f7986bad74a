// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Dialect/Tile/VerifyTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilefold::tile;

/// How many values an index has; nothing beyond the elements of a tile.
static std::optional<int64_t> countValues(ArrayRef<Digit> digits) {
  int64_t count = 1;
  for (const Digit &digit : digits)
    if (llvm::MulOverflow(count, int64_t(digit.radix), count) || count > kMostTileElements)
      return std::nullopt;
  return count;
}

/// The coordinates of one dimension that the digits reach: 0 to below the result, if they leave none out and reach none twice.
static std::optional<int64_t> countCovered(const SmallVectorImpl<Digit> &digits, int64_t dim) {
  SmallVector<Digit> own;
  for (const Digit &digit : digits)
    if (digit.dim == dim && digit.stride && digit.radix > 1)
      own.push_back(digit);
  llvm::sort(own, [](const Digit &a, const Digit &b) { return a.stride < b.stride; });
  int64_t covered = 1;
  for (const Digit &digit : own) {
    if (digit.stride != covered)
      return std::nullopt;
    covered *= digit.radix; // countValues has bounded it
  }
  return covered;
}

static LogicalResult verifyLayout(function_ref<InFlightDiagnostic()> emitError, RankedTensorType tile, LayoutAttr layout,
                                  ScheduleAttr schedule) {
  SmallVector<Digit> all;
  for (ArrayRef<Digit> digits : {layout.getRegisters(), layout.getLanes(), layout.getWarps()})
    llvm::append_range(all, digits);
  for (const Digit &digit : all)
    if (digit.dim >= tile.getRank())
      return emitError() << "expected a layout of " << tile.getRank() << " dimensions, got one with dimension " << digit.dim;
  std::optional<int64_t> registers = countValues(layout.getRegisters()), lanes = countValues(layout.getLanes()),
                         warps = countValues(layout.getWarps());
  if (!registers)
    return emitError() << "expected a layout with at most " << kMostTileElements << " registers";
  if (lanes != 32)
    return emitError() << "expected a layout that names the 32 lanes of a warp";
  if (!warps || *warps > 32 || (schedule && *warps != schedule.getWarps())) {
    InFlightDiagnostic diag = emitError() << "expected a layout of ";
    return schedule ? diag << "the schedule's " << schedule.getWarps() << " warps" : diag << "at most 32 warps";
  }
  for (auto [dim, extent] : llvm::enumerate(tile.getShape()))
    if (std::optional<int64_t> covered = countCovered(all, int64_t(dim)); covered != extent) {
      InFlightDiagnostic diag = emitError() << "expected a layout that holds each of " << extent << " positions along dimension " << dim << ", got ";
      return covered ? diag << "one of " << *covered : diag << "one that leaves some out or holds them apart";
    }
  return success();
}

static LogicalResult verifyTile(function_ref<InFlightDiagnostic()> emitError, RankedTensorType tile, ScheduleAttr schedule) {
  int64_t elements = 1;
  for (int64_t extent : tile.getShape())
    if (extent < 1 || llvm::MulOverflow(elements, extent, elements) || elements > kMostTileElements)
      return emitError() << "expected tile extents from 1 to " << kMostTileElements << ", and no more elements than that, got " << tile;
  if (auto layout = dyn_cast_or_null<LayoutAttr>(tile.getEncoding()))
    return verifyLayout(emitError, tile, layout, schedule);
  return success();
}

static LogicalResult verifyConstant(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (constant && isa<RankedTensorType>(constant.getType()) && !isa<DenseElementsAttr>(constant.getValue()))
    return op->emitOpError("expected a tile constant that lists its elements, got ") << constant.getValue();
  return success();
}

LogicalResult tilefold::tile::verifyTiles(KernelOp kernel) {
  ScheduleAttr schedule = kernel.getScheduleAttr();
  llvm::DenseSet<Type> known; // there are few types and many values
  auto verifyValue = [&](Operation *op, Value value) {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    if (!tile || !tile.hasStaticShape() || !known.insert(tile).second) // operations refuse other shapes themselves
      return success();
    return verifyTile([&] { return op->emitOpError(); }, tile, schedule);
  };
  WalkResult result = kernel->walk([&](Operation *op) {
    if (failed(verifyConstant(op)))
      return WalkResult::interrupt();
    for (Value value : op->getResults())
      if (failed(verifyValue(op, value)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          if (failed(verifyValue(op, argument)))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
