// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Tool/CommandLine.h"
#include "codegen/Tool/Compiler.h"

namespace tilefold::cli {

/// A program, and what of a Config it asked for.
struct Traced {
  Module module;
  Taken taken;
};

/// What a command works on: one of the tool's programs, or a file of IR.
struct Source {
  NamedKernel program; ///< of a file: its name alone
  std::string file;

  /// Traces the program, or reads the file. Throws a UsageError with the diagnostics, or that names an option among `given`
  /// that the program does not ask for.
  Traced make(const Config &config, const ConfigOptions &given = {}) const;
};

/// A program of that name, or the file if it is one of IR.
Source findSource(const Programs &programs, const std::string &text);

/// q, k and v of rank 4 to o and lse: what the attention options speak of.
bool isAttention(const Module &module);

/// Throws a UsageError if no GPU can run this attention: on the option that chooses what is wrong, where one does.
void checkTensorCores(const NamedKernel &program, const Traced &traced);

} // namespace tilefold::cli
