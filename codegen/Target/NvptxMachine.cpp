// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Target/NvptxMachine.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/CommandLine.h"
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

/// Sets a switch of LLVM's that has no programmatic form, if this LLVM has it.
template <class T> static void setSwitch(StringRef name, T value) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find(name);
  if (found != options.end())
    static_cast<llvm::cl::opt<T> *>(found->second)->setValue(value);
}

static const llvm::Target *nvptx(std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    setSwitch("nvptx-short-ptr", true); // shared-memory addresses fit 32 bits; LLVM keeps them in 64 otherwise
    // From this many blocks on, CodeGenPrepare looks again only at blocks that changed: a fifth of the back end's time, the same code.
    setSwitch("cgpp-huge-func", 0u);
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  return llvm::TargetRegistry::lookupTarget(kTriple, error);
}

FailureOr<std::unique_ptr<llvm::TargetMachine>> tilefold::makeMachine(Location loc, const TargetOptions &options) {
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

FailureOr<std::string> tilefold::emitAssembly(llvm::TargetMachine &machine, llvm::Module &module, Location loc) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, stream, /*DwoOut=*/nullptr, llvm::CodeGenFileType::AssemblyFile,
                                  /*DisableVerify=*/true))
    return emitError(loc) << "LLVM's NVPTX back end cannot write assembly";
  codegen.run(module);
  return std::string(text);
}
