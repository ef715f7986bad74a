// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/Layout.h"
#include "lib/Analysis/Views.h"
#include "lib/Dialect/Tile/TileOps.h"
#include "lib/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

namespace tilefold::tile {
#define GEN_PASS_DEF_CHOOSESCHEDULEPASS
#include "lib/Transforms/Passes.h.inc"
} // namespace tilefold::tile

using namespace mlir;
using namespace tilefold::tile;

/// Registers that accumulators may take of the 255 that a thread has: the rest holds fragments, addresses and weights.
static constexpr int64_t kAccumulatorRegisters = 192;

/// Four warps fill a multiprocessor's four schedulers. More only where the accumulators need them: fewer warps own more
/// rows each, and every row that a warp owns reuses the fragments of the right operand that it has read from shared memory.
static constexpr int64_t kUsualWarps = 4, kMostWarps = 8;

/// Whether so many warps share a product evenly, in blocks of 16 x 16.
static bool dividesEvenly(DotOp dot, int64_t warps) {
  auto acc = dot.getAcc().getType();
  WarpGrid grid = WarpGrid::forProduct(acc.getDimSize(0), warps);
  return acc.getDimSize(0) / 16 % grid.rows == 0 && acc.getDimSize(1) / 16 % grid.columns == 0;
}

static int64_t chooseWarps(KernelOp kernel) {
  int64_t elements = 0;
  SmallVector<DotOp> dots;
  kernel.walk([&](DotOp dot) {
    dots.push_back(dot);
    if (!isCold(dot))
      elements += dot.getAcc().getType().getNumElements();
  });
  // An accumulator that lives in memory is held twice more: as it was loaded and, in case the product is not finite and has
  // to be done again, as it was scaled.
  kernel.walk([&](LoadOp load) {
    auto type = load.getResult().getType();
    if (!dots.empty() && type.getRank() == 2 && type.getElementType().isF32())
      elements += 2 * type.getNumElements();
  });
  int64_t warps = kUsualWarps;
  while (warps < kMostWarps && elements > warps * 32 * kAccumulatorRegisters)
    warps *= 2;
  while (!llvm::all_of(dots, [&](DotOp dot) { return dividesEvenly(dot, warps); }))
    warps /= 2; // one always does
  return warps;
}

namespace {
struct ChooseSchedulePass : tilefold::tile::impl::ChooseSchedulePassBase<ChooseSchedulePass> {
  using ChooseSchedulePassBase::ChooseSchedulePassBase;
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    const bool isThere = kernel.getSchedule() && !warps && !stages;
    int64_t chosenWarps = isThere ? kernel.getSchedule()->getWarps() : warps ? int64_t(warps) : chooseWarps(kernel);
    // What somebody has asked for.
    WalkResult checked = kernel.walk([&](DotOp dot) {
      auto acc = dot.getAcc().getType();
      if (acc.getDimSize(0) % 16 || acc.getDimSize(1) % 16 || dividesEvenly(dot, chosenWarps))
        return WalkResult::advance(); // extents are staging's to refuse
      dot.emitOpError("of ") << acc.getDimSize(0) << " x " << acc.getDimSize(1) << " cannot be shared evenly by " << chosenWarps
                             << " warps in blocks of 16 x 16; " << chooseWarps(kernel) << " can";
      return WalkResult::interrupt();
    });
    if (checked.wasInterrupted())
      return signalPassFailure();
    if (isThere)
      return;
    int64_t chosenStages = stages ? int64_t(stages) : 2;
    auto refuse = [&] { return kernel.emitError(); };
    auto schedule = ScheduleAttr::getChecked(refuse, &getContext(), chosenWarps, chosenStages);
    if (!schedule)
      return signalPassFailure();
    kernel.setScheduleAttr(schedule);
  }
};
} // namespace
