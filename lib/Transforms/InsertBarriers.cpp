// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/StoreWindows.h"
#include "lib/Analysis/Views.h"
#include "lib/Dialect/Tile/TileOps.h"
#include "lib/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilefold::tile {
#define GEN_PASS_DEF_INSERTBARRIERSPASS
#include "lib/Transforms/Passes.h.inc"
} // namespace tilefold::tile

using namespace mlir;
using namespace tilefold::tile;

namespace {

/// The view that an operation loads from; null if it loads from none.
Value getLoadedView(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<LoadOp, CopyOp, CopyAsyncOp>([](auto load) { return load.getView(); })
      .Default([](Operation *) { return Value(); });
}

/// Walks a kernel in program order and remembers which arguments were touched since the last barrier.
class Inserter {
public:
  explicit Inserter(KernelOp kernel) : stores(kernel) {
    llvm::DenseSet<Value> storedOnce;
    kernel.walk([&](Operation *op) {
      if (Value view = getLoadedView(op); view && stores.contains(view))
        exchanged.insert(getViewRoot(view));
      if (auto store = dyn_cast<StoreOp>(op)) {
        Value root = getViewRoot(store.getView());
        if (!storedOnce.insert(root).second || mayOverlapEarlierStep(store))
          exchanged.insert(root);
      }
    });
  }
  void visit(Block &block);

private:
  void separate(Operation *op, bool conflict);
  void touchEverything();

  StoredViews stores;
  llvm::DenseSet<Value> exchanged;      // stored and loaded, or stored twice: the order of threads matters
  llvm::DenseSet<Value> loaded, stored; // since the last barrier
};

} // namespace

void Inserter::separate(Operation *op, bool conflict) {
  if (!conflict)
    return;
  OpBuilder builder(op);
  BarrierOp::create(builder, op->getLoc());
  loaded.clear();
  stored.clear();
}

void Inserter::touchEverything() {
  loaded.insert(exchanged.begin(), exchanged.end());
  stored.insert(exchanged.begin(), exchanged.end());
}

void Inserter::visit(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<BarrierOp>(op)) {
      loaded.clear();
      stored.clear();
    } else if (Value view = getLoadedView(&op)) {
      Value root = getViewRoot(view);
      if (exchanged.contains(root)) {
        separate(&op, stored.contains(root));
        loaded.insert(root);
      }
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      Value root = getViewRoot(store.getView());
      if (exchanged.contains(root)) {
        separate(&op, loaded.contains(root) || stored.contains(root));
        stored.insert(root);
      }
    } else {
      // A step of a loop follows another step, and what follows a region follows anything in it: assume the worst.
      const auto loadedBefore = loaded, storedBefore = stored;
      for (Region &region : op.getRegions()) {
        loaded = loadedBefore; // the arms of a branch do not follow each other
        stored = storedBefore;
        for (Block &inner : region) {
          if (isa<scf::ForOp>(op))
            touchEverything();
          visit(inner);
        }
      }
      if (op.getNumRegions())
        touchEverything();
    }
  }
}

namespace {
struct InsertBarriersPass : tilefold::tile::impl::InsertBarriersPassBase<InsertBarriersPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    Inserter(kernel).visit(kernel.getBody().front());
  }
};
} // namespace
