// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Transforms/transform.h"
#include "dsl/trace_mlir.h"
#include "lib/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

std::string transform(tilefold::Traced &traced, const std::string &pipeline) {
  [[maybe_unused]] static const bool registered = [] {
    registerTransformsPasses();
    tilefold::tile::registerTilePasses();
    return true;
  }();
  ModuleOp module = tilefold::module(traced);
  std::string text;
  llvm::raw_string_ostream stream(text);
  ScopedDiagnosticHandler handler(module->getContext(), [&](Diagnostic &d) { stream << d << "\n"; });
  PassManager manager(module->getContext());
  OpPassManager &kernels = manager.nest<tilefold::tile::KernelOp>();
  if (failed(parsePassPipeline(pipeline, kernels, stream)) || failed(manager.run(module)))
    return "passes failed: " + text;
  return "";
}
