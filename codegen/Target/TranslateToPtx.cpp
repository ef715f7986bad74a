// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Target/TranslateToPtx.h"
#include "codegen/Conversion/BaseToLLVM/Passes.h"
#include "codegen/Target/JoinPtx.h"
#include "codegen/Target/NvptxMachine.h"
#include "codegen/Target/OptimizeLLVM.h"
#include "codegen/Target/Parallel.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Support/FormatVariadic.h"
#include "runtime/artifact/ptx.h"
#include <chrono>

using namespace mlir;
using namespace tilefold;

namespace {

/// LLVM's diagnostics become MLIR's, on the kernel's line where LLVM knows it.
struct DiagnosticBridge : llvm::DiagnosticHandler {
  explicit DiagnosticBridge(Location loc) : loc(loc) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Remark || info.getSeverity() == llvm::DS_Note)
      return true;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    if (info.getSeverity() == llvm::DS_Error) {
      failed = true;
      emitError(loc) << text;
    } else {
      emitWarning(loc) << text;
    }
    return true;
  }

  Location loc;
  bool failed = false;
};

/// Passes of the back end that search for common terms among all pairs of instructions: half of its time on loops of
/// thousands of instructions. ptxas makes the same machine code without them, give or take a percent of its size.
struct SlowPassGate : llvm::OptPassGate {
  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override {
    return pass != "slsr" && pass != "nary-reassociate";
  }
};

class Stopwatch {
public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double seconds = std::chrono::duration<double>(now - last).count();
    last = now;
    return seconds;
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// The parameters that a launch passes, each at its natural alignment.
int64_t parameterBytes(const llvm::Function &kernel) {
  const llvm::DataLayout &layout = kernel.getDataLayout();
  uint64_t bytes = 0;
  for (const llvm::Argument &argument : kernel.args()) {
    llvm::Type *type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
    bytes = llvm::alignTo(bytes, std::max(layout.getABITypeAlign(type), argument.getParamAlign().valueOrOne()));
    bytes += layout.getTypeAllocSize(type);
  }
  return bytes;
}

/// A gpu.module on its way to PTX. LLVM's contexts share nothing, so that each module can have a thread of its own.
class Translation {
public:
  explicit Translation(gpu::GPUModuleOp module) : source(module) { watchContext(); }
  explicit Translation(OwningOpRef<gpu::GPUModuleOp> module) : owned(std::move(module)), source(*owned) { watchContext(); }

  LogicalResult lower(const TargetOptions &options, const llvm::TargetMachine &machine) {
    Stopwatch watch;
    PassManager manager(source.getContext(), source.getOperationName());
    buildBaseToLLVMPipeline(manager, options.lines);
    manager.enableVerifier(false); // LLVM's own verifier sees what comes of it
    if (failed(manager.run(source)))
      return failure();
    times.lowering = watch.lap();
    module = translateModuleToLLVMIR(source, context, source.getName());
    if (!module)
      return failure(); // it has reported
    module->setTargetTriple(machine.getTargetTriple());
    module->setDataLayout(machine.createDataLayout());
    times.translation = watch.lap();
    return success();
  }

  LogicalResult emit(const TargetOptions &options) {
    Stopwatch watch;
    auto machine = makeMachine(source.getLoc(), options);
    if (failed(machine))
      return failure();
    optimizeForPtx(*module, **machine);
    times.optimization = watch.lap();
    FailureOr<std::string> written = emitAssembly(**machine, *module, source.getLoc());
    times.selection = watch.lap();
    if (failed(written) || bridge->failed)
      return failure();
    text = std::move(*written);
    module.reset(); // here, where it costs this thread's time
    owned = nullptr;
    return success();
  }

  /// The kernel with the most bytes of parameters; null and 0 if there is none.
  std::pair<Operation *, int64_t> largestKernel() {
    std::pair<Operation *, int64_t> largest{};
    for (const llvm::Function &function : *module)
      if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
        if (int64_t bytes = parameterBytes(function); bytes > largest.second)
          largest = {source.lookupSymbol(function.getName()), bytes};
    return largest;
  }

  std::string text;
  PhaseTimes times;

private:
  void watchContext() {
    context.setDiscardValueNames(true); // nobody reads them, and keeping them unique is a third of the passes' time
    context.setOptPassGate(gate);
    auto handler = std::make_unique<DiagnosticBridge>(source.getLoc());
    bridge = handler.get();
    context.setDiagnosticHandler(std::move(handler));
  }

  OwningOpRef<gpu::GPUModuleOp> owned; // if it is none of the caller's
  gpu::GPUModuleOp source;
  SlowPassGate gate; // outlives the context
  llvm::LLVMContext context;
  DiagnosticBridge *bridge; // the context's
  std::unique_ptr<llvm::Module> module;
};

using Translations = std::vector<std::unique_ptr<Translation>>;

} // namespace

