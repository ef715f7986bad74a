// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Jit.h"
#include "codegen/Conversion/BaseToLLVM/Passes.h"
#include "codegen/Simulator/MachineSymbols.h"
#include "codegen/Simulator/OptimizeForHost.h"
#include "codegen/Simulator/Retarget/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include <chrono>
#include <mutex>

using namespace mlir;
using namespace tilefold::sim;
namespace orc = llvm::orc;

/// The machine's own calls take the rest.
static constexpr uint64_t kMostFrameBytes = kStackBytes - 64 * 1024;

Program::Program() = default;
Program::Program(Program &&) noexcept = default;
Program &Program::operator=(Program &&) noexcept = default;
Program::~Program() = default;

const KernelCode *Program::find(StringRef entry) const {
  for (const KernelCode &code : codes)
    if (code.name == entry)
      return &code;
  return nullptr;
}

static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// LLVM would call a run-time library, whose functions have another name or none on some hosts, and whose types for 16-bit
/// numbers have an ABI that only the code generator knows. So their bodies are given to it as IR. The rounding is to nearest
/// even; `tilefold_round_*` (MachineSymbols) do it on bits.
static constexpr StringLiteral kConversions = R"(
declare zeroext i16 @tilefold_round_f32_to_f16(float)
declare zeroext i16 @tilefold_round_f32_to_bf16(float)
declare zeroext i16 @tilefold_round_f64_to_f16(double)
declare zeroext i16 @tilefold_round_f64_to_bf16(double)
declare float @tilefold_widen_f16(i16 zeroext)
define half @__truncsfhf2(float %x) {
  %bits = call zeroext i16 @tilefold_round_f32_to_f16(float %x)
  %half = bitcast i16 %bits to half
  ret half %half
}
define half @__truncdfhf2(double %x) {
  %bits = call zeroext i16 @tilefold_round_f64_to_f16(double %x)
  %half = bitcast i16 %bits to half
  ret half %half
}
define bfloat @__truncsfbf2(float %x) {
  %bits = call zeroext i16 @tilefold_round_f32_to_bf16(float %x)
  %half = bitcast i16 %bits to bfloat
  ret bfloat %half
}
define bfloat @__truncdfbf2(double %x) {
  %bits = call zeroext i16 @tilefold_round_f64_to_bf16(double %x)
  %half = bitcast i16 %bits to bfloat
  ret bfloat %half
}
define float @__extendhfsf2(half %x) {
  %bits = bitcast half %x to i16
  %float = call float @tilefold_widen_f16(i16 zeroext %bits)
  ret float %float
}
)";

namespace {
/// LLVM's errors become MLIR's; frame sizes, which it tells as warnings, are collected.
struct DiagnosticBridge : llvm::DiagnosticHandler {
  DiagnosticBridge(Location loc, uint64_t &frame) : loc(loc), frame(frame) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (auto *size = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info)) {
      frame = std::max(frame, size->getStackSize());
      return true;
    }
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    emitError(loc) << text;
    return true;
  }

  Location loc;
  uint64_t &frame;
};
} // namespace

static void initializeHost() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

static llvm::Expected<orc::JITTargetMachineBuilder> hostMachine() {
  initializeHost();
  llvm::Expected<orc::JITTargetMachineBuilder> builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder;
  // Half a second for the largest kernels where `Less` takes two; the code spends most of its time in the machine anyway.
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  // Conversions to bf16 of these treat subnormals as zero.
  if (builder->getTargetTriple().isX86())
    builder->addFeatures({"-avx512bf16", "-avxneconvert", "-amx-bf16"});
  llvm::TargetOptions &options = builder->getOptions();
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // as for PTX: only what carries `contract`
  return builder;
}

static llvm::Error addConversions(orc::LLJIT &jit) {
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(kConversions, error, *context);
  if (!module)
    return llvm::createStringError(error.getMessage());
  module->setTargetTriple(jit.getTargetTriple());
  module->setDataLayout(jit.getDataLayout());
  return jit.addIRModule(orc::ThreadSafeModule(std::move(module), std::move(context)));
}

