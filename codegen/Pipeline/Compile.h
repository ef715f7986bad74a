// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Artifact/Manifest.h"
#include "codegen/Pipeline/Stages.h"
#include "codegen/Target/TranslateToPtx.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilefold {

struct CompileOptions {
  TargetOptions target;
  Stage stop = Stage::Artifact;
  PrintOptions print;
  ScheduleOptions schedule;
  llvm::json::Object options;          ///< informational, for the manifest: head_dim, dtype, ...
  std::vector<std::string> cubinArchs; ///< "sm_90": cubins to put into the artifact; needs ptxas
  std::string ptxas;                   ///< path; empty: TILEFOLD_PTXAS, PATH, /usr/local/cuda/bin
  /// For a run on the simulator: the result has the base module too, and in the artifact kernels are declared only. No GPU runs it.
  bool forSimulator = false;
};

struct CompileResult {
  std::string text;              ///< IR or PTX of the stage; for an artifact, its manifest as JSON
  std::vector<uint8_t> artifact; ///< the file's bytes; empty below Stage::Artifact
  mlir::OwningOpRef<mlir::ModuleOp> base; ///< for the simulator; null below Stage::Base
  std::vector<AlternativeCode> alternatives; ///< entries, block sizes, shared memory; from Stage::Base on
  PhaseTimes times;              ///< of PTX generation; `passes` below is what comes before
  double passes = 0;
};

/// Compiles the kernels of `module`, which holds one tile.program (or, below Stage::Artifact, only kernels), or what an
/// earlier call has printed of a later stage, from where it goes on. The module is left as it is: every alternative works on
/// copies. Errors are diagnostics; kernels that need more shared memory than the target's blocks have are one.
llvm::FailureOr<CompileResult> compile(mlir::ModuleOp module, const CompileOptions &options);

/// All dialects and interfaces that `compile` needs. Call before the context loads dialects.
void registerCompilerDialects(mlir::DialectRegistry &registry);

} // namespace tilefold
