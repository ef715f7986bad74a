// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the mutants of a base module on the simulator, and tells which of them it finds.
#pragma once
#include "codegen/Simulator/Machine/Kernel.h"
#include "support/status.h"
#include <functional>
#include <string>
#include <vector>

namespace tilefold::sim {

/// When things happen in a run.
struct Timing {
  uint64_t seed = 0;
  Completion completion = Completion::Late;
};

/// What kernels wrote, as bytes. All NaNs are the same: which of two operands' NaNs an operation returns is for LLVM to
/// choose.
class Outputs {
public:
  enum class Format { Other, F16, BF16, F32, F64 };
  void append(Format format, const void *data, size_t bytes);
  bool operator==(const Outputs &) const = default;

private:
  std::vector<uint8_t> all;
};

/// Kernels on one set of inputs. Called from several threads at a time; takes one thread itself.
using Subject = std::function<support::Result<Outputs>(
    const std::function<support::Result<const KernelCode *>(const std::string &entry)> &find, const Timing &timing,
    Report &report)>;

struct MutationOptions {
  unsigned seeds = 2;   ///< of each completion
  unsigned threads = 0; ///< mutants at a time; 0: as many as the host has cores
  std::vector<std::string> only; ///< mutants whose name contains one of these; empty: all
  std::string file;     ///< where the text of the module is from, for operations whose place it does not state
};

struct MutantResult {
  std::string name, kernel;
  Place place;
  std::string foundBy; ///< "race", ..., "numbers"; empty if it survived
  std::string detail;  ///< of a finding
};

struct MutationResults {
  std::vector<MutantResult> mutants;
  std::vector<std::string> kernels, names; ///< of the module: all kernels; all mutants, also those that were not run
};

/// Each mutant runs until it is found, on the subjects that use its kernel. `done` hears of each, in order. Errors: a module
/// that is not good base; a program that is found without being mutated, or whose outputs depend on the timing; a kernel
/// that no subject uses.
support::Result<MutationResults> runMutants(const std::string &base, const std::vector<Subject> &subjects,
                                            const MutationOptions &options,
                                            const std::function<void(const MutantResult &)> &done);

} // namespace tilefold::sim
