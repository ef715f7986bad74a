// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Target/OptimizeLLVM.h"
#include "codegen/Target/FunctionPasses.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

/// Not LLVM's -O3: its unrollers and vectorizers work against a kernel whose loops are already expanded, and its forty
/// passes take most of a second on one. What is here is what changes ptxas' machine code for the better.
void tilefold::optimizeForPtx(Module &module, TargetMachine &machine) {
  FunctionPassManager passes;
  // Per-thread tiles are vectors of up to 256 elements, loop-carried too. As vectors they would be legalised late and
  // badly; as scalars, dead and equal elements vanish in the passes that follow.
  passes.addPass(ScalarizerPass());
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  // Neither LICM nor loop rotation: ptxas does both, within its registers. Hoisted here, addresses live across loops that
  // need every register for accumulators: several times the spills at head dim 128, and no gain (timed on an H200).
  tilefold::runFunctionPasses(module, machine, std::move(passes));
}