/// The kernels' names, places and static arrays, from what the retargeting left on them.
static std::vector<KernelCode> readKernels(gpu::GPUModuleOp module) {
  std::vector<KernelCode> codes;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto places = function->getAttrOfType<ArrayAttr>(kPlacesAttr);
    if (!places)
      continue;
    KernelCode code;
    code.name = function.getSymName().str();
    for (auto place : places.getAsRange<ArrayAttr>())
      code.places.push_back({cast<StringAttr>(place[0]).str(), cast<StringAttr>(place[1]).str(),
                             unsigned(cast<IntegerAttr>(place[2]).getInt()),
                             unsigned(cast<IntegerAttr>(place[3]).getInt())});
    for (int64_t bytes : function->getAttrOfType<DenseI64ArrayAttr>(kStaticSharedAttr).asArrayRef())
      code.staticShared.push_back(uint32_t(bytes));
    codes.push_back(std::move(code));
  }
  return codes;
}

static LogicalResult lower(gpu::GPUModuleOp module) {
  PassManager manager(module.getContext(), module.getOperationName());
  manager.addPass(tilefold::createCheckBase());
  manager.addPass(createRetargetBaseToHost());
  manager.addPass(tilefold::createConvertBaseToLLVM());
  return manager.run(module);
}

static llvm::Expected<std::unique_ptr<orc::LLJIT>> makeJit(orc::JITTargetMachineBuilder machine) {
  llvm::Expected<std::unique_ptr<orc::LLJIT>> jit = orc::LLJITBuilder()
                                                        .setJITTargetMachineBuilder(std::move(machine))
                                                        .setLinkProcessSymbolsByDefault(false)
                                                        .setPlatformSetUp(orc::setUpInactivePlatform) // no initialisers
                                                        .create();
  if (!jit)
    return jit;
  orc::SymbolMap symbols = machineSymbols((*jit)->getExecutionSession(), (*jit)->getDataLayout());
  if (llvm::Error error = (*jit)->getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols))))
    return error;
  if (llvm::Error error = addConversions(**jit))
    return error;
  return jit;
}

/// Optimises and links the code, and finds the kernels' entries in it.
static llvm::Expected<std::unique_ptr<orc::LLJIT>>
compile(std::unique_ptr<llvm::Module> code, std::unique_ptr<llvm::LLVMContext> context, std::vector<KernelCode> &kernels) {
  llvm::Expected<orc::JITTargetMachineBuilder> builder = hostMachine();
  if (!builder)
    return builder.takeError();
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  code->setTargetTriple((*machine)->getTargetTriple());
  code->setDataLayout((*machine)->createDataLayout());
  for (llvm::Function &function : *code)
    function.addFnAttr("warn-stack-size", "0"); // tells the size of every frame
  optimizeForHost(*code, **machine);
  llvm::Expected<std::unique_ptr<orc::LLJIT>> jit = makeJit(std::move(*builder));
  if (!jit)
    return jit;
  if (llvm::Error error = (*jit)->addIRModule(orc::ThreadSafeModule(std::move(code), std::move(context))))
    return error;
  for (KernelCode &kernel : kernels) {
    llvm::Expected<orc::ExecutorAddr> entry = (*jit)->lookup(kernel.name); // compiles, the first time
    if (!entry)
      return entry.takeError();
    kernel.entry = entry->toPtr<void (*)(void **)>();
  }
  return jit;
}

FailureOr<Program> tilefold::sim::compileForHost(gpu::GPUModuleOp module) {
  Location loc = module.getLoc();
  Program program;
  double start = now();
  if (failed(lower(module)))
    return failure();
  program.codes = readKernels(module);
  double lowered = now();

  auto context = std::make_unique<llvm::LLVMContext>();
  context->setDiscardValueNames(true); // nobody reads them
  context->setDiagnosticHandler(std::make_unique<DiagnosticBridge>(loc, program.frame));
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, *context, module.getName());
  if (!code)
    return failure(); // it has reported
  double translated = now();

  llvm::Expected<std::unique_ptr<orc::LLJIT>> jit = compile(std::move(code), std::move(context), program.codes);
  if (!jit)
    return emitError(loc) << "compiling for this computer failed: " << llvm::toString(jit.takeError());
  program.jit = std::move(*jit);
  program.phases = {lowered - start, translated - lowered, now() - translated};
  if (program.frame > kMostFrameBytes)
    return emitError(loc) << "a thread of this module's kernels needs " << program.frame
                          << " bytes of stack on this computer, the simulator has " << kMostFrameBytes << " for it";
  return program;
}

void tilefold::sim::registerHostTranslation(DialectRegistry &registry) {
  tilefold::registerBaseDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}
