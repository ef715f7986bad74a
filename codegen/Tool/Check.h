// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Tool/Inputs.h"

namespace tilefold::cli {

/// Throws a UsageError if there is nothing to compare the program's outputs with.
void requireReference(const NamedKernel &program, const Module &module);

/// Throws a UsageError if there is no memory for the comparison: better now than after the run. Outputs are among the tensors.
void requireCheckMemory(const Prepared &prepared);

/// Compares outputs with fp64 and prints one line for each criterion; false if one failed. Attention follows the accuracy
/// rule; other programs' outputs must be within its norm and its rows' criterion.
bool checkOutputs(const NamedKernel &program, const Prepared &prepared, const Tensors &outputs);

} // namespace tilefold::cli
