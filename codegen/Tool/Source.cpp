// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/Source.h"

#include <fmt/format.h>

#include <filesystem>

namespace tilefold::cli {

Source findSource(const Programs &programs, const std::string &text) {
  const std::filesystem::path path(text);
  if (path.extension() != ".mlir")
    return {findProgram(programs, text), {}};
  return {NamedKernel(path.stem().string(), [](Program &) {}), text};
}

static Module moduleOf(const Source &source, const Config &config) {
  auto module = source.file.empty() ? Module::trace(source.program.make(config), source.program.name) : Module::parse(source.file);
  if (!module)
    throw UsageError{source.file.empty() ? "program '" + source.program.name + "' has errors\n" + module.message()
                                         : "program: " + module.message()};
  return *std::move(module);
}

/// The same configuration; what is read of it is noted.
static Config noting(const Config &config, const std::shared_ptr<Taken> &taken) {
  auto flag = [&](bool Taken::*member) { return std::shared_ptr<bool>(taken, &((*taken).*member)); };
  return {config.dtype.noting(flag(&Taken::dtype)), config.head_dim.noting(flag(&Taken::headDim)),
          config.causal.noting(flag(&Taken::causal)), config.shared_bytes.noting(flag(&Taken::sharedBytes))};
}

/// Throws a UsageError on an option for what was not taken.
static void checkGiven(const Source &source, const ConfigOptions &given, const Taken &taken) {
  const struct {
    const char *option, *setting;
    bool isIdle;
  } options[] = {{"--dtype", "dtype", given.dtype && !taken.dtype},
                 {"--head-dim", "head_dim", given.headDim && !taken.headDim},
                 {"--causal", "causal", given.causal && !taken.causal}};
  const std::string &name = source.program.name;
  for (const auto &[option, setting, isIdle] : options) {
    if (!isIdle)
      continue;
    if (!source.file.empty())
      throw UsageError{fmt::format("{}: '{}' is IR, which this option cannot change", option, source.file)};
    if (!source.program.configurable)
      throw UsageError{fmt::format("{}: '{}' is one fixed kernel, which this option cannot change", option, name)};
    throw UsageError{fmt::format("{}: would change nothing in '{}', which is made without a look at Config::{}", option, name, setting)};
  }
}

Traced Source::make(const Config &config, const ConfigOptions &given) const {
  if (!program.configurable) // it takes nothing, whatever else may be wrong with it
    checkGiven(*this, given, {});
  const auto taken = std::make_shared<Taken>();
  Traced result{moduleOf(*this, noting(config, taken)), *taken};
  checkGiven(*this, given, *taken);
  return result;
}

bool isAttention(const Module &module) {
  for (const char *name : {"q", "k", "v"})
    if (const Argument *argument = module.find(name); !argument || argument->role != "input" || argument->rank != 4)
      return false;
  const Argument *o = module.find("o");
  return o && o->role == "output" && o->rank == 4;
}

void checkTensorCores(const NamedKernel &program, const Traced &traced) {
  // Interpreting is all that f32 products can do so far; the lower levels would refuse them with less to say.
  if (traced.module.find("q")->dtype == support::DType::f32)
    throw UsageError{(traced.taken.dtype ? "--dtype: " : fmt::format("program '{}': ", program.name)) + "f32 attention runs on the interpreter only, for now; expected f16 or bf16"};
}

} // namespace tilefold::cli
