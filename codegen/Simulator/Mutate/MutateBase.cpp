// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Mutate/Mutants.h"
#include "codegen/Simulator/Mutate/Passes.h"

using namespace mlir;

namespace tilefold::sim {
#define GEN_PASS_DEF_MUTATEBASE
#include "codegen/Simulator/Mutate/Passes.h.inc"
} // namespace tilefold::sim

namespace {
struct MutateBase : tilefold::sim::impl::MutateBaseBase<MutateBase> {
  using MutateBaseBase::MutateBaseBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (!list && index < 0) {
      module.emitError("mutate-base: expected a mutant's index or 'list'");
      return signalPassFailure();
    }
    std::vector<tilefold::sim::Mutant> mutants = tilefold::sim::findMutants(module);
    if (list) {
      for (auto [i, mutant] : llvm::enumerate(mutants))
        mutant.op->emitRemark("mutant ") << i << ": " << mutant.name();
      return;
    }
    if (uint64_t(index) >= mutants.size()) {
      module.emitError("mutate-base: expected an index below the number of mutants, ")
          << mutants.size() << ", got " << int64_t(index);
      return signalPassFailure();
    }
    mutants[index].apply();
  }
};
} // namespace
