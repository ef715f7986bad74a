// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/Views.h"
#include "lib/Analysis/Divisibility.h"
#include "lib/Dialect/Tile/ViewRoot.h"

using namespace mlir;
using namespace tilefold::tile;

BlockArgument tilefold::tile::getViewRoot(Value view) {
  BlockArgument root = findViewRoot(view);
  assert(root && "the verifier of kernels allows nothing else");
  return root;
}

bool tilefold::tile::isAlignedView(Value view) {
  BlockArgument root = getViewRoot(view);
  auto kernel = cast<KernelOp>(root.getOwner()->getParentOp());
  if (!kernel.getArgAttr(root.getArgNumber(), kAlignedAttr))
    return false;
  // Dropping or shifting the last dimension gives up what is known of it.
  for (Operation *def = view.getDefiningOp(); def; def = def->getOperand(0).getDefiningOp()) {
    int64_t last = cast<ViewType>(def->getOperand(0).getType()).getRank() - 1;
    if (auto slice = dyn_cast<SliceOp>(def); slice && llvm::is_contained(slice.getDims(), last))
      return false;
    if (auto narrow = dyn_cast<NarrowOp>(def); narrow && int64_t(narrow.getDim()) == last)
      return false;
  }
  return true;
}

bool tilefold::tile::startsAtChunk(Value view, ValueRange offsets) {
  const int64_t bits = cast<ViewType>(view.getType()).getElementType().getIntOrFloatBitWidth();
  return isAlignedView(view) && !offsets.empty() && getKnownDivisor(offsets.back()) * bits % 128 == 0;
}

bool tilefold::tile::isCold(Operation *op) {
  for (; op; op = op->getParentOp())
    if (op->hasAttr(kColdAttr))
      return true;
  return false;
}

StoredViews::StoredViews(KernelOp kernel) {
  kernel.walk([&](StoreOp store) { roots.insert(getViewRoot(store.getView())); });
}
