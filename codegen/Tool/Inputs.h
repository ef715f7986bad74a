// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Tool/Source.h"

namespace tilefold::cli {

/// A program made for what its inputs are.
struct Prepared {
  Config config;
  std::string target{support::portable_target}; ///< of the code that is made for a GPU
  Module module;
  Taken taken;
  Tensors tensors;
  Scalars scalars;
  std::string origin; ///< "FILE", "random numbers, seed 0"
  bool random = false;
};

/// The tensors of a run and the program for their dtype and head dim. Random inputs are still to be drawn.
Prepared prepareRun(const Source &source, const RunOptions &options);

/// Fills random inputs: once the arguments are known to be right, for it may take long.
void drawInputs(Prepared &prepared, std::uint64_t seed);

/// The same program for the blocks of `target`, which may have more shared memory than is everywhere.
void makeFor(const std::string &target, const Source &source, Prepared &prepared);

/// --scale, --splits and --scalar, as far as the program takes them; else an error that says what it takes.
Scalars makeScalars(const NamedKernel &program, const Module &module, const ScalarOptions &options);

/// Shapes by name from "a=300x200,b=200x150".
std::map<std::string, support::Shape> parseShapes(const std::string &option, const std::string &text);

/// Query and key heads from "32/8" or "32".
std::pair<std::int64_t, std::int64_t> parseHeads(const std::string &option, const std::string &text);

} // namespace tilefold::cli
