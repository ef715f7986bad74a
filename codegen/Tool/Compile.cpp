// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `compile` and `info`.
#include "codegen/Tool/Inputs.h"
#include "runtime/tilefold.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>

namespace tilefold::cli {
namespace {

bool isFile(const std::string &text) { return text.size() > 5 && text.compare(text.size() - 5, 5, ".mlir") == 0; }

Module parseFile(const CompileOptions &options) {
  if (options.config.dtype || options.config.headDim || options.config.causal)
    throw UsageError{fmt::format("{}: '{}' is IR, which this option cannot change", options.config.dtype ? "--dtype"
                                 : options.config.headDim ? "--head-dim" : "--causal", options.program)};
  auto module = Module::parse(options.program);
  if (!module)
    throw UsageError{"program: " + module.message()};
  return *std::move(module);
}

void write(const std::string &path, const std::string &bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), std::streamsize(bytes.size()));
  file.close();
  if (!file)
    throw UsageError{fmt::format("--out: '{}' cannot be written", path)};
}

/// sm_80, sm_90a, ...
void checkTarget(const std::string &option, const std::string &target) {
  if (!support::shared_bytes_of(target))
    throw UsageError{fmt::format("{}: expected one of {}, or one with its architecture's or family's features (sm_90a, sm_100f), "
                                 "got '{}'", option, support::targets_with(), target)};
}

/// What would have no effect is refused.
void checkOptions(const CompileOptions &options) {
  checkTarget("--target", options.target);
  std::set<std::string> seen;
  for (const std::string &chip : options.cubins) {
    checkTarget("--cubin", chip);
    if (!seen.insert(chip).second)
      throw UsageError{fmt::format("--cubin: '{}' is given twice", chip)};
  }
  if (!options.cubins.empty() && options.emit != "artifact")
    throw UsageError{fmt::format("--cubin: goes into an artifact, which --emit={} does not make", options.emit)};
  // A block has at most 1024 threads; a power of two shares tiles evenly. (0 leaves the choice to the schedule.)
  if (options.warps & (options.warps - 1))
    throw UsageError{fmt::format("--warps: expected 1, 2, 4, 8, 16 or 32, got {}", options.warps)};
}

/// The same, as far as it depends on what is compiled.
void checkOptions(const CompileOptions &options, const Module &module) {
  const std::string stage = module.stage();
  if (options.warps || options.stages) {
    const char *option = options.warps ? "--warps" : "--stages";
    if (options.emit == "tile")
      throw UsageError{fmt::format("{}: --emit=tile is the program before there is a schedule", option)};
    if (stage != "tile")
      throw UsageError{fmt::format("{}: '{}' is of stage '{}', which has its schedule", option, options.program, stage)};
  }
  const std::vector<std::string> passes = module.passes(options.emit);
  for (const std::string &name : options.printAfter)
    if (name != "all" ? std::find(passes.begin(), passes.end(), name) == passes.end() : passes.empty())
      throw UsageError{fmt::format("--print-ir-after: from stage '{}' to --emit={} {}, got '{}'", stage, options.emit,
                                   passes.empty() ? "no pass runs" : fmt::format("expected all or one of {}", fmt::join(passes, ", ")),
                                   name)};
}

} // namespace

int compileProgram(const CompileOptions &options, const Programs &programs) {
  checkOptions(options);
  Request request;
  request.emit = options.emit;
  request.target = options.target;
  request.printAfter = options.printAfter;
  request.cubins = options.cubins;
  request.warps = options.warps;
  request.stages = options.stages;

  std::string stem;
  std::optional<Module> module;
  if (isFile(options.program)) {
    if (isSameFile(options.program, options.out))
      throw UsageError{fmt::format("--out: '{}' is the input: expected another file", options.out)};
    module = parseFile(options);
    stem = options.program.substr(0, options.program.size() - 5);
    stem = stem.substr(stem.find_last_of('/') + 1);
  } else {
    const NamedKernel &program = findProgram(programs, options.program);
    const Config config = makeConfig(program, options.config, options.target);
    module = traceProgram(program, config);
    stem = program.name;
    if (program.configurable)
      request.config = config;
    if (isAttention(*module) && options.emit != "tile")
      checkTensorCores(program, program.configurable ? config.head_dim : module->headDim().value_or(config.head_dim));
    // Interpreting is all that f32 products can do so far; the lower levels would refuse them with less to say.
    if (config.dtype == support::DType::f32 && isAttention(*module) && options.emit != "tile")
      throw UsageError{"--dtype: f32 attention runs on the interpreter only, for now; expected f16 or bf16"};
  }
  checkOptions(options, *module);
  const auto bytes = module->compile(request);
  if (!bytes)
    throw UsageError{"compiling '" + stem + "' failed\n" + bytes.message()};
  const bool binary = options.emit == "artifact" || options.emit == "cubin";
  const std::string path = !options.out.empty() ? options.out : binary ? stem + (options.emit == "cubin" ? ".cubin" : ".tilefold") : "-";
  if (path == "-") {
    std::fwrite(bytes->data(), 1, bytes->size(), stdout);
    return 0;
  }
  write(path, *bytes);
  if (binary)
    fmt::print("wrote {} ({} bytes)\n", path, bytes->size());
  return 0;
}

int info(const InfoOptions &options) {
  const auto artifact = runtime::Artifact::open(options.artifact);
  if (!artifact)
    throw UsageError{"artifact: " + artifact.status().message()};
  fmt::print("{}\n", artifact->to_json_text(options.code));
  return 0;
}

} // namespace tilefold::cli
