// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/Views.h"
#include "lib/Dialect/Tile/TileOps.h"
#include "lib/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tilefold::tile {
#define GEN_PASS_DEF_STAGEOPERANDSPASS
#include "lib/Transforms/Passes.h.inc"
} // namespace tilefold::tile

using namespace mlir;
using namespace tilefold::tile;

namespace {

/// What stages one value: the buffer, and whether cp.async fills it.
struct Staged {
  Value buffer;
  bool async;
};

class Stager {
public:
  explicit Stager(KernelOp kernel) : kernel(kernel), stores(kernel) {}
  LogicalResult run();

private:
  LogicalResult checkShape(DotOp dot);
  Value stage(Value tile);
  void fill(Block *block);
  bool hoistOperands(Operation *op, Operation *before);
  Operation *findFirstUse(Block *block, Value buffer);

  KernelOp kernel;
  StoredViews stores;
  llvm::MapVector<Value, Staged> staged;
  llvm::SetVector<Block *> blocks;
};

} // namespace

/// mma.m16n8k16 wants 16-bit operands and shapes that it tiles.
LogicalResult Stager::checkShape(DotOp dot) {
  auto acc = dot.getAcc().getType();
  auto a = cast<RankedTensorType>(dot.getA().getType());
  if (a.getElementTypeBitWidth() != 16)
    return dot.emitOpError("runs on tensor cores with operands of f16 or bf16, got ") << a.getElementType();
  int64_t m = acc.getDimSize(0), n = acc.getDimSize(1), k = a.getDimSize(1);
  if (m % 16 || n % 16 || k % 16)
    return dot.emitOpError("expected extents that are multiples of 16, got ") << m << " x " << k << " times " << k << " x " << n;
  return success();
}

/// The buffer of a tile, created where it is first asked for.
Value Stager::stage(Value tile) {
  auto [entry, isNew] = staged.insert({tile, Staged{}});
  if (!isNew)
    return entry->second.buffer;
  auto type = cast<RankedTensorType>(tile.getType());
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto swizzle = SwizzleAttr::forRows(kernel.getContext(), type.getDimSize(1) * type.getElementTypeBitWidth() / 8);
  auto bufferType = BufferType::get(kernel.getContext(), type.getShape(), type.getElementType(), swizzle, false);
  auto load = tile.getDefiningOp<LoadOp>();
  bool async = load && !load.getPad() && isAlignedView(load.getView()) && !stores.contains(load.getView());
  entry->second = {AllocOp::create(builder, tile.getLoc(), bufferType), async};
  blocks.insert(tile.getParentBlock());
  return entry->second.buffer;
}

/// Moves what `op` needs, as far as it stands in the same block, in front of `before`; false if something has to stay.
bool Stager::hoistOperands(Operation *op, Operation *before) {
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (!def || def->getBlock() != before->getBlock() || def->isBeforeInBlock(before))
      continue;
    auto load = dyn_cast<LoadOp>(def);
    bool moves = isPure(def) || (load && !stores.contains(load.getView()));
    if (!moves || def == before || !hoistOperands(def, before))
      return false;
    def->moveBefore(before);
  }
  return true;
}

/// The first operation of `block` that reads the buffer, itself or in a region.
Operation *Stager::findFirstUse(Block *block, Value buffer) {
  Operation *first = nullptr;
  for (Operation *user : buffer.getUsers()) {
    if (isa<CopyAsyncOp, WriteOp>(user))
      continue;
    // A transposed view reads nothing; its users do.
    Operation *use = isa<TransposeOp>(user) ? findFirstUse(block, user->getResult(0)) : block->findAncestorOpInBlock(*user);
    if (use && (!first || use->isBeforeInBlock(first)))
      first = use;
  }
  return first;
}

