// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of mutants that may survive, because they are the same program: paragraphs of names, each a line, and below them,
// indented, why. Lines that begin with # are comments.
//
//   fa2_kernel_fast shift-up nvvm.barrier0 #3
//   fa2_kernel_any shift-up nvvm.barrier0 #3
//     What it moves over touches only the thread's own bytes, and the next barrier orders those.
#pragma once
#include "codegen/Simulator/Mutate/MutationRun.h"

namespace tilefold::sim {

struct Survivor {
  std::string name, reason;
};

/// Errors, with the line: a name without a reason or a reason without a name, a name that is there twice.
support::Result<std::vector<Survivor>> parseSurvivors(const std::string &text);

/// One sentence for each difference: a mutant that survived and is not listed; one that is listed and was found; one of a
/// kernel of the module that is listed and does not exist.
std::vector<std::string> compareSurvivors(const std::vector<Survivor> &listed, const MutationResults &results);

} // namespace tilefold::sim
