// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/OptimizeForHost.h"
#include "codegen/Target/FunctionPasses.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace llvm;

void tilefold::sim::optimizeForHost(Module &module, TargetMachine &machine) {
  FunctionPassManager passes;
  // Per-thread tiles are vectors that are mostly taken apart and put together again; as scalars nothing of that is left.
  passes.addPass(ScalarizerPass());
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  tilefold::runFunctionPasses(module, machine, std::move(passes));
}
