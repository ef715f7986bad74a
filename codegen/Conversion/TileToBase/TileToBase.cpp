// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/TileToBase/TileToBase.h"
#include "codegen/Conversion/TileToBase/KernelLowering.h"
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tilefold {
#define GEN_PASS_DEF_CONVERTTILETOBASEPASS
#include "codegen/Conversion/TileToBase/Passes.h.inc"
} // namespace tilefold

using namespace mlir;
using namespace tilefold;

/// What the passes before give: a schedule, and a layout for every tile.
static LogicalResult checkScheduled(tile::KernelOp kernel) {
  if (!kernel.getSchedule())
    return kernel.emitOpError("expected a schedule, which tile-choose-schedule gives it");
  auto lacksLayout = [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && !isa_and_nonnull<tile::LayoutAttr>(tile.getEncoding());
  };
  auto found = kernel.walk([&](Operation *op) -> WalkResult {
    if (llvm::none_of(op->getResultTypes(), lacksLayout) && llvm::none_of(op->getOperandTypes(), lacksLayout))
      return WalkResult::advance();
    return op->emitError("'") << op->getName() << "' expected tiles with layouts, which tile-assign-layouts gives them";
  });
  return failure(found.wasInterrupted());
}

namespace {
struct ConvertTileToBasePass : tilefold::impl::ConvertTileToBasePassBase<ConvertTileToBasePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = llvm::to_vector(module.getOps<tile::KernelOp>());
    if (kernels.empty())
      return;
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto gpuModule = gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
    for (tile::KernelOp kernel : kernels)
      if (failed(checkScheduled(kernel)) || failed(KernelLowering(kernel, gpuModule).run()))
        return signalPassFailure();
    // Divisions that round down or up exist on no machine.
    RewritePatternSet divisions(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(divisions);
    if (failed(applyPatternsGreedily(gpuModule, std::move(divisions))))
      return signalPassFailure();
    for (auto program : llvm::to_vector(module.getOps<tile::ProgramOp>()))
      program.erase();
    for (tile::KernelOp kernel : kernels)
      kernel.erase();
  }
};
} // namespace
