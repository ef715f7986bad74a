// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Pipeline/Way.h"
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Threading.h"
#include "support/chip.h"

using namespace mlir;
using namespace tilefold;

FailureOr<int64_t> tilefold::sharedBytesOf(gpu::GPUFuncOp function) {
  auto shared = function->getAttrOfType<IntegerAttr>(ptx::kSharedBytesAttr);
  if (!shared)
    return function.emitError("expected '") << ptx::kSharedBytesAttr << "' on a lowered kernel";
  return shared.getInt();
}

static Way beginWay(ModuleOp module, tile::ProgramOp program, const AlternativePlan &plan) {
  Way way{plan, ModuleOp::create(module.getLoc()), {plan.name, plan.guards, {}}};
  OpBuilder builder = OpBuilder::atBlockEnd(way.module->getBody());
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    auto clone = cast<tile::KernelOp>(builder.clone(*kernel));
    std::string entry = kernel.getSymName().str();
    if (program) {
      entry += "_" + plan.name;
      markArguments(clone, kernel, program, plan);
    }
    clone.setSymName(entry);
    way.code.kernels[kernel.getSymName()].entry = entry;
  }
  return way;
}

/// The passes behind `from`, up to and with `to`.
static LogicalResult runStages(ModuleOp module, Stage from, Stage to, const AlternativePlan &plan,
                               const ScheduleOptions &schedule, const PrintOptions &print) {
  PassManager manager(module->getContext(), ModuleOp::getOperationName());
  printAfter(manager, print);
  for (Stage stage : {Stage::Layout, Stage::Schedule, Stage::Base})
    if (from < stage && stage <= to)
      addStage(manager, stage, plan, schedule);
  return manager.run(module);
}

/// What the kernels of a way that has come to `at` need in the end; nothing if the rest of the way fails, which is told when
/// somebody wants to go there.
static std::optional<int64_t> findNeed(const Way &way, Stage at) {
  OwningOpRef<ModuleOp> probe;
  ModuleOp module = *way.module;
  if (at < Stage::Base) {
    probe = cast<ModuleOp>(module->clone());
    module = *probe;
    ScopedDiagnosticHandler silence(module->getContext(), [self = llvm::get_threadid()](Diagnostic &) {
      return success(llvm::get_threadid() == self); // other ways may have something to say meanwhile
    });
    if (failed(runStages(module, at, Stage::Base, way.plan, {}, {})))
      return std::nullopt;
  }
  int64_t most = 0;
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    for (auto function : gpuModule.getOps<gpu::GPUFuncOp>())
      if (FailureOr<int64_t> bytes = sharedBytesOf(function); succeeded(bytes))
        most = std::max(most, *bytes);
  return most;
}

FailureOr<Way> tilefold::lowerWay(ModuleOp module, tile::ProgramOp program, const AlternativePlan &plan,
                                  const CompileOptions &options) {
  const Stage stop = std::min(options.stop, Stage::Base);
  auto lower = [&](const ScheduleOptions &schedule) -> FailureOr<Way> {
    Way way = beginWay(module, program, plan);
    if (failed(runStages(*way.module, Stage::Tile, stop, plan, schedule, options.print)))
      return failure();
    return way;
  };
  FailureOr<Way> usual = lower(options.schedule);
  auto hasSchedule = [](tile::KernelOp kernel) { return bool(kernel.getSchedule()); };
  if (failed(usual) || options.schedule.stages || llvm::any_of(module.getOps<tile::KernelOp>(), hasSchedule))
    return usual;

  const std::optional<int> own = support::shared_bytes_of(options.target.chip);
  const std::optional<int> promised = support::promised_shared_bytes(options.target.chip);
  const std::optional<int64_t> need = findNeed(*usual, stop);
  if (!own || !need || *need <= *promised)
    return usual;
  ScheduleOptions shallow = options.schedule;
  shallow.stages = 1;
  FailureOr<Way> other = lower(shallow);
  if (failed(other))
    return failure();
  // A copy that overlaps with nothing is worth it only if the kernel then runs where it otherwise would not.
  const std::optional<int64_t> less = findNeed(*other, stop);
  return less && (*less <= *promised || (*need > *own && *less < *need)) ? std::move(other) : std::move(usual);
}

FailureOr<Way> tilefold::resumeWay(ModuleOp module, const AlternativePlan &plan, Stage from, const CompileOptions &options) {
  Way way{plan, cast<ModuleOp>(module->clone()), {plan.name, plan.guards, {}}};
  for (auto kernel : way.module->getOps<tile::KernelOp>())
    way.code.kernels[kernel.getSymName()].entry = kernel.getSymName().str();
  for (auto gpuModule : way.module->getOps<gpu::GPUModuleOp>())
    for (auto function : gpuModule.getOps<gpu::GPUFuncOp>())
      way.code.kernels[function.getName()].entry = function.getName().str();
  if (failed(runStages(*way.module, from, std::min(options.stop, Stage::Base), way.plan, options.schedule, options.print)))
    return failure();
  return way;
}

ModuleOp tilefold::mergeWays(MutableArrayRef<Way> ways) {
  ModuleOp first = *ways[0].module;
  auto gpuModules = first.getOps<gpu::GPUModuleOp>();
  for (Way &way : ways.drop_front()) {
    for (Operation &op : llvm::make_early_inc_range(*way.module->getBody())) {
      auto gpuModule = dyn_cast<gpu::GPUModuleOp>(op);
      if (!gpuModule) {
        op.moveBefore(first.getBody(), first.getBody()->end());
        continue;
      }
      Block *into = (*gpuModules.begin()).getBody();
      for (Operation &inner : llvm::make_early_inc_range(*gpuModule.getBody()))
        inner.moveBefore(into, into->end());
    }
  }
  return first;
}
