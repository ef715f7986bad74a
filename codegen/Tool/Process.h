// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace tilefold::cli {

/// A tool's process, whose name begins its errors: does what `command` does, which parses by `app`. What it throws becomes a
/// sentence on standard error and the exit code: 2 for bad usage, 1 for a run that failed. An output that could not be written
/// is an error as well.
int runProcess(const std::string &name, CLI::App &app, const std::function<int()> &command);

} // namespace tilefold::cli
