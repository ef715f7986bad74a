// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/OptimizeForHost.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

void tilefold::sim::optimizeForHost(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);

  FunctionPassManager passes;
  StringRef which = getenv("TF_HOST_PASSES") ? getenv("TF_HOST_PASSES") : "sei";
  for (char c : which) {
    if (c == 's') passes.addPass(ScalarizerPass());
    if (c == 'e') passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
    if (c == 'i') passes.addPass(InstCombinePass());
    if (c == 'c') passes.addPass(SimplifyCFGPass());
  }
  for (Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}
