// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Simulator/Case.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tilefold::sim {

/// What a launch must know of a kernel in base.
struct KernelSignature {
  enum class Parameter { Word, Long, Float, Pointer, TensorMap };
  std::string name;
  uint32_t block = 32, cluster = 1, sharedBytes = 0;
  std::vector<Parameter> parameters;
};

/// Of all kernels of a module, before it is compiled. Errors are diagnostics: a parameter that cases cannot give.
llvm::FailureOr<std::vector<KernelSignature>> readSignatures(mlir::gpu::GPUModuleOp module);

struct CaseRunOptions {
  uint64_t seed = 0;
  Completion completion = Completion::Late;
  unsigned hostThreads = 0; ///< 0: all
};

/// Runs a case; its output arguments then hold what the kernel left. Errors: arguments that do not fit the parameters, maps
/// that TMA does not allow.
llvm::Error runCase(Case &one, const KernelSignature &signature, const KernelCode &code, const CaseRunOptions &options,
                    Report &report);

} // namespace tilefold::sim
