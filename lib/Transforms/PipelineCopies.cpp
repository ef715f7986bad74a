// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/Views.h"
#include "lib/Dialect/Tile/TileOps.h"
#include "lib/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace tilefold::tile {
#define GEN_PASS_DEF_PIPELINECOPIESPASS
#include "lib/Transforms/Passes.h.inc"
} // namespace tilefold::tile

using namespace mlir;
using namespace tilefold::tile;

namespace {

/// A loop body as operand staging leaves it: copies, commit, ..., wait, barrier, ..., barrier.
struct StagedLoop {
  scf::ForOp loop;
  SmallVector<CopyAsyncOp> copies;
  CommitCopiesOp commit;
  WaitCopiesOp wait;
  BarrierOp ready, done;
  llvm::SetVector<Operation *> slice; // what the copies' operands are computed from, in order

  static std::optional<StagedLoop> match(scf::ForOp loop);
};

} // namespace

/// Collects the pure operations of the body behind `value`; fails on anything that one step cannot know of a later one.
static LogicalResult collect(Value value, scf::ForOp loop, llvm::SetVector<Operation *> &slice) {
  if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
    return success();
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != loop.getBody() || !isPure(def) || def->getNumRegions())
    return failure();
  for (Value operand : def->getOperands())
    if (failed(collect(operand, loop, slice)))
      return failure();
  slice.insert(def);
  return success();
}

std::optional<StagedLoop> StagedLoop::match(scf::ForOp loop) {
  StagedLoop found{loop};
  bool isPlain = true;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto copy = dyn_cast<CopyAsyncOp>(op))
      found.copies.push_back(copy);
    else if (auto commit = dyn_cast<CommitCopiesOp>(op))
      isPlain &= !std::exchange(found.commit, commit);
    else if (auto wait = dyn_cast<WaitCopiesOp>(op))
      isPlain &= !std::exchange(found.wait, wait);
    else if (auto barrier = dyn_cast<BarrierOp>(op)) {
      if (!found.ready)
        found.ready = barrier;
      else
        isPlain &= !std::exchange(found.done, barrier);
    } else if (isa<WriteOp, CopyOp>(op))
      isPlain = false; // a buffer that is written without cp.async cannot run ahead
  }
  if (!isPlain || found.copies.empty() || !found.commit || !found.wait || !found.ready || !found.done)
    return std::nullopt;
  for (CopyAsyncOp copy : found.copies) {
    for (Value operand : copy->getOperands())
      if (failed(collect(operand, loop, found.slice)))
        return std::nullopt;
    // The ring replaces the buffer: nothing outside the loop may know it. A transposed view may have been hoisted.
    for (Operation *user : llvm::make_early_inc_range(copy.getBuffer().getUsers())) {
      if (loop->isAncestor(user))
        continue;
      auto isInside = [&](Operation *op) { return loop->isAncestor(op); };
      if (!isa<TransposeOp>(user) || !llvm::all_of(user->getUsers(), isInside))
        return std::nullopt;
      user->moveBefore(&loop.getBody()->front());
    }
  }
  return found;
}

/// A staged load just in front of the loop (the queries), or of loops around it that do nothing before it: its group is older
/// than the ring's, so the first wait inside the loop covers it and the copy overlaps the first ones of the ring. Readers
/// behind each of these loops, which may not have run, get a wait there.
static void absorbWait(scf::ForOp loop) {
  SmallVector<scf::ForOp> loops{loop};
  auto isFirst = [](Operation *op) {
    return llvm::all_of(llvm::make_range(op->getBlock()->begin(), op->getIterator()), [](Operation &o) { return isPure(&o); });
  };
  for (auto outer = dyn_cast<scf::ForOp>(loop->getParentOp()); outer && isFirst(loops.back());
       outer = dyn_cast<scf::ForOp>(outer->getParentOp()))
    loops.push_back(outer);
  auto barrier = dyn_cast_or_null<BarrierOp>(loops.back()->getPrevNode());
  auto wait = barrier ? dyn_cast_or_null<WaitCopiesOp>(barrier->getPrevNode()) : nullptr;
  if (!wait)
    return;
  for (scf::ForOp around : llvm::drop_begin(loops)) {
    OpBuilder after(around->getContext());
    after.setInsertionPointAfter(around);
    after.clone(*wait);
    after.clone(*barrier);
  }
  // Moved, not made anew: they may be those of an enclosing loop that is still to be pipelined.
  barrier->moveAfter(loop);
  wait->moveAfter(loop);
}

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
}

