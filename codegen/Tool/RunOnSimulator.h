// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Tool/Inputs.h"
#include "runtime/tilefold.hpp"

#include <memory>

namespace tilefold::cli {

/// What the simulator is for code for `target`: the largest GPU of the table on which it runs as on its own. Error: there is
/// none.
runtime::DeviceProperties simulatedDevice(const std::string &target);

/// `run --on simulator`: the code for a GPU, on the simulated machine.
class SimulatorRun {
public:
  /// Errors: options that the simulator does not know, a target that it has no device for.
  explicit SimulatorRun(const RunOptions &options);
  ~SimulatorRun();

  /// "the simulator (sm_80, 108 SMs as a100, seed 0)".
  std::string text() const;
  const std::string &target() const;
  /// Of a program that was made for that target.
  Tensors run(const Prepared &prepared);
  /// Writes what was found: as text to standard error, or as JSON to standard output. Returns whether there was anything.
  bool report();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tilefold::cli