/// Fills the buffers of the tiles defined in `block`: all asynchronous copies together, then one wait and one barrier in
/// front of the first use; in a loop a second barrier keeps the next step from overwriting what is still being read.
void Stager::fill(Block *block) {
  SmallVector<std::pair<Value, Staged>> here;
  for (auto &[tile, entry] : staged)
    if (tile.getParentBlock() == block)
      here.push_back({tile, entry});
  llvm::sort(here, [](auto &a, auto &b) { return a.first.getDefiningOp()->isBeforeInBlock(b.first.getDefiningOp()); });

  // Readers of asynchronous tiles other than products read the buffer as well.
  Operation *firstCopy = nullptr;
  for (auto &[tile, entry] : here) {
    if (!entry.async)
      continue;
    if (!firstCopy)
      firstCopy = tile.getDefiningOp();
    for (OpOperand &use : llvm::make_early_inc_range(tile.getUses())) {
      OpBuilder builder(use.getOwner());
      use.set(ReadOp::create(builder, use.getOwner()->getLoc(), tile.getType(), entry.buffer));
    }
  }
  OpBuilder builder(kernel.getContext());
  for (auto &[tile, entry] : here)
    if (entry.async) {
      auto load = cast<LoadOp>(tile.getDefiningOp());
      hoistOperands(load, firstCopy);
      builder.setInsertionPoint(firstCopy);
      CopyAsyncOp::create(builder, load.getLoc(), load.getView(), load.getOffsets(), entry.buffer);
    }
  if (firstCopy)
    CommitCopiesOp::create(builder, firstCopy->getLoc());

  Operation *firstUse = nullptr;
  for (auto &[tile, entry] : here)
    if (Operation *use = findFirstUse(block, entry.buffer); use && (!firstUse || use->isBeforeInBlock(firstUse)))
      firstUse = use;
  if (!firstUse)
    return;
  auto separate = [&](Operation *before) {
    builder.setInsertionPoint(before);
    BarrierOp::create(builder, before->getLoc());
  };

  // Tiles that pass through registers are computed early, so that one barrier does for all; one that depends on what is
  // read behind it gets a barrier of its own.
  for (auto &[tile, entry] : here) {
    if (entry.async)
      continue;
    Operation *def = tile.getDefiningOp();
    bool isEarly = def->isBeforeInBlock(firstUse);
    if (!isEarly && hoistOperands(def, firstUse)) {
      def->moveBefore(firstUse);
      isEarly = true;
    }
    builder.setInsertionPointAfter(def);
    auto write = WriteOp::create(builder, def->getLoc(), tile, entry.buffer);
    if (!isEarly)
      separate(write->getNextNode());
  }
  if (firstCopy) {
    builder.setInsertionPoint(firstUse);
    WaitCopiesOp::create(builder, firstUse->getLoc(), 0);
  }
  separate(firstUse);
  if (isa<LoopLikeOpInterface>(block->getParentOp()))
    separate(block->getTerminator());
  for (auto &[tile, entry] : here)
    if (entry.async)
      tile.getDefiningOp()->erase();
}

LogicalResult Stager::run() {
  SmallVector<DotOp> dots;
  kernel.walk([&](DotOp dot) { dots.push_back(dot); });
  for (DotOp dot : dots)
    if (failed(checkShape(dot)))
      return failure();

  for (DotOp dot : dots) {
    // The left operand may already be in registers in the right place (weights made of scores); the right one never is.
    for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()}) {
      Value source = operand->get();
      auto transpose = source.getDefiningOp<TransposeOp>();
      Value tile = transpose ? transpose.getSource() : source;
      bool isRight = operand == &dot.getBMutable();
      if (!tile.getDefiningOp() || (!isRight && !tile.getDefiningOp<LoadOp>()))
        continue;
      Value buffer = stage(tile);
      OpBuilder builder(dot);
      if (transpose)
        buffer = TransposeOp::create(builder, transpose.getLoc(), cast<BufferType>(buffer.getType()).exchanged(), buffer);
      operand->set(buffer);
      if (transpose && transpose->use_empty())
        transpose->erase();
    }
  }
  for (Block *block : blocks)
    fill(block);
  return success();
}

namespace {
struct StageOperandsPass : tilefold::tile::impl::StageOperandsPassBase<StageOperandsPass> {
  void runOnOperation() override {
    if (failed(Stager(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
