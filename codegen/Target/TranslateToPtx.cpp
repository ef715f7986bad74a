// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Target/TranslateToPtx.h"
#include "codegen/Conversion/BaseToLLVM/Passes.h"
#include "codegen/Target/OptimizeLLVM.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Target/TargetMachine.h"
#include "runtime/artifact/ptx.h"
#include <chrono>
#include <mutex>

using namespace mlir;

// Only the one target that is used; registering all of them costs start-up time.
extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

static const llvm::Triple kTriple("nvptx64-nvidia-cuda");

/// Shared-memory addresses fit 32 bits; LLVM keeps them in 64 unless this switch of its back end is set, which has no
/// programmatic form.
static void useShortSharedPointers() {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find("nvptx-short-ptr");
  if (found != options.end())
    static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(true);
}

static const llvm::Target *nvptx(std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    useShortSharedPointers();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  return llvm::TargetRegistry::lookupTarget(kTriple, error);
}

static FailureOr<std::unique_ptr<llvm::TargetMachine>> makeMachine(Location loc, const tilefold::TargetOptions &options) {
  std::string error;
  const llvm::Target *target = nvptx(error);
  if (!target)
    return emitError(loc) << "this LLVM has no NVPTX back end: " << error;
  // A chip that LLVM does not know would be a message on standard error and a different chip.
  std::unique_ptr<llvm::MCSubtargetInfo> known(target->createMCSubtargetInfo(kTriple, "", ""));
  if (!known->isCPUStringValid(options.chip))
    return emitError(loc) << "unknown chip '" << options.chip << "', expected one such as sm_80 or sm_90a";
  llvm::TargetOptions machineOptions;
  // Only what carries the `contract` flag is fused: which operations may be is part of a kernel's meaning.
  machineOptions.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  // Against `Aggressive` ptxas makes the same machine code, a tenth sooner.
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(kTriple, options.chip, options.features, machineOptions, /*RM=*/std::nullopt,
                                  /*CM=*/std::nullopt, llvm::CodeGenOptLevel::Default));
}

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

} // namespace

/// LLVM IR -> PTX text. Changes `module`.
static FailureOr<std::string> emit(llvm::TargetMachine &machine, llvm::Module &module, Location loc) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, stream, /*DwoOut=*/nullptr, llvm::CodeGenFileType::AssemblyFile,
                                  /*DisableVerify=*/true))
    return emitError(loc) << "LLVM's NVPTX back end cannot write assembly";
  codegen.run(module);
  return std::string(text);
}

/// The parameters that a launch passes, each at its natural alignment.
static int64_t parameterBytes(const llvm::Function &kernel) {
  const llvm::DataLayout &layout = kernel.getDataLayout();
  uint64_t bytes = 0;
  for (const llvm::Argument &argument : kernel.args()) {
    llvm::Type *type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
    bytes = llvm::alignTo(bytes, std::max(layout.getABITypeAlign(type), argument.getParamAlign().valueOrOne()));
    bytes += layout.getTypeAllocSize(type);
  }
  return bytes;
}

/// Chooses a later PTX version where a kernel has more parameters than the lowest one bears, and refuses what none bears.
static LogicalResult chooseVersion(std::unique_ptr<llvm::TargetMachine> &machine, const llvm::Module &module,
                                   gpu::GPUModuleOp source, tilefold::TargetOptions options) {
  using namespace tilefold::runtime;
  int64_t most = 0;
  const llvm::Function *largest = nullptr;
  for (const llvm::Function &function : module)
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      if (int64_t bytes = parameterBytes(function); bytes > most) {
        most = bytes;
        largest = &function;
      }
  if (most <= kernel_parameter_bytes({0, 0}))
    return success();

  // The back end has no question for its version: what it writes over a module without kernels tells.
  llvm::Module empty("empty", module.getContext());
  empty.setTargetTriple(kTriple);
  empty.setDataLayout(machine->createDataLayout());
  FailureOr<std::string> text = emit(*machine, empty, source.getLoc());
  if (failed(text))
    return failure();
  PtxVersion version = ptx_version(*text);
  if (options.features.empty() && version < ptx_of_many_parameters) {
    version = ptx_of_many_parameters;
    options.features = llvm::formatv("+ptx{0}{1}", version.first, version.second);
    auto later = makeMachine(source.getLoc(), options);
    if (failed(later))
      return failure();
    machine = std::move(*later);
  }
  if (most <= kernel_parameter_bytes(version))
    return success();
  Operation *kernel = source.lookupSymbol(largest->getName());
  return emitError(kernel ? kernel->getLoc() : source.getLoc())
         << "kernel '" << largest->getName() << "' takes " << most << " bytes of parameters, in PTX " << version.first << "."
         << version.second << " it can take at most " << kernel_parameter_bytes(version)
         << "; pass fewer views, or views of lower rank";
}

FailureOr<std::string> tilefold::translateToPtx(gpu::GPUModuleOp module, const TargetOptions &options, PhaseTimes *times) {
  PhaseTimes unused;
  PhaseTimes &phase = times ? *times : unused;
  Stopwatch watch;
  auto machine = makeMachine(module.getLoc(), options);
  if (failed(machine))
    return failure();

  PassManager manager(module.getContext(), module.getOperationName());
  buildBaseToLLVMPipeline(manager, options.lines);
  if (failed(manager.run(module)))
    return failure();
  phase.lowering = watch.lap();

  SlowPassGate gate; // outlives the context
  llvm::LLVMContext context;
  context.setDiscardValueNames(true); // nobody reads them, and keeping them unique is a third of the passes' time
  context.setOptPassGate(gate);
  auto owned = std::make_unique<DiagnosticBridge>(module.getLoc());
  DiagnosticBridge &bridge = *owned;
  context.setDiagnosticHandler(std::move(owned));
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(module, context, module.getName());
  if (!llvmModule)
    return failure(); // it has reported
  llvmModule->setTargetTriple(kTriple);
  llvmModule->setDataLayout((*machine)->createDataLayout());
  if (failed(chooseVersion(*machine, *llvmModule, module, options)))
    return failure();
  phase.translation = watch.lap();

  optimizeForPtx(*llvmModule, **machine);
  phase.optimization = watch.lap();

  FailureOr<std::string> text = emit(**machine, *llvmModule, module.getLoc());
  phase.selection = watch.lap();
  if (bridge.failed)
    return failure();
  return text;
}

void tilefold::registerPtxTranslation(DialectRegistry &registry) {
  registerBaseDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}