static void pipeline(StagedLoop staged, int64_t stages) {
  scf::ForOp loop = staged.loop;
  Location loc = loop.getLoc();
  absorbWait(loop);

  // Rings in place of buffers.
  llvm::MapVector<Value, Value> rings;
  for (CopyAsyncOp copy : staged.copies) {
    auto alloc = copy.getBuffer().getDefiningOp<AllocOp>();
    auto type = cast<BufferType>(alloc.getBuffer().getType());
    SmallVector<int64_t> shape{stages};
    llvm::append_range(shape, type.getShape());
    OpBuilder builder(alloc);
    auto ring = BufferType::get(type.getContext(), shape, type.getElementType(), type.getSwizzle(), type.getTransposed());
    rings[alloc.getBuffer()] = AllocOp::create(builder, alloc.getLoc(), ring);
  }
  auto slotOf = [&](OpBuilder &builder, Value buffer, Value index) -> Value {
    return SlotOp::create(builder, loc, buffer.getType(), rings[buffer], index);
  };

  // Starts the copies of the step at `position` into slot `index`, if the loop has that step.
  auto start = [&](OpBuilder &builder, Value position, Value index) {
    Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, position, loop.getUpperBound());
    auto branch = scf::IfOp::create(builder, loc, exists, /*withElseRegion=*/false);
    OpBuilder inside = branch.getThenBodyBuilder();
    IRMapping map;
    map.map(loop.getInductionVar(), position);
    for (Operation *op : staged.slice)
      inside.clone(*op, map);
    for (CopyAsyncOp copy : staged.copies) {
      map.map(copy.getBuffer(), slotOf(inside, copy.getBuffer(), index));
      inside.clone(*copy, map);
    }
    CommitCopiesOp::create(builder, loc);
  };

  OpBuilder before(loop);
  // An enclosing loop refills the ring while slower warps still read its last slot, or what else lies in its place.
  if (loop->getParentOfType<scf::ForOp>())
    BarrierOp::create(before, loc);
  Value position = loop.getLowerBound();
  for (int64_t stage = 0; stage + 1 < stages; ++stage) {
    start(before, position, constant(before, loc, stage));
    position = arith::AddIOp::create(before, loc, position, loop.getStep());
  }
  Value zero = constant(before, loc, 0);

  // The slot of a step is carried, not computed: no division.
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  auto nextSlot = [&](OpBuilder &builder, Value slot) -> Value {
    Value next = arith::AddIOp::create(builder, loc, slot, constant(builder, loc, 1));
    Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, next, constant(builder, loc, stages));
    return arith::SelectOp::create(builder, loc, wraps, constant(builder, loc, 0), next);
  };
  auto widened = loop.replaceWithAdditionalYields(rewriter, {zero}, /*replaceInitOperandUsesInLoop=*/false,
                                                  [&](OpBuilder &builder, Location, ArrayRef<BlockArgument> added) {
                                                    return SmallVector<Value>{nextSlot(builder, added.front())};
                                                  });
  loop = cast<scf::ForOp>(widened->getOperation());
  Value slot = loop.getRegionIterArgs().back();

  OpBuilder body = OpBuilder::atBlockBegin(loop.getBody());
  WaitCopiesOp::create(body, loc, stages - 2);
  BarrierOp::create(body, loc);
  Value ahead = arith::MulIOp::create(body, loc, loop.getStep(), constant(body, loc, stages - 1));
  Value target = arith::AddIOp::create(body, loc, loop.getInductionVar(), ahead);
  // The slot that the previous step has finished with.
  Value previous = arith::SubIOp::create(body, loc, slot, constant(body, loc, 1));
  Value wrapped = arith::CmpIOp::create(body, loc, arith::CmpIPredicate::slt, previous, constant(body, loc, 0));
  previous = arith::SelectOp::create(body, loc, wrapped, constant(body, loc, stages - 1), previous);
  start(body, target, previous);
  for (auto &[buffer, ring] : rings) {
    Value current = slotOf(body, buffer, slot);
    for (OpOperand &use : llvm::make_early_inc_range(buffer.getUses()))
      if (!isa<CopyAsyncOp>(use.getOwner()))
        use.set(current);
  }
  Operation *sequenced[] = {staged.commit, staged.wait, staged.ready, staged.done};
  for (Operation *op : sequenced)
    op->erase();
  for (CopyAsyncOp copy : staged.copies)
    copy->erase();
  for (auto &[buffer, ring] : rings)
    if (buffer.use_empty())
      buffer.getDefiningOp()->erase();
}

namespace {
struct PipelineCopiesPass : tilefold::tile::impl::PipelineCopiesPassBase<PipelineCopiesPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    int64_t stages = kernel.getSchedule() ? kernel.getSchedule()->getStages() : 1;
    if (stages < 2)
      return;
    SmallVector<StagedLoop> loops;
    kernel.walk([&](scf::ForOp loop) {
      if (isCold(loop))
        return;
      if (std::optional<StagedLoop> staged = StagedLoop::match(loop))
        loops.push_back(*staged);
    });
    for (StagedLoop &staged : loops)
      pipeline(staged, stages);
  }
};
} // namespace
