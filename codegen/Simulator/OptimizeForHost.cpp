// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/OptimizeForHost.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

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
  // Per-thread tiles are vectors that are mostly taken apart and put together again; as scalars nothing of that is left.
  passes.addPass(ScalarizerPass());
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  for (Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}
