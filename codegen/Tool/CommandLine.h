// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Tool/tool.h"

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
  std::uint64_t seed = 0;
  ConfigOptions config;
  ScalarOptions scalars;
  bool check = false;
  int device = 0;
  unsigned threads = 0;
};

struct CompileOptions {
  std::string program; ///< or a file of IR
  ConfigOptions config;
  std::string target = "sm_80", emit = "artifact", out;
  std::vector<std::string> printAfter, cubins;
  int warps = 0, stages = 0;
};

struct InfoOptions {
  std::string artifact;
  bool code = false;
};

struct ExplainOptions {
  std::string program, heads = "32/8", shape, device = "h200";
  std::int64_t batch = 1, sq = 4096, sk = 0; ///< sk: sq if 0
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

/// The configuration that options ask for. Errors: a fixed kernel with options, an unknown dtype.
Config makeConfig(const NamedKernel &program, const ConfigOptions &options);

} // namespace tilefold::cli
