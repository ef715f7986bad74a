// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/TileToBase/SharedPlan.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilefold;
using namespace tilefold::tile;

/// Every buffer starts at a multiple of 128 bytes: all banks once around, so that a swizzle is free of conflicts.
static constexpr int64_t kBufferAlignment = 128;

namespace {
struct Buffer {
  AllocOp alloc;
  int64_t bytes, offset;
  SmallVector<Operation *> uses; // of the buffer and of views of it
};
} // namespace

static void collectUses(Value buffer, SmallVectorImpl<Operation *> &uses) {
  for (Operation *user : buffer.getUsers()) {
    if (isa<SlotOp, TransposeOp>(user))
      collectUses(user->getResult(0), uses); // taking a view touches nothing
    else
      uses.push_back(user);
  }
}

/// The innermost block around all uses of both.
static Block *findCommonBlock(const Buffer &a, const Buffer &b) {
  auto contains = [](Block *block, const Buffer &buffer) {
    return llvm::all_of(buffer.uses, [&](Operation *use) { return block->findAncestorOpInBlock(*use); });
  };
  Block *block = a.uses.front()->getBlock();
  while (!contains(block, a) || !contains(block, b))
    block = block->getParentOp()->getBlock();
  return block;
}

/// Whether every thread meets a barrier between `use` and where it leaves (or, backwards, enters) the operation of `block` that
/// `use` is in.
static bool isClosed(Operation *use, Block *block, bool forward) {
  for (Operation *op = use; op->getBlock() != block; op = op->getBlock()->getParentOp())
    for (Operation *other = op; (other = forward ? other->getNextNode() : other->getPrevNode());)
      if (isa<BarrierOp, AnyOp>(other))
        return true;
  return false;
}

/// Whether a barrier lies between the last use of `earlier` and the first of `later`, and, where a loop runs through them again,
/// between the last use of `later` and the first of `earlier`.
static bool isSeparated(const Buffer &earlier, const Buffer &later) {
  Block *block = findCommonBlock(earlier, later);
  auto here = [&](Operation *use) { return block->findAncestorOpInBlock(*use); };
  auto before = [&](Operation *a, Operation *b) { return here(a)->isBeforeInBlock(here(b)); };
  Operation *firstEarlier = here(*llvm::min_element(earlier.uses, before)), *lastEarlier = here(*llvm::max_element(earlier.uses, before));
  Operation *firstLater = here(*llvm::min_element(later.uses, before)), *lastLater = here(*llvm::max_element(later.uses, before));
  if (!lastEarlier->isBeforeInBlock(firstLater))
    return false;
  bool isBetween = false, isAround = !isa<LoopLikeOpInterface>(block->getParentOp()) &&
                                     !block->getParentOp()->getParentOfType<LoopLikeOpInterface>();
  for (Operation &op : *block) {
    if (!isa<BarrierOp, AnyOp>(op))
      continue;
    isBetween |= lastEarlier->isBeforeInBlock(&op) && op.isBeforeInBlock(firstLater);
    isAround |= op.isBeforeInBlock(firstEarlier) || lastLater->isBeforeInBlock(&op);
  }
  auto areClosed = [&](const Buffer &buffer, bool forward) {
    return llvm::all_of(buffer.uses, [&](Operation *use) { return isClosed(use, block, forward); });
  };
  isBetween = isBetween || areClosed(earlier, /*forward=*/true) || areClosed(later, /*forward=*/false);
  isAround = isAround || areClosed(later, /*forward=*/true) || areClosed(earlier, /*forward=*/false);
  return isBetween && isAround;
}

SharedPlan::SharedPlan(KernelOp kernel, int64_t reserved) : bytes(llvm::alignTo(reserved, kBufferAlignment)) {
  int64_t start = bytes;
  SmallVector<Buffer> placed;
  kernel.walk([&](AllocOp alloc) {
    Buffer fresh{alloc, 0, start, {}};
    fresh.bytes = llvm::alignTo(cast<BufferType>(alloc.getBuffer().getType()).getBytes(), kBufferAlignment);
    collectUses(alloc.getBuffer(), fresh.uses);
    // First fit among the neighbours in time.
    for (bool moved = true; moved;) {
      moved = false;
      for (const Buffer &other : placed) {
        bool inSpace = fresh.offset < other.offset + other.bytes && other.offset < fresh.offset + fresh.bytes;
        bool inTime = !fresh.uses.empty() && !other.uses.empty() && !isSeparated(fresh, other) && !isSeparated(other, fresh);
        if (inSpace && inTime) {
          fresh.offset = other.offset + other.bytes;
          moved = true;
        }
      }
    }
    offsets[alloc] = fresh.offset;
    bytes = std::max(bytes, fresh.offset + fresh.bytes);
    placed.push_back(std::move(fresh));
  });
}
