// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Pipeline/Stages.h"
#include "codegen/Conversion/TileToBase/TileToBase.h"
#include "lib/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tilefold;

std::optional<Stage> tilefold::parseStage(StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("tile", Stage::Tile)
      .Case("layout", Stage::Layout)
      .Case("schedule", Stage::Schedule)
      .Case("base", Stage::Base)
      .Case("ptx", Stage::Ptx)
      .Case("artifact", Stage::Artifact)
      .Default(std::nullopt);
}

StringRef tilefold::stageName(Stage stage) {
  static constexpr StringLiteral names[] = {"tile", "layout", "schedule", "base", "ptx", "artifact"};
  return names[int(stage)];
}

static void addTilePasses(OpPassManager &kernels, const AlternativePlan &plan) {
  kernels.addPass(createCanonicalizerPass());
  tile::ExpToExp2PassOptions exponent;
  exponent.foldScale = !plan.positiveScalars.empty();
  exponent.positive = llvm::join(plan.positiveScalars.keys(), ",");
  kernels.addPass(tile::createExpToExp2Pass(exponent));
  kernels.addPass(tile::createHoistReciprocalsPass());
  // After what changes the arithmetic: both copies of a loop have to compute the same bits for a row that is finite.
  kernels.addPass(tile::createExpandWeighPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createLoopInvariantCodeMotionPass());
  kernels.addPass(tile::createContractProductsPass());
  kernels.addPass(tile::createGuardMasksPass());
  kernels.addPass(createCSEPass());
}

void tilefold::addStage(OpPassManager &manager, Stage stage, const AlternativePlan &plan, const ScheduleOptions &schedule) {
  OpPassManager &kernels = manager.nest<tile::KernelOp>();
  switch (stage) {
  case Stage::Layout: {
    addTilePasses(kernels, plan);
    tile::ChooseSchedulePassOptions choice;
    choice.warps = schedule.warps;
    choice.stages = schedule.stages;
    kernels.addPass(tile::createChooseSchedulePass(choice));
    // Staging comes before layouts: a product reads its operands' fragments from the buffers, so that their tiles never
    // live in registers and need no layout.
    kernels.addPass(tile::createStageOperandsPass());
    kernels.addPass(tile::createAssignLayoutsPass());
    break;
  }
  case Stage::Schedule:
    kernels.addPass(tile::createPipelineCopiesPass());
    kernels.addPass(tile::createInsertBarriersPass());
    kernels.addPass(createCSEPass());
    break;
  case Stage::Base:
    manager.addPass(createConvertTileToBasePass());
    break;
  case Stage::Tile:
  case Stage::Ptx:
  case Stage::Artifact:
    break; // no passes: the traced module, and what Target and Artifact do
  }
}

void tilefold::printAfter(PassManager &manager, const PrintOptions &options) {
  if (options.after.empty())
    return;
  auto chosen = [names = options.after](Pass *pass, Operation *) {
    return llvm::is_contained(names, "all") || llvm::is_contained(names, pass->getArgument());
  };
  // The manager keeps the threads of its context; interleaved listings would help nobody.
  manager.getContext()->disableMultithreading();
  manager.enableIRPrinting(/*shouldPrintBeforePass=*/nullptr, chosen, /*printModuleScope=*/false,
                           /*printAfterOnlyOnChange=*/false);
}
