// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A base module as host code: retargeted to the simulated machine, translated to LLVM IR and compiled for this computer.
#pragma once
#include "codegen/Simulator/Machine/Kernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm::orc {
class LLJIT;
}

namespace tilefold::sim {

struct JitTimes {
  double lowering = 0, translation = 0, compilation = 0; ///< seconds
};

/// Compiled kernels; the code lives as long as this object.
class Program {
public:
  Program();
  Program(Program &&) noexcept;
  Program &operator=(Program &&) noexcept;
  ~Program();

  const std::vector<KernelCode> &kernels() const { return codes; }
  /// Null if there is none.
  const KernelCode *find(llvm::StringRef entry) const;

  /// The largest stack frame of a kernel, bytes: what each of its fibers needs beside the machine's own calls.
  uint64_t frameBytes() const { return frame; }
  const JitTimes &times() const { return phases; }

private:
  friend llvm::FailureOr<Program> compileForHost(mlir::gpu::GPUModuleOp module);
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<KernelCode> codes;
  uint64_t frame = 0;
  JitTimes phases;
};

/// Lowers `module` in place. Errors are diagnostics: what is not base, what is not modelled (on the kernel's line), and
/// whatever LLVM reports.
llvm::FailureOr<Program> compileForHost(mlir::gpu::GPUModuleOp module);

/// The base dialects and the interfaces that the translation needs. Call before the context loads dialects.
void registerHostTranslation(mlir::DialectRegistry &registry);

} // namespace tilefold::sim
