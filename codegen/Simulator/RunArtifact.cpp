// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/RunArtifact.h"
#include "codegen/Simulator/HostMemory.h"
#include "codegen/Simulator/Machine/Shadow.h"
#include "runtime/artifact/manifest.h"
#include "runtime/plan/plan.h"
#include "support/memory.h"

#include <algorithm>
#include <cstring>

namespace tilefold::sim {

namespace {

using runtime::Result;
using runtime::Status;
using support::HostTensor;

class Run {
public:
  Run(const runtime::Artifact &artifact, const FindKernel &find, const ArtifactRunOptions &options, Report &report)
      : artifact(artifact), find(find), options(options), report(report) {}

  Result<std::map<std::string, HostTensor>> run(const std::map<std::string, const HostTensor *> &tensors,
                                                const std::map<std::string, double> &scalars) {
    Result<runtime::HostArguments> made = runtime::make_host_arguments(artifact, tensors, scalars, options.device);
    if (!made)
      return made.status();
    uint64_t bytes = 0;
    for (const auto &[name, tensor] : tensors)
      bytes += made->outputs.count(name) ? 0 : tensor->storage().size();
    for (const auto &[name, tensor] : made->outputs)
      bytes += tensor.storage().size();
    if (Status status = checkMemory(bytes, "the tensors"); !status)
      return status;
    arguments = made->scalars;
    for (const auto &[name, tensor] : tensors)
      if (!made->outputs.count(name))
        place(name, *tensor, TILEFOLD_INPUT);
    for (const auto &[name, tensor] : made->outputs)
      place(name, tensor, role_of(name));
    Result<runtime::Plan> plan = makePlan();
    if (!plan)
      return plan.status();
    for (const runtime::PlannedLaunch &launch : plan->launches)
      if (Status status = isStopped ? Status() : send(launch); !status)
        return status;
    if (Status status = isStopped ? Status() : checkZeroed(*plan); !status)
      return status;
    for (auto &[name, tensor] : made->outputs)
      std::memcpy(tensor.storage().data(), memory.at(name).data(), tensor.storage().size());
    return std::move(made->outputs);
  }

private:
  tilefold_role role_of(const std::string &name) const {
    const runtime::Manifest &manifest = artifact.manifest();
    return manifest.tensors[size_t(manifest.symbols.find_tensor(name))].role;
  }

  void place(const std::string &name, const HostTensor &tensor, tilefold_role role) {
    const std::vector<std::byte> &storage = tensor.storage();
    uint8_t *base = memory.try_emplace(name, storage.size()).first->second.data();
    const bool initialised = role != TILEFOLD_OUTPUT;
    if (initialised && !storage.empty())
      std::memcpy(base, storage.data(), storage.size());
    arguments.tensor(name, base + (tensor.data() - storage.data()), runtime::dtype_of(tensor.dtype()), tensor.shape(),
                     tensor.strides());
    addRegion(name, base, storage.size(), role != TILEFOLD_INPUT, initialised);
  }

  void addRegion(const std::string &name, uint8_t *begin, uint64_t bytes, bool writable, bool initialised) {
    if (bytes == 0)
      return;
    GlobalRegion region;
    region.name = name;
    region.begin = begin;
    region.bytes = bytes;
    region.writable = writable;
    region.initialised = initialised;
    regions.push_back(std::move(region));
  }

  Result<runtime::Plan> makePlan() {
    Result<uint64_t> bytes = artifact.workspace_bytes(arguments.view(), options.device);
    if (!bytes)
      return bytes.status();
    if (Status status = checkMemory(*bytes, "the workspaces"); !status)
      return status;
    workspace.emplace(*bytes);
    uint8_t *base = workspace->data();
    Result<runtime::Plan> plan = artifact.plan(arguments.view(), options.device, reinterpret_cast<uint64_t>(base));
    if (!plan)
      return plan;
    for (const runtime::PlannedWorkspace &part : plan->workspaces) {
      if (part.zero_once)
        std::memset(base + part.offset, 0, part.bytes);
      addRegion(part.name, base + part.offset, part.bytes, /*writable=*/true, part.zero_once);
    }
    return plan;
  }

  Status send(const runtime::PlannedLaunch &planned) {
    if (planned.blocks == 0)
      return {};
    support::Result<const KernelCode *> kernel = find(planned.entry);
    if (!kernel)
      return {TILEFOLD_ERROR_UNSUPPORTED, kernel.message()};
    std::vector<uint64_t> values = planned.parameters;
    std::vector<void *> parameters;
    for (uint64_t &value : values)
      parameters.push_back(&value);
    LaunchOptions launching;
    launching.blocks = planned.blocks;
    launching.threads = planned.block;
    launching.cluster = planned.cluster;
    launching.sharedBytes = planned.shared;
    launching.seed = options.seed;
    launching.completion = options.completion;
    launching.hostThreads = options.hostThreads;
    isStopped = !launch(**kernel, parameters.data(), regions, launching, report);
    return {};
  }

  /// Everything is copied, and what kernels touch has shadows.
  static Status checkMemory(uint64_t bytes, const std::string &what) {
    const uint64_t most = UINT64_MAX / (1 + kShadowBytes);
    if (support::Status status = support::check_memory(std::min(bytes, most) * (1 + kShadowBytes), "watching " + what); !status)
      return {TILEFOLD_ERROR_MEMORY, status.message()};
    return {};
  }

  /// A workspace that is zeroed once has zeros for the next run as well.
  Status checkZeroed(const runtime::Plan &plan) {
    for (const runtime::PlannedWorkspace &part : plan.workspaces) {
      const uint8_t *begin = workspace->data() + part.offset, *end = begin + part.bytes;
      const uint8_t *found = std::find_if(begin, end, [](uint8_t byte) { return byte != 0; });
      if (part.zero_once && found != end)
        return {TILEFOLD_ERROR_UNSUPPORTED, "workspace '" + part.name + "' is not zero after the run, at byte " +
                                                std::to_string(found - begin) +
                                                "; it is zero_once, expected zeros for the next run"};
    }
    return {};
  }

  const runtime::Artifact &artifact;
  const FindKernel &find;
  const ArtifactRunOptions &options;
  Report &report;
  runtime::Arguments arguments;
  std::map<std::string, HostMemory> memory;
  std::optional<HostMemory> workspace;
  bool isStopped = false; ///< a launch did not come to its end: what it leaves is nothing for the next
  std::vector<GlobalRegion> regions;
};

} // namespace

Result<std::map<std::string, HostTensor>> run_on_simulator(const runtime::Artifact &artifact, const FindKernel &find,
                                                           const std::map<std::string, const HostTensor *> &tensors,
                                                           const std::map<std::string, double> &scalars,
                                                           const ArtifactRunOptions &options, Report &report) {
  return Run(artifact, find, options, report).run(tensors, scalars);
}

} // namespace tilefold::sim
