// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Tool/tool.h"
#include "support/chip.h"

#include <optional>

namespace tilefold::cli {

/// A mistake of the user: one sentence that names the option or argument. The process ends with exit code 2.
struct UsageError {
  std::string message;
};
/// The run itself failed. Exit code 1.
struct RunError {
  std::string message;
};

struct ConfigOptions {
  std::optional<std::string> dtype;
  std::optional<int> headDim;
  bool causal = false;
};

struct ScalarOptions {
  std::optional<double> scale;
  std::optional<std::int64_t> splits;
  std::vector<std::string> scalars; ///< NAME=VALUE
};

struct RunOptions {
  std::string program, in, out, random, on = "auto";
  std::optional<std::uint64_t> seed;
  ConfigOptions config;
  ScalarOptions scalars;
  bool check = false;
  std::optional<int> device;
  std::optional<unsigned> threads;
  std::optional<std::string> target, report, completion; ///< of the simulator: sm_80, text, late
  std::optional<unsigned> seeds;                          ///< likewise: 1
};

struct CompileOptions {
  std::string program; ///< or a file of IR
  ConfigOptions config;
  std::string target{support::portable_target}, emit = "artifact", out;
  std::vector<std::string> printAfter, cubins;
  int warps = 0, stages = 0;
};

struct InfoOptions {
  std::string artifact;
  bool code = false;
};

struct ExplainOptions {
  std::string program, shape, device = "h200";
  std::optional<std::string> heads;         ///< 32/8
  std::optional<std::int64_t> batch, sq, sk; ///< 1, 4096, sq
  ConfigOptions config;
  ScalarOptions scalars;
};

using Programs = std::vector<NamedKernel>;

/// The commands; each returns an exit code or throws one of the errors above.
int run(const RunOptions &options, const Programs &programs);
int compileProgram(const CompileOptions &options, const Programs &programs);
int info(const InfoOptions &options);
int explain(const ExplainOptions &options, const Programs &programs);

/// The program of that name; with an empty name the only one there is.
const NamedKernel &findProgram(const Programs &programs, const std::string &name);

/// The configuration that options ask for, for code for `target`. Error: an unknown dtype.
Config makeConfig(const ConfigOptions &options, std::string_view target = support::portable_target);

/// Head dims that programs can be traced for.
constexpr int kMostHeadDim = 1024;

/// Whether both name the same file, which exists.
bool isSameFile(const std::string &a, const std::string &b);

/// As the name of an output file.
inline constexpr std::string_view kStandardOutput = "-";

} // namespace tilefold::cli
