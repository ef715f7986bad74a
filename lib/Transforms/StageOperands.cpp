// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/Views.h"
#include "lib/Dialect/Tile/TileOps.h"
#include "lib/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tilefold::tile {
#define GEN_PASS_DEF_STAGEOPERANDSPASS
#include "lib/Transforms/Passes.h.inc"
} // namespace tilefold::tile

using namespace mlir;
using namespace tilefold::tile;

namespace {

/// What stages one value: the buffer, how it is filled, and the load behind it if it is one.
enum class Filling { Async, Copied, Written };
struct Staged {
  Value buffer;
  Filling filling;
  LoadOp load;
};

class Stager {
public:
  explicit Stager(KernelOp kernel) : kernel(kernel), stores(kernel) {}
  LogicalResult run();

private:
  LogicalResult checkShape(DotOp dot);
  Value stage(Value tile);
  void fill(Block *block, ArrayRef<Value> tiles);
  bool canMove(Operation *op);
  bool hoist(Operation *op, Operation *before);
  bool hoistOperands(Operation *op, Operation *before);
  Operation *copyElements(Value tile, Staged &entry, Operation *before);
  Operation *findFirstUse(Block *block, Value buffer);

  KernelOp kernel;
  StoredViews stores;
  llvm::MapVector<Value, Staged> staged;
  llvm::MapVector<Block *, SmallVector<Value>> tilesOf; // noted, since tiles that are filled may be erased
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

/// The one load, in the same block and without padding, from which a tile is computed element by element.
static LoadOp findLoad(Value tile) {
  Operation *def = tile.getDefiningOp();
  if (auto load = dyn_cast_or_null<LoadOp>(def))
    return load.getPad() ? LoadOp() : load;
  if (!def || !def->hasTrait<OpTrait::Elementwise>())
    return {};
  LoadOp found;
  DenseElementsAttr constant;
  for (Value operand : def->getOperands()) {
    if (matchPattern(operand, m_Constant(&constant)) && constant.isSplat())
      continue;
    LoadOp load = findLoad(operand);
    if (!load || load->getBlock() != def->getBlock() || (found && found != load))
      return {};
    found = load;
  }
  return found;
}

/// What happens to one element between the load and `tile`.
static Value cloneForElement(OpBuilder &builder, Value tile, IRMapping &map) {
  if (map.contains(tile))
    return map.lookup(tile);
  Operation *def = tile.getDefiningOp();
  Type element = cast<RankedTensorType>(tile.getType()).getElementType();
  Value result;
  if (auto constant = dyn_cast<arith::ConstantOp>(def)) {
    auto value = cast<DenseElementsAttr>(constant.getValue()).getSplatValue<TypedAttr>();
    result = arith::ConstantOp::create(builder, def->getLoc(), value);
  } else {
    SmallVector<Value> operands;
    for (Value operand : def->getOperands())
      operands.push_back(cloneForElement(builder, operand, map));
    OperationState state(def->getLoc(), def->getName(), operands, element, def->getAttrs());
    state.propertiesAttr = def->getPropertiesAsAttribute();
    result = builder.create(state)->getResult(0);
  }
  map.map(tile, result);
  return result;
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
  LoadOp load = findLoad(tile);
  Filling filling = Filling::Written;
  if (load && load.getResult() == tile && startsAtChunk(load.getView(), load.getOffsets()) && !stores.contains(load.getView()))
    filling = Filling::Async;
  else if (load)
    filling = Filling::Copied;
  entry->second = {AllocOp::create(builder, tile.getLoc(), bufferType), filling, load};
  tilesOf[tile.getParentBlock()].push_back(tile);
  return entry->second.buffer;
}

/// Whether an operation, with all in it, may run earlier in its block: it computes, and loads only what the kernel never stores.
bool Stager::canMove(Operation *op) {
  return !op->walk([&](Operation *inner) {
              auto load = dyn_cast<LoadOp>(inner);
              bool moves = load ? !stores.contains(load.getView()) : isPure(inner) || isa<scf::ForOp, scf::IfOp>(inner);
              return moves ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

/// Moves `op` with what it needs, as far as that stands in the same block, in front of `before`; false if something has to stay.
bool Stager::hoist(Operation *op, Operation *before) {
  if (op->getBlock() != before->getBlock() || op->isBeforeInBlock(before))
    return true;
  if (op == before || !canMove(op) || !hoistOperands(op, before))
    return false;
  op->moveBefore(before);
  return true;
}

bool Stager::hoistOperands(Operation *op, Operation *before) {
  llvm::SetVector<Value> needed(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), needed);
  return llvm::all_of(needed, [&](Value value) { return !value.getDefiningOp() || hoist(value.getDefiningOp(), before); });
}

/// The first operation of `block` that reads the buffer, itself or in a region.
Operation *Stager::findFirstUse(Block *block, Value buffer) {
  Operation *first = nullptr;
  for (Operation *user : buffer.getUsers()) {
    if (isa<CopyAsyncOp, CopyOp, WriteOp>(user))
      continue;
    // A transposed view reads nothing; its users do.
    Operation *use = isa<TransposeOp>(user) ? findFirstUse(block, user->getResult(0)) : block->findAncestorOpInBlock(*user);
    if (use && (!first || use->isBeforeInBlock(first)))
      first = use;
  }
  return first;
}

/// Fills a buffer by a copy in front of `before`; null if the load cannot be made there. A load of a tensor that the kernel also stores
/// to stays where it is, in order with the stores.
Operation *Stager::copyElements(Value tile, Staged &entry, Operation *before) {
  const bool stays = stores.contains(entry.load.getView());
  if (!stays && !hoistOperands(entry.load, before))
    return nullptr;
  OpBuilder builder(stays ? entry.load : before);
  auto copy = CopyOp::create(builder, tile.getLoc(), entry.load.getView(), entry.load.getOffsets(), entry.buffer);
  if (tile == entry.load.getResult())
    return copy;
  Block &body = copy.getBody().emplaceBlock();
  Value element = body.addArgument(entry.load.getType().getElementType(), tile.getLoc());
  IRMapping map;
  map.map(entry.load.getResult(), element);
  // The load may be staged itself, for another product; what is computed of it then reads that buffer.
  if (auto found = staged.find(entry.load.getResult()); found != staged.end())
    for (Operation *user : found->second.buffer.getUsers())
      if (auto read = dyn_cast<ReadOp>(user))
        map.map(read.getResult(), element);
  builder.setInsertionPointToEnd(&body);
  YieldOp::create(builder, tile.getLoc(), cloneForElement(builder, tile, map));
  return copy;
}

/// Fills the buffers of `tiles`, those defined in `block`: all asynchronous copies together, then one wait and one barrier in
/// front of the first use; within a loop a second barrier keeps the next step from overwriting what is still being read.
void Stager::fill(Block *block, ArrayRef<Value> tiles) {
  SmallVector<std::pair<Value, Staged>> here;
  for (Value tile : tiles)
    here.push_back({tile, staged.lookup(tile)});
  llvm::sort(here, [](auto &a, auto &b) { return a.first.getDefiningOp()->isBeforeInBlock(b.first.getDefiningOp()); });

  // Readers of asynchronous tiles other than products read the buffer as well.
  Operation *firstCopy = nullptr;
  for (auto &[tile, entry] : here) {
    if (entry.filling != Filling::Async)
      continue;
    if (!firstCopy)
      firstCopy = tile.getDefiningOp();
    else if (!hoistOperands(entry.load, firstCopy)) {
      entry.filling = Filling::Copied; // its offsets come from what stands between
      continue;
    }
    for (OpOperand &use : llvm::make_early_inc_range(tile.getUses())) {
      OpBuilder builder(use.getOwner());
      use.set(ReadOp::create(builder, use.getOwner()->getLoc(), tile.getType(), entry.buffer));
    }
  }
  OpBuilder builder(kernel.getContext());
  for (auto &[tile, entry] : here)
    if (entry.filling == Filling::Async) {
      LoadOp load = entry.load;
      builder.setInsertionPoint(firstCopy);
      CopyAsyncOp::create(builder, load.getLoc(), load.getView(), load.getOffsets(), entry.buffer);
    }
  if (firstCopy)
    CommitCopiesOp::create(builder, firstCopy->getLoc());

  Operation *firstUse = nullptr, *firstAsyncUse = block->getTerminator();
  for (auto &[tile, entry] : here) {
    Operation *use = findFirstUse(block, entry.buffer);
    if (use && (!firstUse || use->isBeforeInBlock(firstUse)))
      firstUse = use;
    if (use && entry.filling == Filling::Async && use->isBeforeInBlock(firstAsyncUse))
      firstAsyncUse = use;
  }
  if (!firstUse)
    return;
  auto separate = [&](Operation *before) {
    builder.setInsertionPoint(before);
    BarrierOp::create(builder, before->getLoc());
  };

  // Tiles that pass through registers are computed early, so that one barrier does for all; one that depends on what is
  // read behind it gets a barrier of its own.
  for (auto &[tile, entry] : here) {
    if (entry.filling == Filling::Async)
      continue;
    Operation *filled = entry.filling == Filling::Copied ? copyElements(tile, entry, firstUse) : nullptr;
    if (!filled) {
      Operation *def = tile.getDefiningOp();
      hoist(def, firstUse);
      builder.setInsertionPointAfter(def);
      filled = WriteOp::create(builder, def->getLoc(), tile, entry.buffer);
    }
    if (!filled->isBeforeInBlock(firstUse))
      separate(filled->getNextNode());
  }
  if (firstCopy) {
    // One barrier does for all, unless products of other tiles stand before the copies.
    const bool isLate = firstUse->isBeforeInBlock(firstCopy);
    Operation *before = isLate ? firstAsyncUse : firstUse;
    builder.setInsertionPoint(before);
    WaitCopiesOp::create(builder, before->getLoc(), 0);
    if (isLate)
      separate(before);
  }
  separate(firstUse);
  Operation *parent = block->getParentOp();
  if (isa<LoopLikeOpInterface>(parent) || parent->getParentOfType<LoopLikeOpInterface>())
    separate(block->getTerminator());
  for (auto &[tile, entry] : here)
    if (entry.filling == Filling::Async)
      entry.load->erase();
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
  for (auto &[block, tiles] : tilesOf)
    fill(block, tiles);
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
