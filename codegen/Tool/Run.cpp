// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `run`: a program on host tensors, by the interpreter, on a GPU or on the simulator.
#include "codegen/Tool/Check.h"
#include "codegen/Tool/Inputs.h"
#include "codegen/Tool/Notice.h"
#include "codegen/Tool/RunOnSimulator.h"
#include "codegen/Tool/StandardOutput.h"
#include "runtime/tilefold.hpp"
#include "runtime/tools/host_run.h"
#include "support/memory.h"
#include "support/safetensors.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace tilefold::cli {
namespace {

struct Executor {
  bool cuda = false;
  std::string text;   ///< "the interpreter (no CUDA driver ...)"
  std::string target; ///< whose code it takes; of the interpreter, any
};

/// Code for the device itself, which may use all of its shared memory; for one that the compiler does not know, the code that
/// runs everywhere.
std::string targetOf(const runtime::DeviceProperties &device) {
  const std::string own = fmt::format("sm_{}{}", device.capability_major, device.capability_minor);
  return support::shared_bytes_of(own) ? own : std::string(support::portable_target);
}

/// Why the program cannot run on a GPU whatever the machine; empty if it can.
std::string notOnCuda(const Prepared &prepared) {
  if (!isAttention(prepared.module))
    return {};
  if (prepared.module.find("q")->dtype == support::DType::f32)
    return "f32 inputs run on the interpreter only, for now";
  return {};
}

Executor chooseExecutor(const RunOptions &options, const Prepared &prepared) {
  if (options.on == "interpreter")
    return {false, "the interpreter", {}};
  const bool must = options.on == "cuda";
  if (const std::string reason = notOnCuda(prepared); !reason.empty()) {
    if (must)
      throw UsageError{"--on cuda: " + reason};
    return {false, "the interpreter (" + reason + ")", {}};
  }
  const int number = options.device.value_or(0);
  const auto count = runtime::device_count();
  std::string reason;
  if (!count)
    reason = count.status().message();
  else if (*count == 0)
    reason = "the CUDA driver sees no device";
  else if (number >= *count)
    throw UsageError{fmt::format("--device: expected a number below {}, the count of CUDA devices, got {}", *count, number)};
  if (reason.empty()) {
    const auto device = runtime::device_properties(number);
    if (device && device->capability_major >= 8)
      return {true, fmt::format("CUDA device {} (sm_{}{}, {} SMs) with code for {}", number, device->capability_major,
                                device->capability_minor, device->multiprocessor_count, targetOf(*device)), targetOf(*device)};
    reason = device ? fmt::format("device {} is sm_{}{}, programs need sm_80 or later", number, device->capability_major,
                                  device->capability_minor)
                    : device.status().message();
  }
  if (must)
    throw UsageError{"--on cuda: " + reason};
  return {false, "the interpreter (" + reason + ")", {}};
}

bool isInputFault(const runtime::Status &status) {
  return status.code() == TILEFOLD_ERROR_ARGUMENT || status.code() == TILEFOLD_ERROR_UNSUPPORTED;
}

Tensors runOnCuda(const Prepared &prepared, const RunOptions &options) {
  Request request;
  request.config = prepared.config;
  request.taken = prepared.taken;
  request.target = prepared.target;
  std::optional<Notice> notice("compiling");
  const auto bytes = prepared.module.compile(request);
  notice.reset();
  if (!bytes)
    throw UsageError{"compiling for the GPU failed\n" + bytes.message()};
  const auto artifact = runtime::Artifact::from_memory(bytes->data(), bytes->size());
  if (!artifact)
    throw RunError{artifact.status().message()};
  std::map<std::string, const support::HostTensor *> inputs;
  for (const auto &[name, tensor] : prepared.tensors)
    inputs[name] = &tensor;
  runtime::HostRunOptions run;
  run.device = options.device.value_or(0);
  auto result = runtime::run_on_host_tensors(*artifact, inputs, prepared.scalars, run);
  if (!result && isInputFault(result.status()))
    throw UsageError{result.status().message()};
  if (!result)
    throw RunError{result.status().message()};
  return std::move(result->outputs);
}

/// Without a copy of the inputs, which may be most of the memory; what the check needs of them is there afterwards.
Tensors runOnInterpreter(Prepared &prepared, const RunOptions &options) {
  Tensors tensors = std::exchange(prepared.tensors, {});
  for (const Argument &argument : prepared.module.arguments())
    if (argument.role == "inout" && options.check) {
      const support::HostTensor &before = tensors.at(argument.name);
      if (auto status = support::check_memory(before.storage().size(), "a copy of '" + argument.name + "'"); !status)
        throw UsageError{"--check: " + status.message()};
      prepared.tensors.emplace(argument.name, before);
    }
  const auto unwritten = prepared.module.interpret(tensors, prepared.scalars, options.threads.value_or(0));
  if (!unwritten)
    throw RunError{unwritten.message()};
  for (const auto &[name, count] : *unwritten)
    fmt::print("  note: {} of {} elements of output '{}' were never written and hold no value\n", count, tensors.at(name).count(), name);
  for (const Argument &argument : prepared.module.arguments())
    if (argument.role == "input")
      prepared.tensors.insert(tensors.extract(argument.name));
  return tensors;
}

/// What would have no effect, or a bad one, is refused.
void checkOptions(const RunOptions &options) {
  const bool simulator = options.on == "simulator";
  if (!options.random.empty() && !options.in.empty())
    throw UsageError{fmt::format("--random: draws inputs, and --in brings them: expected one of the two, got '{}' and '{}'", options.random, options.in)};
  if (options.seed && !options.in.empty() && !simulator)
    throw UsageError{"--seed: draws the tensors of --random; --in brings its own"};
  if (options.device && (options.on == "interpreter" || simulator))
    throw UsageError{fmt::format("--device: chooses a CUDA device, and --on {} uses none", options.on)};
  for (const auto &[name, option] : {std::pair{"--target", &options.target}, {"--report", &options.report},
                                     {"--completion", &options.completion}})
    if (option->has_value() && !simulator)
      throw UsageError{fmt::format("{}: is the simulator's, which needs --on simulator", name)};
  if (options.seeds && !simulator)
    throw UsageError{"--seeds: is the simulator's, which needs --on simulator"};
  if (options.threads && options.on == "cuda")
    throw UsageError{"--threads: are those of this computer, which --on cuda does not use"};
  if (options.out == kStandardOutput && options.report == "json")
    throw UsageError{"--report: json stands alone on standard output, and --out - puts the tensors there: expected another file"};
  if (isSameFile(options.in, options.out))
    throw UsageError{fmt::format("--out: '{}' is the input: expected another file", options.out)};
}

/// What can be known before a long run whose results would have no place.
void checkWritable(const std::string &path) {
  if (path.empty() || path == kStandardOutput)
    return;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const std::string asked = access(path.c_str(), F_OK) == 0 ? path : folder.empty() ? "." : folder;
  if (access(asked.c_str(), W_OK) != 0)
    throw UsageError{fmt::format("--out: cannot write '{}': {}", path, std::strerror(errno))};
}

/// Arguments are checked here as on any executor: what is wrong with them is told before anything runs. So is a lack of memory, as
/// far as it can be known.
void checkArguments(Prepared &prepared, const RunOptions &options) {
  if (auto status = prepared.module.prepare(prepared.tensors, prepared.scalars); !status)
    throw UsageError{status.message()};
  if (options.check)
    requireCheckMemory(prepared);
  for (const Argument &argument : prepared.module.arguments())
    if (argument.role == "output")
      prepared.tensors.erase(argument.name); // the executor makes its own
}

std::string shapeList(const Prepared &prepared) {
  std::string text;
  for (const Argument &argument : prepared.module.arguments())
    if (const auto it = prepared.tensors.find(argument.name); it != prepared.tensors.end() && argument.role != "output")
      text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", argument.name, support::name(it->second.dtype()),
                          support::to_string(it->second.shape()));
  return text;
}

