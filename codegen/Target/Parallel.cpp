// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Target/Parallel.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Threading.h"
#include "support/parallel.h"
#include <mutex>
#include <vector>

using namespace mlir;

namespace {
/// What one task said and how it ended.
struct Outcome {
  LogicalResult result = failure();
  std::vector<Diagnostic> diagnostics;
};

/// Keeps what tasks report, by task. While a task waits for threads of the context, those keep their reports for it (MLIR's
/// ParallelDiagnosticHandler), so that its own thread is all that has to be known of it.
class Listener {
public:
  Listener(DiagnosticEngine &engine, std::vector<Outcome> &outcomes) : engine(engine), outcomes(outcomes) {
    id = engine.registerHandler([this](Diagnostic &diagnostic) { return hear(diagnostic); });
  }
  ~Listener() { engine.eraseHandler(id); }

  void run(size_t index, llvm::function_ref<LogicalResult(size_t)> task) {
    const uint64_t thread = llvm::get_threadid();
    note(thread, index);
    outcomes[index].result = task(index);
    std::lock_guard lock(mutex);
    tasks.erase(thread);
  }

private:
  void note(uint64_t thread, size_t index) {
    std::lock_guard lock(mutex);
    tasks[thread] = index;
  }
  LogicalResult hear(Diagnostic &diagnostic) {
    std::lock_guard lock(mutex);
    auto found = tasks.find(llvm::get_threadid());
    if (found == tasks.end())
      return failure();
    outcomes[found->second].diagnostics.push_back(std::move(diagnostic));
    return success();
  }

  DiagnosticEngine &engine;
  std::vector<Outcome> &outcomes;
  DiagnosticEngine::HandlerID id;
  std::mutex mutex;
  llvm::DenseMap<uint64_t, size_t> tasks; // by thread
};
} // namespace

LogicalResult tilefold::runTasks(MLIRContext &context, size_t count, llvm::function_ref<LogicalResult(size_t)> task) {
  if (count < 2 || !context.isMultithreadingEnabled()) {
    for (size_t i = 0; i < count; ++i)
      if (failed(task(i)))
        return failure();
    return success();
  }
  std::vector<Outcome> outcomes(count);
  {
    Listener listener(context.getDiagEngine(), outcomes);
    // Not the context's own threads: one that waits for the passes of its task would take up another task meanwhile.
    support::parallel_for(int64_t(count), [&](int64_t i) { listener.run(size_t(i), task); });
  }
  for (Outcome &outcome : outcomes) {
    for (Diagnostic &diagnostic : outcome.diagnostics)
      context.getDiagEngine().emit(std::move(diagnostic));
    if (failed(outcome.result))
      return failure();
  }
  return success();
}

void tilefold::loadDialectsOf(const OpPassManager &manager, MLIRContext &context) {
  DialectRegistry needed;
  manager.getDependentDialects(needed);
  context.appendDialectRegistry(needed);
  for (StringRef name : needed.getDialectNames())
    context.getOrLoadDialect(name);
}
