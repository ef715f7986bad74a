// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include <string>

namespace tilefold {

/// What PTX is made for. Data only: no GPU is asked.
struct TargetOptions {
  std::string chip = "sm_80";
  /// The PTX ISA version, as LLVM features; empty: the lowest that knows the chip and bears the kernels' parameters, so that the
  /// oldest drivers load it.
  std::string features;
  /// `.loc` lines of the kernel's source.
  bool lines = true;
};

/// Seconds spent in the phases of one translation, by all threads together.
struct PhaseTimes {
  double lowering = 0, translation = 0, optimization = 0, selection = 0;

  PhaseTimes &operator+=(const PhaseTimes &other) {
    lowering += other.lowering;
    translation += other.translation;
    optimization += other.optimization;
    selection += other.selection;
    return *this;
  }
};

/// base -> PTX text, its kernels side by side (runTasks). Takes the kernels out of `module`, or lowers them in
/// it. Errors are diagnostics on the kernel's lines: operations outside the base level, an unknown chip, a kernel with more
/// parameters than a launch can pass, whatever LLVM's back end reports.
llvm::FailureOr<std::string> translateToPtx(mlir::gpu::GPUModuleOp module, const TargetOptions &options,
                                            PhaseTimes *times = nullptr);

/// The base dialects and the interfaces that the translation needs. Call before the context loads dialects.
void registerPtxTranslation(mlir::DialectRegistry &registry);

} // namespace tilefold
