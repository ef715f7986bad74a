// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/ThreadPool.h"

namespace tilefold {

/// Runs task(0), ..., task(count - 1), on as many threads as the machine has, if the context allows threads. Result and diagnostics
/// are those of running them one after the other up to the first failure. Tasks may run passes, on modules of their own, whose
/// dialects are loaded.
llvm::LogicalResult runTasks(mlir::MLIRContext &context, size_t count, llvm::function_ref<llvm::LogicalResult(size_t)> task);

/// For a context that several tasks use at once: what MLIR would spread over threads stays on the one that asks. So threads are made
/// by `runTasks` alone, which does with fewer where no more are to be had.
class InlineThreadPool final : public llvm::ThreadPoolInterface {
public:
  void wait() override {}
  void wait(llvm::ThreadPoolTaskGroup &) override {}
  unsigned getMaxConcurrency() const override { return 1; }

private:
  void asyncEnqueue(llvm::unique_function<void()> task, llvm::ThreadPoolTaskGroup *) override { task(); }
};

/// Loads the dialects that the passes of a manager create operations of: the context is not to be changed from several threads.
void loadDialectsOf(const mlir::OpPassManager &manager, mlir::MLIRContext &context);

} // namespace tilefold
