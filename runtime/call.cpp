// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/artifact/manifest.h"
#include "runtime/driver/module_cache.h"
#include "runtime/plan/plan.h"
#include "runtime/tilefold.hpp"

#include <algorithm>

namespace tilefold::runtime {

namespace {

/// A launch with nothing left to compute. The driver reads parameters through pointers, so their values stay here.
struct PreparedLaunch {
  cuda::Function function = nullptr;
  cuda::LaunchConfig config{};
  cuda::LaunchAttribute cluster{};
  std::vector<uint64_t> values;
  std::vector<void *> parameters;
  std::string kernel;
};

struct ZeroedPart {
  uint64_t address, bytes;
};

/// Where the first tensor that names one device lies; else the current device, else 0.
Result<int> device_of(const Driver &driver, const tilefold_arguments &arguments) {
  for (size_t i = 0; arguments.tensors && i < arguments.tensor_count; ++i) {
    if (!arguments.tensors[i].data)
      continue;
    Result<PointerFacts> facts = query_pointer(driver, reinterpret_cast<uintptr_t>(arguments.tensors[i].data));
    if (!facts)
      return facts.status();
    if (facts->known && !facts->any_device)
      return facts->ordinal;
  }
  cuda::Device current = 0;
  return driver.cuCtxGetDevice(&current) == cuda::success ? current : 0; // a thread without context is no error
}

Status check_pointer(const Driver &driver, const DeviceContext &device, const std::string &what, uint64_t address,
                     const std::string &argument) {
  Result<PointerFacts> facts = query_pointer(driver, address);
  if (!facts)
    return facts.status();
  if (!facts->known && !device.reads_pageable_memory)
    return {TILEFOLD_ERROR_ARGUMENT, what + " is not at an address that CUDA knows, expected memory of device " +
                                         std::to_string(device.ordinal), argument};
  if (facts->known && !facts->any_device && facts->ordinal != device.ordinal)
    return {TILEFOLD_ERROR_ARGUMENT, what + " lies on device " + std::to_string(facts->ordinal) + ", expected device " +
                                         std::to_string(device.ordinal), argument};
  return {};
}

Status check_pointers(const Driver &driver, const DeviceContext &device, const tilefold_arguments &arguments) {
  for (size_t i = 0; i < arguments.tensor_count; ++i) {
    const tilefold_tensor &tensor = arguments.tensors[i];
    bool empty = false;
    for (int32_t d = 0; d < tensor.rank; ++d)
      empty |= tensor.sizes[d] == 0;
    if (empty)
      continue; // never dereferenced
    if (Status status = check_pointer(driver, device, std::string("argument '") + tensor.name + "'",
                                      reinterpret_cast<uintptr_t>(tensor.data), tensor.name);
        !status)
      return status;
  }
  return {};
}

Status check_workspace(const Driver &driver, const DeviceContext &device, const PrepareOptions &options, uint64_t needed) {
  const uint64_t address = reinterpret_cast<uintptr_t>(options.workspace);
  if (needed == 0)
    return {};
  if (!options.workspace || options.workspace_bytes < needed)
    return {TILEFOLD_ERROR_ARGUMENT, "the workspace has " +
                                         std::to_string(options.workspace ? options.workspace_bytes : 0) +
                                         " bytes, expected at least " + std::to_string(needed), "workspace"};
  if (address % TILEFOLD_WORKSPACE_ALIGNMENT != 0)
    return {TILEFOLD_ERROR_ARGUMENT, "the workspace has address " + std::to_string(address) + ", expected a multiple of " +
                                         std::to_string(TILEFOLD_WORKSPACE_ALIGNMENT), "workspace"};
  return check_pointer(driver, device, "the workspace", address, "workspace");
}

} // namespace

struct Call::State {
  const Driver *driver = nullptr;
  const DeviceContext *device = nullptr;
  std::vector<PreparedLaunch> launches;
  std::vector<ZeroedPart> zeroed;
};

Call::Call() = default;
Call::~Call() = default;
Call::Call(Call &&) noexcept = default;
Call &Call::operator=(Call &&) noexcept = default;

int Call::device() const { return state_ ? state_->device->ordinal : -1; }

Status Call::prepare(const Artifact &artifact, const tilefold_arguments &arguments, const PrepareOptions &options) {
  Result<const Driver *> found = Driver::get();
  if (!found)
    return found.status();
  const Driver &driver = **found;
  const Manifest &manifest = artifact.manifest();

  int ordinal = options.device;
  if (ordinal == TILEFOLD_DEVICE_OF_ARGUMENTS) {
    Result<int> derived = device_of(driver, arguments);
    if (!derived)
      return derived.status();
    ordinal = *derived;
  }
  Result<const DeviceContext *> device = get_device(driver, ordinal);
  if (!device)
    return device.status();

  const uint64_t workspace = reinterpret_cast<uintptr_t>(options.workspace);
  Result<Plan> plan = artifact.plan(arguments, (*device)->properties, workspace);
  if (!plan)
    return plan.status();
  ContextScope scope(driver, (*device)->context);
  if (!scope.status())
    return scope.status();
  if (Status status = check_pointers(driver, **device, arguments); !status)
    return status;
  const bool has_work = std::any_of(plan->launches.begin(), plan->launches.end(),
                                    [](const PlannedLaunch &launch) { return launch.blocks > 0; });
  if (has_work)
    if (Status status = check_workspace(driver, **device, options, plan->workspace_bytes); !status)
      return status;

  auto state = std::make_unique<State>();
  state->driver = &driver;
  state->device = *device;
  state->launches.reserve(plan->launches.size()); // configurations point into the elements
  for (const PlannedLaunch &planned : plan->launches) {
    if (planned.blocks == 0)
      continue;
    Result<cuda::Function> function = load_kernel(driver, **device, manifest, *plan, planned);
    if (!function)
      return function.status();
    PreparedLaunch &launch = state->launches.emplace_back();
    launch.function = *function;
    launch.kernel = planned.kernel;
    launch.values = planned.parameters;
    for (uint64_t &value : launch.values)
      launch.parameters.push_back(&value);
    launch.config = {planned.blocks, 1, 1, planned.block, 1, 1, planned.shared, nullptr, nullptr, 0};
    if (planned.cluster > 1) {
      launch.cluster.id = cuda::launch_attribute_cluster_dimension;
      launch.cluster.value.cluster = {planned.cluster, 1, 1};
      launch.config.attributes = &launch.cluster;
      launch.config.attribute_count = 1;
    }
  }
  if (has_work)
    for (const PlannedWorkspace &part : plan->workspaces)
      if (part.zero_once && part.bytes > 0)
        state->zeroed.push_back({workspace + part.offset, part.bytes});
  state_ = std::move(state);
  return {};
}

Status Call::init_workspace(void *stream) const {
  if (!state_)
    return {TILEFOLD_ERROR_STATE, "the call is not prepared"};
  const Driver &driver = *state_->driver;
  ContextScope scope(driver, state_->device->context);
  if (!scope.status())
    return scope.status();
  for (const ZeroedPart &part : state_->zeroed)
    if (Status status = TILEFOLD_CUDA(driver, cuMemsetD8Async(part.address, 0, part.bytes, static_cast<cuda::Stream>(stream)));
        !status)
      return status;
  return {};
}

Status Call::launch(void *stream) const {
  if (!state_)
    return {TILEFOLD_ERROR_STATE, "the call is not prepared"};
  const Driver &driver = *state_->driver;
  ContextScope scope(driver, state_->device->context);
  if (!scope.status())
    return scope.status();
  for (const PreparedLaunch &launch : state_->launches) {
    cuda::LaunchConfig config = launch.config; // copied, so that threads may launch one call on several streams
    config.stream = static_cast<cuda::Stream>(stream);
    const cuda::Result result =
        driver.cuLaunchKernelEx(&config, launch.function, const_cast<void **>(launch.parameters.data()), nullptr);
    if (result != cuda::success)
      return cuda_failure(driver, result, ("launch of kernel '" + launch.kernel + "'").c_str(), __FILE__, __LINE__);
  }
  return {};
}

} // namespace tilefold::runtime
