// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tool on the lower side of the base boundary: it does not know the dialect `tile`, so whatever leaks across is a
// parse error. Besides running passes it translates: --emit-ptx.
#include "codegen/Conversion/BaseToLLVM/Passes.h"
#include "codegen/Simulator/Mutate/Passes.h"
#include "codegen/Simulator/Retarget/Passes.h"
#include "codegen/Target/TranslateToPtx.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/Format.h"

using namespace mlir;

static llvm::cl::OptionCategory category("base to PTX");
static llvm::cl::opt<std::string> chip("chip", llvm::cl::desc("target chip"), llvm::cl::init("sm_80"), llvm::cl::cat(category));
static llvm::cl::opt<std::string> features("features", llvm::cl::desc("LLVM features, such as +ptx80; default: the lowest for the chip"),
                                           llvm::cl::cat(category));
static llvm::cl::opt<bool> noLines("no-lines", llvm::cl::desc("leave .loc lines out"), llvm::cl::cat(category));
static llvm::cl::opt<bool> phaseTimes("phase-times", llvm::cl::desc("print milliseconds of each phase to standard error"),
                                      llvm::cl::cat(category));

static LogicalResult emitPtx(Operation *op, raw_ostream &output) {
  auto modules = llvm::to_vector(cast<ModuleOp>(op).getOps<gpu::GPUModuleOp>());
  if (modules.empty())
    return op->emitError("expected a gpu.module");
  for (gpu::GPUModuleOp module : modules) {
    tilefold::PhaseTimes times;
    auto ptx = tilefold::translateToPtx(module, {chip, features, !noLines}, &times);
    if (failed(ptx))
      return failure();
    output << *ptx;
    if (phaseTimes)
      llvm::errs() << llvm::format("lowering %.1f translation %.1f optimization %.1f selection %.1f\n", times.lowering * 1e3,
                                   times.translation * 1e3, times.optimization * 1e3, times.selection * 1e3);
  }
  return success();
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (StringRef(argv[i]).trim('-') == "emit-ptx") {
      TranslateFromMLIRRegistration registration("emit-ptx", "base to PTX text", emitPtx,
                                                 [](DialectRegistry &registry) { tilefold::registerPtxTranslation(registry); });
      return failed(mlirTranslateMain(argc, argv, "Tilefold base IR to PTX"));
    }
  DialectRegistry registry;
  tilefold::registerPtxTranslation(registry);
  tilefold::registerBaseToLLVMPasses();
  tilefold::sim::registerMutatePasses();
  tilefold::sim::registerRetargetPasses();
  registerCanonicalizerPass();
  registerCSEPass();
  return asMainReturnCode(MlirOptMain(argc, argv, "Tilefold base-level optimizer\n", registry));
}
