// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/Monotone.h"
#include "lib/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilefold::tile;

namespace tilefold::tile {
#define GEN_PASS_DEF_LONGESTFIRSTPASS
#include "lib/Transforms/Passes.h.inc"
} // namespace tilefold::tile

namespace {

/// How the number of a loop's iterations follows a position in the grid.
Trend tripTrend(scf::ForOp loop, Value position) {
  return joined(getTrend(loop.getUpperBound(), position), reversed(getTrend(loop.getLowerBound(), position)));
}

struct LongestFirst : tilefold::tile::impl::LongestFirstPassBase<LongestFirst> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop->getParentOfType<scf::IfOp>())
        loops.push_back(loop);
    });
    getOperation().walk([&](ProgramIdOp position) {
      Trend trend = Trend::Constant;
      for (scf::ForOp loop : loops)
        trend = joined(trend, tripTrend(loop, position));
      if (trend == Trend::Rising)
        position.setDescending(true);
    });
  }
};

} // namespace
