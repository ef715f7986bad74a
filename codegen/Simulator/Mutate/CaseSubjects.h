// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Simulator/Mutate/MutationRun.h"

namespace tilefold::sim {

/// The cases of a file of base IR (Case.h), or of a file of their own if `caseFile` is not empty: one subject each.
/// `text` is the module's text; `path` is for paths in the cases and for messages.
support::Result<std::vector<Subject>> makeCaseSubjects(const std::string &text, const std::string &path,
                                                       const std::string &caseFile);

} // namespace tilefold::sim
