// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Tool/CommandLine.h"
#include "codegen/Tool/Compiler.h"

namespace tilefold::cli {

/// A program made for what its inputs are.
struct Prepared {
  Config config;
  Module module;
  Tensors tensors;
  Scalars scalars;
  std::string origin; ///< "FILE", "random numbers, seed 0"
  bool random = false;
};

/// q, k and v of rank 4 to o and lse: what the attention options speak of.
bool isAttention(const Module &module);

/// Traces a program, or throws the diagnostics as a UsageError.
Module traceProgram(const NamedKernel &program, const Config &config);

/// The tensors of a run and the program for their dtype and head dim.
Prepared prepareRun(const NamedKernel &program, const RunOptions &options);

/// --scale, --splits and --scalar, as far as the program takes them; else an error that says what it takes.
Scalars makeScalars(const NamedKernel &program, const Module &module, const ScalarOptions &options);

/// Shapes by name from "a=300x200,b=200x150".
std::map<std::string, support::Shape> parseShapes(const std::string &option, const std::string &text);

/// Query and key heads from "32/8" or "32".
std::pair<std::int64_t, std::int64_t> parseHeads(const std::string &option, const std::string &text);

} // namespace tilefold::cli
