// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/Interpreter/Formula.h"
#include "lib/Interpreter/Interpreter.h"
#include "lib/Interpreter/Kernel.h"

#include <vector>

namespace tilefold::interpreter {

struct LaunchArgument {
  View view = {};
  Number number;
};

struct LaunchPlan {
  KernelCode code;
  std::int64_t grid[3] = {};
  std::int64_t instances = 0;
  std::vector<LaunchArgument> arguments;
};

/// Instances of all launches of a program so far; also where the stamps of the next launch begin.
struct LaunchProgress {
  const InterpreterOptions &options;
  std::int64_t total;
  std::int64_t done = 0;
};

/// Runs all instances of a launch on the threads that the options allow. The error is that of the first faulty instance, in
/// the order of the grid, among those that ran.
support::Status runLaunch(const LaunchPlan &plan, LaunchProgress &progress);

} // namespace tilefold::interpreter
