// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Pipeline/Compile.h"
#include "codegen/Artifact/Encode.h"
#include "codegen/Pipeline/Way.h"
#include "codegen/Target/Parallel.h"
#include "codegen/Target/Ptxas.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"
#include "runtime/artifact/ptx.h"
#include "support/chip.h"
#include <chrono>

using namespace mlir;
using namespace tilefold;

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

/// Refuses what the target's blocks cannot have, and warns of devices that code for the portable target has to run on but
/// cannot.
static LogicalResult checkSharedBytes(gpu::GPUFuncOp function, int64_t bytes, const CompileOptions &options, bool &warned) {
  const int64_t own = *support::shared_bytes_of(options.target.chip);
  const int64_t promised = *support::promised_shared_bytes(options.target.chip);
  if (bytes <= promised || (bytes <= own && warned))
    return success();
  if (bytes <= own) {
    warned = true;
    function.emitWarning("needs ") << bytes << " bytes of shared memory: does not run on " << support::targets_below(int(bytes))
                                   << ", which code for " << options.target.chip
                                   << " is for too; choose smaller tiles, or compile for those as well";
    return success();
  }
  InFlightDiagnostic error = function.emitError("needs ")
                             << bytes << " bytes of shared memory, a block on " << options.target.chip << " has at most " << own
                             << "; choose smaller tiles";
  if (options.schedule.stages > 1)
    error << " or fewer stages";
  if (const std::string larger = support::targets_with(int(std::min<int64_t>(bytes, INT32_MAX))); !larger.empty())
    error << ", or a target that has as much: " << larger;
  return error;
}

/// What a launch must know of the kernels that code generation made.
static LogicalResult readKernelCode(gpu::GPUModuleOp module, MutableArrayRef<Way> ways, const CompileOptions &options) {
  bool warned = false;
  for (Way &way : ways)
    for (auto &entry : way.code.kernels) {
      KernelCode &code = entry.second;
      auto function = module.lookupSymbol<gpu::GPUFuncOp>(code.entry);
      if (!function)
        return module.emitError("kernel '") << code.entry << "' is missing after lowering";
      DenseI32ArrayAttr block = function.getKnownBlockSizeAttr();
      FailureOr<int64_t> shared = sharedBytesOf(function);
      if (failed(shared))
        return failure();
      if (!block)
        return function.emitError("expected 'known_block_size' on a lowered kernel");
      code.block = int64_t(block[0]) * block[1] * block[2];
      code.sharedBytes = *shared;
      if (failed(checkSharedBytes(function, *shared, options, warned)))
        return failure();
    }
  return success();
}

