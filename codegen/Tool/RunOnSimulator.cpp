// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/RunOnSimulator.h"
#include "codegen/Simulator/RunArtifact.h"
#include "codegen/Tool/Devices.h"
#include "codegen/Tool/Notice.h"
#include "codegen/Tool/StandardOutput.h"
#include "runtime/plan/target.h"

#include <fmt/format.h>

namespace tilefold::cli {

/// The last GPU of the table, which is the largest, on which code for `target` runs as on its own.
static const Device &deviceFor(const std::string &target) {
  const auto wanted = runtime::Target::parse(target);
  const Device *found = nullptr;
  std::string known;
  for (const Device &device : devices()) {
    if (wanted && device.capabilityMajor == wanted->major && device.capabilityMinor == wanted->minor)
      found = &device;
    const std::string name = fmt::format("sm_{}{}", device.capabilityMajor, device.capabilityMinor);
    if (known.find(name) == std::string::npos)
      known += (known.empty() ? "" : ", ") + name;
  }
  if (!found)
    throw UsageError{fmt::format("--target: the simulator knows devices of {} (or sm_90a), got '{}'", known, target)};
  return *found;
}

runtime::DeviceProperties simulatedDevice(const std::string &target) {
  const Device &device = deviceFor(target);
  return {device.capabilityMajor, device.capabilityMinor, device.multiprocessors,
          *support::shared_bytes_of(device.capabilityMajor, device.capabilityMinor)};
}

struct SimulatorRun::State {
  std::string target;
  bool json = false;
  unsigned seeds = 1;
  sim::ArtifactRunOptions options;
  sim::Report report;
  std::optional<StandardOutput> reserved;
};

SimulatorRun::SimulatorRun(const RunOptions &options) : state(std::make_unique<State>()) {
  state->target = options.target.value_or(std::string(support::portable_target));
  state->options.device = simulatedDevice(state->target);
  state->options.completion = options.completion == "random" ? sim::Completion::Random : sim::Completion::Late;
  state->options.seed = options.seed.value_or(0);
  state->seeds = options.seeds.value_or(1);
  state->options.hostThreads = options.threads.value_or(0);
  state->json = options.report == "json";
  if (state->json)
    state->reserved.emplace();
}
SimulatorRun::~SimulatorRun() = default;

const std::string &SimulatorRun::target() const { return state->target; }

std::string SimulatorRun::text() const {
  const std::uint64_t first = state->options.seed;
  return fmt::format("the simulator ({}, {} SMs as {}, {})", state->target, state->options.device.multiprocessor_count,
                     deviceFor(state->target).name,
                     state->seeds == 1 ? fmt::format("seed {}", first) : fmt::format("seeds {} to {}", first, first + state->seeds - 1));
}

Tensors SimulatorRun::run(const Prepared &prepared) {
  Request request;
  request.config = prepared.config;
  request.taken = prepared.taken;
  request.target = prepared.target;
  std::optional<Notice> notice("compiling");
  auto compiled = prepared.module.compileForSimulator(request);
  notice.reset();
  if (!compiled)
    throw UsageError{"compiling for the simulator failed\n" + compiled.message()};
  const auto artifact = runtime::Artifact::from_memory(compiled->artifact.data(), compiled->artifact.size());
  if (!artifact)
    throw RunError{artifact.status().message()};
  std::map<std::string, const support::HostTensor *> inputs;
  for (const auto &[name, tensor] : prepared.tensors)
    inputs[name] = &tensor;
  notice.emplace("simulating");
  auto find = [&](const std::string &entry) { return compiled->kernels.find(entry); };
  std::optional<Tensors> outputs;
  sim::ArtifactRunOptions options = state->options;
  for (unsigned n = 0; n < state->seeds; ++n, ++options.seed) {
    auto result = sim::run_on_simulator(*artifact, find, inputs, prepared.scalars, options, state->report);
    if (!result)
      throw UsageError{(result.status().code() == TILEFOLD_ERROR_MEMORY ? "--on simulator: " : "") + result.status().message()};
    if (!outputs)
      outputs = *std::move(result);
    // Programs have no order of events in their results; where a finding tells of one, that is enough.
    else if (state->report.findings().empty())
      for (const auto &[name, tensor] : *outputs)
        if (!support::same_bits(tensor, result->at(name)))
          throw RunError{fmt::format("'{}' has other bits with seed {} than with seed {}", name, options.seed, state->options.seed)};
  }
  notice.reset();
  return *std::move(outputs);
}

bool SimulatorRun::report() {
  if (state->json) {
    state->reserved.reset();
    fmt::print("{}\n", state->report.json());
    std::fflush(stdout);
  } else {
    std::fflush(stdout);
    fmt::print(stderr, "{}", state->report.text());
  }
  return !state->report.findings().empty();
}

} // namespace tilefold::cli
