// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilefold {

/// Runs task(0), ..., task(count - 1), on as many threads as the context allows. Result and diagnostics are those of running them one
/// after the other up to the first failure. Tasks may run passes, on modules of their own, whose dialects are loaded.
llvm::LogicalResult runTasks(mlir::MLIRContext &context, size_t count, llvm::function_ref<llvm::LogicalResult(size_t)> task);

/// Loads the dialects that the passes of a manager create operations of: the context is not to be changed from several threads.
void loadDialectsOf(const mlir::OpPassManager &manager, mlir::MLIRContext &context);

} // namespace tilefold
