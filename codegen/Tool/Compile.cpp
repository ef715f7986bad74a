// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `compile` and `info`.
#include "codegen/Tool/Source.h"
#include "runtime/tilefold.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

namespace tilefold::cli {
namespace {

void write(const std::string &path, const std::string &bytes) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  const bool isOpen = file.is_open();
  file.write(bytes.data(), std::streamsize(bytes.size()));
  file.close();
  if (file)
    return;
  const std::string reason = errno ? fmt::format(": {}", std::strerror(errno)) : "";
  std::error_code ignored;
  if (isOpen && std::filesystem::is_regular_file(path, ignored)) // half of an artifact is none
    std::filesystem::remove(path, ignored);
  throw UsageError{fmt::format("--out: '{}' cannot be written{}", path, reason)};
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
  const Source source = findSource(programs, options.program);
  const std::string &name = source.program.name;
  if (isSameFile(source.file, options.out))
    throw UsageError{fmt::format("--out: '{}' is the input: expected another file", options.out)};
  const Config config = makeConfig(options.config, options.target);
  const Traced traced = source.make(config, options.config);
  checkOptions(options, traced.module);
  if (isAttention(traced.module) && options.emit != "tile")
    checkTensorCores(source.program, traced);

  Request request;
  request.emit = options.emit;
  request.target = options.target;
  request.printAfter = options.printAfter;
  request.cubins = options.cubins;
  request.warps = options.warps;
  request.stages = options.stages;
  request.config = config;
  request.taken = traced.taken;
  const auto bytes = traced.module.compile(request);
  if (!bytes)
    throw UsageError{"compiling '" + name + "' failed\n" + bytes.message()};
  const bool binary = options.emit == "artifact" || options.emit == "cubin";
  const std::string path = !options.out.empty() ? options.out : binary ? name + (options.emit == "cubin" ? ".cubin" : ".tilefold") : std::string(kStandardOutput);
  if (path == kStandardOutput) {
    std::fwrite(bytes->data(), 1, bytes->size(), stdout);
    return 0;
  }
  write(path, *bytes);
  if (binary)
    fmt::print("wrote {} ({} bytes)\n", path, bytes->size());
  return 0;
}

int info(const InfoOptions &options) {
  if (options.artifact.empty())
    throw UsageError{"artifact: expected the file of one, got none; see --help"};
  const auto artifact = runtime::Artifact::open(options.artifact);
  if (!artifact)
    throw UsageError{"artifact: " + artifact.status().message()};
  fmt::print("{}\n", artifact->to_json_text(options.code));
  return 0;
}

} // namespace tilefold::cli