/// To `path`, or to where standard output is kept for them.
void writeOutputs(const std::string &path, const StandardOutput *kept, const NamedKernel &program, const Prepared &prepared,
                  const Tensors &outputs) {
  std::vector<std::pair<std::string, const support::HostTensor *>> written;
  for (const Argument &argument : prepared.module.arguments())
    if (argument.role == "output" || argument.role == "inout")
      if (const auto it = outputs.find(argument.name); it != outputs.end())
        written.emplace_back(argument.name, &it->second);
  const std::map<std::string, std::string> metadata{{"program", program.name}};
  const auto status = kept ? support::write_safetensors(kept->descriptor(), written, metadata) : support::write_safetensors(path, written, metadata);
  if (!status)
    throw UsageError{"--out: " + status.message()};
  if (!kept)
    fmt::print("  wrote {}\n", path);
}

} // namespace

int run(const RunOptions &options, const Programs &programs) {
  const Source source = findSource(programs, options.program);
  const NamedKernel &program = source.program;
  checkOptions(options);
  if (isSameFile(source.file, options.out))
    throw UsageError{fmt::format("--out: '{}' is the program: expected another file", options.out)};
  checkWritable(options.out);
  std::optional<StandardOutput> tensorsAlone;
  if (options.out == kStandardOutput)
    tensorsAlone.emplace();
  Prepared prepared = prepareRun(source, options);
  if (options.check)
    requireReference(program, prepared.module);
  std::optional<SimulatorRun> simulator;
  if (options.on == "simulator") {
    if (const std::string reason = notOnCuda(prepared); !reason.empty())
      throw UsageError{"--on simulator: " + reason};
    simulator.emplace(options);
  }
  const Executor executor = simulator ? Executor{false, simulator->text(), simulator->target()} : chooseExecutor(options, prepared);
  if (!executor.target.empty())
    makeFor(executor.target, source, prepared);
  checkArguments(prepared, options);
  drawInputs(prepared, options.seed.value_or(0));

  fmt::print("{}{}: {}\n  from {}, on {}\n", program.name, prepared.config.causal ? ", causal" : "", shapeList(prepared),
             prepared.origin, executor.text);
  std::fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  const Tensors outputs = simulator       ? simulator->run(prepared)
                          : executor.cuda ? runOnCuda(prepared, options)
                                          : runOnInterpreter(prepared, options);
  fmt::print("  ran in {:.2f} s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  std::fflush(stdout);
  if (!options.out.empty())
    writeOutputs(options.out, tensorsAlone ? &*tensorsAlone : nullptr, program, prepared, outputs);
  else if (!options.check)
    fmt::print("  the outputs are dropped: --out FILE writes them\n");
  const bool right = !options.check || checkOutputs(program, prepared, outputs);
  if (simulator && simulator->report())
    return 3;
  return right ? 0 : 1;
}

} // namespace tilefold::cli
