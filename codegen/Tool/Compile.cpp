// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `compile` and `info`.
#include "codegen/Tool/Inputs.h"
#include "runtime/tilefold.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

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
  int number = 0;
  char letter = 0, rest = 0;
  const int fields = std::sscanf(target.c_str(), "sm_%d%c%c", &number, &letter, &rest);
  if (fields < 1 || fields > 2 || (fields == 2 && letter != 'a' && letter != 'f') || number < 80 || number > 200)
    throw UsageError{fmt::format("{}: expected sm_80 or a later chip, got '{}'", option, target)};
}

} // namespace

int compileProgram(const CompileOptions &options, const Programs &programs) {
  checkTarget("--target", options.target);
  for (const std::string &chip : options.cubins)
    checkTarget("--cubin", chip);
  if (options.warps < 0 || options.stages < 0)
    throw UsageError{fmt::format("{}: expected 0 or more, got {}", options.warps < 0 ? "--warps" : "--stages",
                                 options.warps < 0 ? options.warps : options.stages)};
  // A block has at most 1024 threads; a power of two shares tiles evenly. (0 leaves the choice to the schedule.)
  if (options.warps > 32 || (options.warps & (options.warps - 1)))
    throw UsageError{fmt::format("--warps: expected 1, 2, 4, 8, 16 or 32, got {}", options.warps)};
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
    module = parseFile(options);
    stem = options.program.substr(0, options.program.size() - 5);
    stem = stem.substr(stem.find_last_of('/') + 1);
  } else {
    const NamedKernel &program = findProgram(programs, options.program);
    const Config config = makeConfig(program, options.config);
    module = traceProgram(program, config);
    stem = program.name;
    if (program.configurable)
      request.config = config;
    // Interpreting is all that f32 products can do so far; the lower levels would refuse them with less to say.
    if (config.dtype == support::DType::f32 && isAttention(*module) && options.emit != "tile")
      throw UsageError{"--dtype: f32 attention runs on the interpreter only, for now; expected f16 or bf16"};
  }
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
