// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Target/Parallel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "gtest/gtest.h"
#include <chrono>
#include <thread>

using namespace mlir;

namespace {

/// What twenty tasks say, of which `bad` fails, and whether they went well. Early tasks take longest, so that reports come late.
std::pair<bool, std::vector<std::string>> run(MLIRContext &context, size_t bad) {
  std::vector<std::string> heard;
  ScopedDiagnosticHandler listener(&context, [&](Diagnostic &diagnostic) { heard.push_back(diagnostic.str()); });
  const bool good = succeeded(tilefold::runTasks(context, 20, [&](size_t i) -> LogicalResult {
    std::this_thread::sleep_for(std::chrono::milliseconds(20 - i));
    Location loc = UnknownLoc::get(&context);
    emitWarning(loc) << "task " << i;
    return i == bad ? LogicalResult(emitError(loc) << "task " << i << " fails") : success();
  }));
  return {good, heard};
}

TEST(Parallel, ReportsInOrderUpToTheFirstFailure) {
  std::vector<std::string> expected;
  for (int i = 0; i < 8; ++i)
    expected.push_back("task " + std::to_string(i));
  expected.push_back("task 7 fails");
  for (auto threading : {MLIRContext::Threading::ENABLED, MLIRContext::Threading::DISABLED}) {
    MLIRContext context(threading);
    auto [good, heard] = run(context, 7);
    EXPECT_FALSE(good);
    EXPECT_EQ(heard, expected);
  }
}

TEST(Parallel, RunsEveryTask) {
  MLIRContext context;
  auto [good, heard] = run(context, 20);
  EXPECT_TRUE(good);
  EXPECT_EQ(heard.size(), 20u);
  EXPECT_EQ(heard.back(), "task 19");
}

} // namespace
