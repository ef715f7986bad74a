// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Pipeline/Stages.h"
#include "codegen/Conversion/BaseToLLVM/Passes.h"
#include "codegen/Conversion/TileToBase/TileToBase.h"
#include "codegen/Target/Parallel.h"
#include "lib/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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

/// On a module between `Tile` and `Base`; below, a gpu.module speaks for itself.
static constexpr StringLiteral kStageAttr = "tilefold.stage";

void tilefold::setStage(ModuleOp module, Stage stage) {
  if (stage < Stage::Base)
    module->setAttr(kStageAttr, StringAttr::get(module.getContext(), stageName(stage)));
  else
    module->removeAttr(kStageAttr);
}

FailureOr<Stage> tilefold::getStage(ModuleOp module) {
  if (!module.getOps<gpu::GPUModuleOp>().empty())
    return Stage::Base;
  if (Attribute note = module->getAttr(kStageAttr)) {
    auto text = dyn_cast<StringAttr>(note);
    std::optional<Stage> stage = text ? parseStage(text) : std::nullopt;
    if (stage && *stage < Stage::Base)
      return *stage;
    return module.emitError("expected '") << kStageAttr << "' to be \"tile\", \"layout\" or \"schedule\", got " << note;
  }
  auto found = module.walk([&](Operation *op) {
    auto isLater = [](Type type) {
      auto tile = dyn_cast<RankedTensorType>(type);
      return isa<tile::BufferType>(type) || (tile && tile.getEncoding());
    };
    if (llvm::none_of(op->getResultTypes(), isLater))
      return WalkResult::advance();
    op->emitError("is of a stage behind 'tile', but the module does not say of which: expected '")
        << kStageAttr << "' on it, as --emit=layout and --emit=schedule print it";
    return WalkResult::interrupt();
  });
  if (found.wasInterrupted())
    return failure();
  return Stage::Tile;
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
  kernels.addPass(tile::createLongestFirstPass());
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
    manager.nest<gpu::GPUModuleOp>().addNestedPass<gpu::GPUFuncOp>(createParkCarried());
    break;
  case Stage::Tile:
  case Stage::Ptx:
  case Stage::Artifact:
    break; // no passes: the traced module, and what Target and Artifact do
  }
}

void tilefold::loadDialects(MLIRContext &context) {
  PassManager manager(&context, ModuleOp::getOperationName());
  for (Stage stage : {Stage::Layout, Stage::Schedule, Stage::Base})
    addStage(manager, stage, {}, {});
  loadDialectsOf(manager, context);
}

std::vector<std::string> tilefold::passNames(Stage from, Stage to) {
  OpPassManager manager(ModuleOp::getOperationName());
  for (Stage stage : {Stage::Layout, Stage::Schedule, Stage::Base})
    if (from < stage && stage <= to)
      addStage(manager, stage, {}, {});
  std::string pipeline;
  llvm::raw_string_ostream stream(pipeline);
  manager.printAsTextualPipeline(stream);
  // "builtin.module(tile.kernel(cse,canonicalize{option=value ...}),...)": names are what is followed by no parenthesis.
  std::vector<std::string> names;
  std::string word;
  int braces = 0;
  for (char c : pipeline) {
    if (c == '{' || c == '}')
      braces += c == '{' ? 1 : -1;
    else if (braces == 0 && c != '(' && c != ')' && c != ',')
      word += c;
    else if (braces == 0) {
      if (c != '(' && !word.empty() && !llvm::is_contained(names, word))
        names.push_back(word);
      word.clear();
    }
  }
  return names;
}

void tilefold::printAfter(PassManager &manager, const PrintOptions &options) {
  if (options.after.empty())
    return;
  auto chosen = [names = options.after](Pass *pass, Operation *) {
    return llvm::is_contained(names, "all") || llvm::is_contained(names, pass->getArgument());
  };
  manager.enableIRPrinting(/*shouldPrintBeforePass=*/nullptr, chosen, /*printModuleScope=*/false,
                           /*printAfterOnlyOnChange=*/false);
}