/// Refuses names that PTX would have to spell otherwise: a launch looks for the kernel by its name.
static LogicalResult checkNames(gpu::GPUModuleOp module) {
  for (auto function : module.getOps<gpu::GPUFuncOp>()) {
    StringRef name = function.getName();
    auto fits = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; };
    if (name.empty() || llvm::isDigit(name.front()) || !llvm::all_of(name, fits))
      return function.emitError("expected a name of letters, digits, '_' and '$' for a kernel, got '") << name << "'";
  }
  return success();
}

/// Takes the kernels out of a module, each into one of its own, unless they have something in common, or a name like those that LLVM
/// numbers (JoinPtx).
static Translations takeApart(gpu::GPUModuleOp module) {
  Translations parts;
  auto kernels = llvm::to_vector(module.getOps<gpu::GPUFuncOp>());
  const bool areAlone = llvm::all_of(*module.getBody(), [](Operation &op) {
    auto function = dyn_cast<gpu::GPUFuncOp>(op);
    return function && function.isKernel() && !function.getName().contains('$') && !function.getName().contains("__local_depot");
  });
  if (kernels.size() < 2 || !areAlone) {
    parts.push_back(std::make_unique<Translation>(module));
    return parts;
  }
  for (gpu::GPUFuncOp kernel : kernels) {
    OwningOpRef<gpu::GPUModuleOp> part = cast<gpu::GPUModuleOp>(module->cloneWithoutRegions());
    kernel->moveBefore(&part->getBodyRegion().emplaceBlock(), part->getBody()->end());
    parts.push_back(std::make_unique<Translation>(std::move(part)));
  }
  return parts;
}

/// A later PTX version where a kernel has more parameters than the lowest one bears; what none bears is refused.
static FailureOr<TargetOptions> chooseVersion(llvm::TargetMachine &machine, const Translations &parts, Location loc,
                                              TargetOptions options) {
  using namespace tilefold::runtime;
  std::pair<Operation *, int64_t> largest{};
  for (const auto &part : parts)
    if (auto own = part->largestKernel(); own.second > largest.second)
      largest = own;
  auto [kernel, bytes] = largest;
  if (bytes <= kernel_parameter_bytes({0, 0}))
    return options;

  // The back end has no question for its version: what it writes over a module without kernels tells.
  llvm::LLVMContext context;
  llvm::Module empty("empty", context);
  empty.setTargetTriple(machine.getTargetTriple());
  empty.setDataLayout(machine.createDataLayout());
  FailureOr<std::string> text = emitAssembly(machine, empty, loc);
  if (failed(text))
    return failure();
  PtxVersion version = ptx_version(*text);
  if (options.features.empty() && version < ptx_of_many_parameters) {
    version = ptx_of_many_parameters;
    options.features = llvm::formatv("+ptx{0}{1}", version.first, version.second);
  }
  if (bytes <= kernel_parameter_bytes(version))
    return options;
  return emitError(kernel ? kernel->getLoc() : loc)
         << "kernel '" << (kernel ? SymbolTable::getSymbolName(kernel).strref() : "") << "' takes " << bytes
         << " bytes of parameters, in PTX " << version.first << "." << version.second << " it can take at most "
         << kernel_parameter_bytes(version) << "; pass fewer views, or views of lower rank";
}

FailureOr<std::string> tilefold::translateToPtx(gpu::GPUModuleOp module, const TargetOptions &options, PhaseTimes *times) {
  MLIRContext &context = *module.getContext();
  auto machine = makeMachine(module.getLoc(), options);
  if (failed(machine) || failed(checkNames(module)))
    return failure();
  PassManager manager(&context, module.getOperationName());
  buildBaseToLLVMPipeline(manager, options.lines);
  loadDialectsOf(manager, context);

  Translations parts = takeApart(module);
  if (failed(runTasks(context, parts.size(), [&](size_t i) { return parts[i]->lower(options, **machine); })))
    return failure();
  FailureOr<TargetOptions> chosen = chooseVersion(**machine, parts, module.getLoc(), options);
  if (failed(chosen) || failed(runTasks(context, parts.size(), [&](size_t i) { return parts[i]->emit(*chosen); })))
    return failure();

  std::vector<std::string> texts;
  for (auto &part : parts) {
    texts.push_back(std::move(part->text));
    if (times)
      *times += part->times;
  }
  if (texts.size() == 1)
    return texts.front();
  if (std::optional<std::string> text = joinPtx(texts))
    return *std::move(text);
  return emitError(module.getLoc()) << "LLVM's NVPTX back end writes kernels in another form than expected";
}

void tilefold::registerPtxTranslation(DialectRegistry &registry) {
  registerBaseDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}
