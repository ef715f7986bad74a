// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/TileToBase/SharedPlan.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilefold;
using namespace tilefold::tile;

/// Every buffer starts at a multiple of 128 bytes: all banks once around, so that a swizzle is free of conflicts.
static constexpr int64_t kBufferAlignment = 128;

namespace {
struct Lifetime {
  AllocOp alloc;
  int64_t first, last, bytes, offset;
};
} // namespace

/// Extends the lifetime by every use of a buffer or of a view of it, in terms of the operations of the kernel's block.
static void extend(Lifetime &lifetime, Value buffer, Block &body, const DenseMap<Operation *, int64_t> &index) {
  for (Operation *user : buffer.getUsers()) {
    if (isa<SlotOp, TransposeOp>(user))
      extend(lifetime, user->getResult(0), body, index);
    int64_t at = index.lookup(body.findAncestorOpInBlock(*user));
    if (isa<SlotOp, TransposeOp>(user) && user->getBlock() == &body)
      continue; // taking a view touches nothing
    lifetime.first = std::min(lifetime.first, at);
    lifetime.last = std::max(lifetime.last, at);
  }
}

SharedPlan::SharedPlan(KernelOp kernel, int64_t reserved) : bytes(llvm::alignTo(reserved, kBufferAlignment)) {
  Block &body = kernel.getBody().front();
  DenseMap<Operation *, int64_t> index;
  SmallVector<int64_t> barriers;
  for (Operation &op : body) {
    int64_t at = index.size();
    index[&op] = at;
    if (isa<BarrierOp, AnyOp>(op))
      barriers.push_back(at);
  }
  auto isSeparated = [&](const Lifetime &earlier, const Lifetime &later) {
    return llvm::any_of(barriers, [&](int64_t at) { return earlier.last < at && at < later.first; });
  };

  int64_t start = bytes;
  SmallVector<Lifetime> placed;
  kernel.walk([&](AllocOp alloc) {
    Lifetime fresh{alloc, int64_t(index.size()), 0, 0, start};
    fresh.bytes = llvm::alignTo(cast<BufferType>(alloc.getBuffer().getType()).getBytes(), kBufferAlignment);
    extend(fresh, alloc.getBuffer(), body, index);
    // First fit among the neighbours in time.
    for (bool moved = true; moved;) {
      moved = false;
      for (const Lifetime &other : placed) {
        bool inSpace = fresh.offset < other.offset + other.bytes && other.offset < fresh.offset + fresh.bytes;
        if (inSpace && !isSeparated(fresh, other) && !isSeparated(other, fresh)) {
          fresh.offset = other.offset + other.bytes;
          moved = true;
        }
      }
    }
    placed.push_back(fresh);
    offsets[alloc] = fresh.offset;
    bytes = std::max(bytes, fresh.offset + fresh.bytes);
  });
}
