// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Pipeline/Compile.h"
#include "codegen/Artifact/Encode.h"
#include "codegen/Target/Ptxas.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <chrono>

using namespace mlir;
using namespace tilefold;

static constexpr StringLiteral kSharedBytesAttr = "tilefold.shared_bytes";

/// On the largest targets (compute capability 9.0); smaller devices say at load time what they have.
static constexpr int64_t kMostSharedBytes = 232448;

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

/// The one program of a module; null and no error if there is none.
static FailureOr<tile::ProgramOp> findProgram(ModuleOp module) {
  auto programs = llvm::to_vector(module.getOps<tile::ProgramOp>());
  if (programs.size() > 1)
    return programs[1].emitError("expected one program in a module, found another, '")
           << programs[1].getSymName() << "', beside '" << programs[0].getSymName() << "'";
  return programs.empty() ? tile::ProgramOp() : programs[0];
}

namespace {
/// The kernels of one alternative on their way down.
struct Way {
  AlternativePlan plan;
  OwningOpRef<ModuleOp> module;
  AlternativeCode code;
};
} // namespace

static Way beginWay(ModuleOp module, tile::ProgramOp program, AlternativePlan plan) {
  Way way;
  way.module = ModuleOp::create(module.getLoc());
  way.code.name = plan.name;
  way.code.guards = plan.guards;
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
  way.plan = std::move(plan);
  return way;
}

/// Passes of one alternative up to `stop`.
static LogicalResult runPasses(Way &way, const CompileOptions &options) {
  PassManager manager(way.module->getContext(), ModuleOp::getOperationName());
  printAfter(manager, options.print);
  for (Stage stage : {Stage::Layout, Stage::Schedule, Stage::Base})
    if (stage <= options.stop)
      addStage(manager, stage, way.plan, options.schedule);
  return manager.run(*way.module);
}

/// Moves what the later modules hold into the first: one module, and so one PTX module, has the kernels of all alternatives.
static ModuleOp merge(MutableArrayRef<Way> ways) {
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

/// What a launch must know of the kernels that code generation made.
static LogicalResult readKernelCode(gpu::GPUModuleOp module, MutableArrayRef<Way> ways) {
  for (Way &way : ways)
    for (auto &entry : way.code.kernels) {
      KernelCode &code = entry.second;
      auto function = module.lookupSymbol<gpu::GPUFuncOp>(code.entry);
      if (!function)
        return module.emitError("kernel '") << code.entry << "' is missing after lowering";
      DenseI32ArrayAttr block = function.getKnownBlockSizeAttr();
      auto shared = function->getAttrOfType<IntegerAttr>(kSharedBytesAttr);
      if (!block || !shared)
        return function.emitError("expected 'known_block_size' and '") << kSharedBytesAttr << "' on a lowered kernel";
      code.block = int64_t(block[0]) * block[1] * block[2];
      code.sharedBytes = shared.getInt();
      if (code.sharedBytes > kMostSharedBytes)
        return function.emitError("needs ") << code.sharedBytes << " bytes of shared memory, a block has at most "
                                            << kMostSharedBytes << "; choose smaller tiles or fewer stages";
    }
  return success();
}

static LogicalResult addCubins(ModuleOp module, StringRef ptx, const CompileOptions &options, std::vector<CubinBytes> &cubins) {
  if (options.cubinArchs.empty())
    return success();
  std::optional<Ptxas> ptxas = findPtxas(options.ptxas);
  if (!ptxas)
    return module.emitError("cubins need ptxas, which was not found (option, TILEFOLD_PTXAS, PATH, /usr/local/cuda/bin)");
  for (const std::string &arch : options.cubinArchs) {
    llvm::Expected<Assembly> assembly = assemble(*ptxas, ptx, arch);
    if (!assembly)
      return module.emitError(llvm::toString(assembly.takeError()));
    for (const std::string &loss : assembly->losses)
      module.emitWarning(loss);
    cubins.push_back({arch, std::move(assembly->cubin)});
  }
  return success();
}

/// Calls into libraries that a driver does not have; a lowering forgot an operation if there are any.
static LogicalResult checkClosed(ModuleOp module, StringRef ptx) {
  for (StringRef bad : {StringRef(".extern .func"), StringRef("__nv_")})
    if (ptx.contains(bad))
      return module.emitError("the PTX holds '") << bad << "': an operation was lowered to a library call";
  return success();
}

FailureOr<CompileResult> tilefold::compile(ModuleOp module, const CompileOptions &options) {
  CompileResult result;
  FailureOr<tile::ProgramOp> found = findProgram(module);
  if (failed(found))
    return failure();
  tile::ProgramOp program = *found;
  if (options.stop == Stage::Tile) {
    result.text = print(module);
    return result;
  }
  if (!program && options.stop == Stage::Artifact)
    return module.emitError("expected a tile.program: an artifact describes one");
  if (module.getOps<tile::KernelOp>().empty())
    return module.emitError("expected a tile.kernel to compile");

  double start = now();
  SmallVector<Way> ways;
  if (program)
    for (AlternativePlan &plan : planAlternatives(program))
      ways.push_back(beginWay(module, program, std::move(plan)));
  else
    ways.push_back(beginWay(module, program, {"any", {}, {}, {}}));
  for (Way &way : ways)
    if (failed(runPasses(way, options)))
      return failure();
  ModuleOp merged = merge(ways);
  result.passes = now() - start;
  if (options.stop < Stage::Base) {
    result.text = print(merged);
    return result;
  }

  auto gpuModules = merged.getOps<gpu::GPUModuleOp>();
  if (gpuModules.empty())
    return module.emitError("no gpu.module after lowering");
  gpu::GPUModuleOp gpuModule = *gpuModules.begin();
  if (failed(readKernelCode(gpuModule, ways)))
    return failure();
  for (Way &way : ways)
    result.alternatives.push_back(std::move(way.code));
  if (options.stop == Stage::Base) {
    result.text = print(merged);
    return result;
  }

  FailureOr<std::string> ptx = translateToPtx(gpuModule, options.target, &result.times);
  if (failed(ptx) || failed(checkClosed(module, *ptx)))
    return failure();
  if (options.stop == Stage::Ptx) {
    result.text = std::move(*ptx);
    return result;
  }

  std::vector<CubinBytes> cubins;
  if (failed(addCubins(module, *ptx, options, cubins)))
    return failure();
  ManifestInfo info{options.target.chip, std::move(*ptx), options.options, options.numerics};
  FailureOr<llvm::json::Object> manifest = buildManifest(program, result.alternatives, info);
  if (failed(manifest))
    return failure();
  llvm::raw_string_ostream(result.text) << llvm::json::Value(std::move(*manifest));
  std::string error;
  result.artifact = encodeArtifact(result.text, cubins, error);
  if (result.artifact.empty())
    return module.emitError("the artifact is not readable: ") << error;
  return result;
}

void tilefold::registerCompilerDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect, tile::TileDialect>();
  registerPtxTranslation(registry);
}
