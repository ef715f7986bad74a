// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Tool/Inputs.h"

#include <memory>

namespace tilefold::cli {

/// `run --on simulator`: the code for a GPU, on the simulated machine.
class SimulatorRun {
public:
  /// Errors: options that the simulator does not know, a target that it has no device for.
  explicit SimulatorRun(const RunOptions &options);
  ~SimulatorRun();

  /// "the simulator (sm_80, 108 SMs, seed 0)".
  std::string text() const;
  Tensors run(const Prepared &prepared);
  /// Writes what was found: as text to standard error, or as JSON to standard output. Returns whether there was anything.
  bool report();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tilefold::cli
