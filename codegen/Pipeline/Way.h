// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Pipeline/Compile.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilefold {

/// The kernels of one alternative on their way down.
struct Way {
  AlternativePlan plan;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  AlternativeCode code;
};

/// Lowers copies of the kernels of `module` to the stage that the options ask for, `Base` at most. Where nobody has chosen a
/// schedule, the ring of copies is made one step deep if a deeper one does not fit what the target promises. A program of
/// null: kernels alone, which keep their names.
llvm::FailureOr<Way> lowerWay(mlir::ModuleOp module, tile::ProgramOp program, const AlternativePlan &plan,
                              const CompileOptions &options);

/// The rest of the way of a module whose kernels are at `from`, between `Tile` and `Base`.
llvm::FailureOr<Way> resumeWay(mlir::ModuleOp module, const AlternativePlan &plan, Stage from, const CompileOptions &options);

/// Moves what the later modules hold into the first: one module, and so one PTX module, has the kernels of all alternatives.
mlir::ModuleOp mergeWays(llvm::MutableArrayRef<Way> ways);

/// Shared memory that a lowered kernel needs, in bytes.
llvm::FailureOr<int64_t> sharedBytesOf(mlir::gpu::GPUFuncOp function);

} // namespace tilefold