static LogicalResult addCubins(ModuleOp module, StringRef ptx, const CompileOptions &options, std::vector<CubinBytes> &cubins) {
  if (options.cubinArchs.empty())
    return success();
  llvm::Expected<Ptxas> ptxas = findPtxas(options.ptxas);
  if (!ptxas)
    return module.emitError("a cubin: " + llvm::toString(ptxas.takeError()));
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

/// PTX without code, for an artifact that says how kernels are launched while the simulator has what they do. The version is one in
/// which a kernel has as many parameters as it ever can.
static std::string declareKernels(gpu::GPUModuleOp module, StringRef chip) {
  auto [major, minor] = runtime::ptx_of_many_parameters;
  std::string ptx = llvm::formatv(".version {0}.{1}\n.target {2}\n.address_size 64\n", major, minor, chip);
  for (auto kernel : module.getOps<gpu::GPUFuncOp>())
    if (kernel.isKernel())
      ptx += llvm::formatv(".visible .entry {0}() {{ ret; }\n", kernel.getName()).str();
  return ptx;
}

/// Calls into libraries that a driver does not have; a lowering forgot an operation if there are any.
static LogicalResult checkClosed(ModuleOp module, StringRef ptx) {
  for (StringRef bad : {StringRef(".extern .func"), StringRef("__nv_")})
    if (ptx.contains(bad))
      return module.emitError("the PTX holds '") << bad << "': an operation was lowered to a library call";
  return success();
}

/// All alternatives, or the one that a module of a later stage is.
static FailureOr<std::vector<Way>> lowerWays(ModuleOp module, tile::ProgramOp program, Stage start, const CompileOptions &options) {
  SmallVector<AlternativePlan> plans;
  if (start == Stage::Tile && program)
    plans = planAlternatives(program);
  else
    plans.push_back({"any", {}, {}, {}});
  if (!options.print.after.empty())
    module.getContext()->disableMultithreading(); // interleaved listings would help nobody
  loadDialects(*module.getContext());
  std::vector<Way> ways(plans.size());
  auto lower = [&](size_t i) -> LogicalResult {
    FailureOr<Way> way =
        start == Stage::Tile ? lowerWay(module, program, plans[i], options) : resumeWay(module, plans[i], start, options);
    if (succeeded(way))
      ways[i] = std::move(*way);
    return way;
  };
  if (failed(runTasks(*module.getContext(), plans.size(), lower)))
    return failure();
  return ways;
}

FailureOr<CompileResult> tilefold::compile(ModuleOp module, const CompileOptions &options) {
  CompileResult result;
  FailureOr<tile::ProgramOp> found = findProgram(module);
  if (failed(found))
    return failure();
  tile::ProgramOp program = *found;
  FailureOr<Stage> stage = getStage(module);
  if (failed(stage))
    return failure();
  const Stage start = *stage;
  if (options.stop < start)
    return module.emitError("the module is of stage '")
           << stageName(start) << "', expected '" << stageName(options.stop) << "' or one before it";
  if (options.stop == Stage::Tile) {
    result.text = print(module);
    return result;
  }
  if (!support::shared_bytes_of(options.target.chip))
    return module.emitError("target: expected one of ")
           << support::targets_with() << " (or, as sm_90a or sm_100f, of one architecture or family), got '" << options.target.chip
           << "'";
  if (start != Stage::Tile && options.stop == Stage::Artifact)
    return module.emitError("an artifact describes a program, which stage '")
           << stageName(start) << "' no longer has: expected a module of stage 'tile', or PTX as what to emit";
  if (!program && options.stop == Stage::Artifact)
    return module.emitError("expected a tile.program: an artifact describes one");
  if (start != Stage::Base && module.getOps<tile::KernelOp>().empty())
    return module.emitError("expected a tile.kernel to compile");
  if (options.stop == Stage::Artifact && program.getBody().getOps<tile::LaunchOp>().empty())
    return program.emitOpError("launches no kernel: an artifact of it would do nothing");

  double begin = now();
  FailureOr<std::vector<Way>> lowered = lowerWays(module, program, start, options);
  if (failed(lowered))
    return failure();
  std::vector<Way> &ways = *lowered;
  ModuleOp merged = mergeWays(ways);
  result.passes = now() - begin;
  setStage(merged, options.stop);
  if (options.stop < Stage::Base) {
    result.text = print(merged);
    return result;
  }

  auto gpuModules = merged.getOps<gpu::GPUModuleOp>();
  if (gpuModules.empty())
    return module.emitError("no gpu.module after lowering");
  gpu::GPUModuleOp gpuModule = *gpuModules.begin();
  if (failed(readKernelCode(gpuModule, ways, options)))
    return failure();
  for (Way &way : ways)
    result.alternatives.push_back(std::move(way.code));
  if (options.forSimulator)
    result.base = merged.clone();
  if (options.stop == Stage::Base) {
    result.text = print(merged);
    return result;
  }

  FailureOr<std::string> ptx =
      options.forSimulator ? declareKernels(gpuModule, options.target.chip) : translateToPtx(gpuModule, options.target, &result.times);
  if (failed(ptx) || failed(checkClosed(module, *ptx)))
    return failure();
  if (options.stop == Stage::Ptx) {
    result.text = std::move(*ptx);
    return result;
  }

  std::vector<CubinBytes> cubins;
  if (failed(addCubins(module, *ptx, options, cubins)))
    return failure();
  ManifestInfo info{options.target.chip, std::move(*ptx), options.options};
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
