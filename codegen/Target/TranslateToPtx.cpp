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
#include "llvm/Target/TargetMachine.h"
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
  phase.translation = watch.lap();

  optimizeForPtx(*llvmModule, **machine);
  phase.optimization = watch.lap();

  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager codegen;
  if ((*machine)->addPassesToEmitFile(codegen, stream, /*DwoOut=*/nullptr, llvm::CodeGenFileType::AssemblyFile,
                                      /*DisableVerify=*/true))
    return emitError(module.getLoc()) << "LLVM's NVPTX back end cannot write assembly";
  codegen.run(*llvmModule);
  phase.selection = watch.lap();
  if (bridge.failed)
    return failure();
  return std::string(text);
}

void tilefold::registerPtxTranslation(DialectRegistry &registry) {
  registerBaseDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}
