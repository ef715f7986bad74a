// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/Estimate.h"
#include "runtime/artifact/manifest.h"
#include "runtime/plan/plan.h"
#include "runtime/tools/host_run.h"

#include <algorithm>
#include <cmath>

using tilefold::support::Result;
using tilefold::support::Status;

namespace tilefold::cli {
namespace {

constexpr double kBytesPerClock = 64, kExponentialsPerClock = 16;
constexpr int kMostRegisters = 255;

/// The launches as the runtime would send them, for tensors that do not exist.
Result<runtime::Plan> planFor(const runtime::Artifact &artifact, const Shapes &shapes, const Scalars &scalars, const Device &device) {
  const runtime::DeviceProperties properties{device.capabilityMajor, device.capabilityMinor, device.multiprocessors, device.sharedPerBlock};
  const runtime::Manifest &manifest = artifact.manifest();
  runtime::Arguments arguments;
  // Addresses that do not overlap; formulas see only their alignment.
  std::uint64_t next = std::uint64_t(1) << 32;
  auto address = [&] { return reinterpret_cast<const void *>(next += std::uint64_t(1) << 44); };
  for (const runtime::TensorDeclaration &declared : manifest.tensors)
    if (const auto shape = shapes.find(declared.name); shape != shapes.end())
      arguments.tensor(declared.name, address(), declared.dtype, shape->second);
  for (const runtime::ScalarDeclaration &declared : manifest.scalars)
    if (const auto value = scalars.find(declared.name); value != scalars.end()) {
      if (declared.dtype == TILEFOLD_F32)
        arguments.f32(declared.name, value->second);
      else
        arguments.i32(declared.name, std::int64_t(value->second));
    }
  for (const runtime::TensorDeclaration &declared : manifest.tensors) {
    if (declared.role != TILEFOLD_OUTPUT || shapes.count(declared.name))
      continue;
    const auto shape = artifact.expected_shape(arguments.view(), properties, declared.name);
    if (!shape)
      return Status::error(shape.status().message());
    arguments.tensor(declared.name, address(), declared.dtype, *shape);
  }
  auto plan = artifact.plan(arguments.view(), properties);
  if (!plan)
    return Status::error(plan.status().message());
  return *std::move(plan);
}

int residentBlocks(const LaunchEstimate &launch, const Device &device) {
  std::int64_t blocks = device.blocksPerMultiprocessor;
  blocks = std::min(blocks, device.threadsPerMultiprocessor / std::max<std::int64_t>(launch.threads, 1));
  // The system keeps 1 KiB of shared memory for each block; registers are given out in portions of 8 a thread.
  blocks = std::min(blocks, device.sharedPerMultiprocessor / (launch.sharedBytes + 1024));
  blocks = std::min(blocks, device.registersPerMultiprocessor / ((kMostRegisters + 7) / 8 * 8 * std::max<std::int64_t>(launch.threads, 1)));
  return int(std::max<std::int64_t>(blocks, 1));
}

/// Bytes that must come from or go to DRAM. A tensor counts once however often it is asked for, since instances that share
/// it run side by side; one that a launch both reads and writes is moved each time unless L2 holds it. A workspace that fits
/// into half of L2 need not leave it.
double memoryBytes(const LaunchWork &work, const ProgramWork &program, double cacheBytes) {
  double total = 0;
  for (const auto &[name, tensor] : program.tensorBytes) {
    const auto loaded = work.loaded.find(name), stored = work.stored.find(name);
    const double in = loaded == work.loaded.end() ? 0 : loaded->second, out = stored == work.stored.end() ? 0 : stored->second;
    const bool workspace = std::find(program.workspaces.begin(), program.workspaces.end(), name) != program.workspaces.end();
    if (workspace && tensor <= cacheBytes / 2)
      continue;
    if (in > 0 && out > 0 && tensor > cacheBytes / 2)
      total += in + out;
    else
      total += std::min(in, tensor) + std::min(out, tensor);
  }
  return total;
}

double sum(const std::map<std::string, double> &values) {
  double total = 0;
  for (const auto &[name, value] : values)
    total += value;
  return total;
}

LaunchEstimate estimateLaunch(const LaunchWork &work, const ProgramWork &program, const runtime::PlannedLaunch &planned, const Device &device) {
  LaunchEstimate result;
  result.work = work;
  result.threads = planned.block;
  result.sharedBytes = planned.shared;
  result.blocksPerMultiprocessor = residentBlocks(result, device);
  result.askedBytes = sum(work.loaded) + sum(work.stored);
  result.memoryBytes = memoryBytes(work, program, device.cacheMB * 1e6);
  if (work.instances == 0)
    return result;
  const double multiprocessors = device.multiprocessors, clock = device.clockGhz * 1e9;
  result.waves = work.instances / (multiprocessors * result.blocksPerMultiprocessor);
  result.busy = work.instances / (multiprocessors * std::ceil(work.instances / multiprocessors));
  const double busy = result.busy * multiprocessors;
  result.memorySeconds = result.memoryBytes / (device.memoryGBs * 1e9);
  result.accessSeconds = result.askedBytes / (busy * kBytesPerClock * clock);
  result.productSeconds = work.productFlops / (device.productTflops * 1e12 * device.mmaSyncShare * result.busy);
  result.exponentialSeconds = work.exponentials / (busy * kExponentialsPerClock * clock);
  return result;
}

} // namespace

double LaunchEstimate::seconds() const {
  return kLaunchSeconds + std::max({memorySeconds, accessSeconds, productSeconds, exponentialSeconds});
}

std::string LaunchEstimate::bound() const {
  const double longest = seconds() - kLaunchSeconds;
  if (longest < kLaunchSeconds)
    return "the launch itself";
  const std::string whose = busy < 0.9 ? "the busy SMs' " : "the ";
  if (longest == memorySeconds)
    return "memory bandwidth";
  if (longest == productSeconds)
    return whose + "matrix units";
  return longest == accessSeconds ? whose + "loads and stores" : whose + "exponentials";
}

double ProgramEstimate::seconds() const {
  double total = 0;
  for (const LaunchEstimate &launch : launches)
    total += launch.seconds();
  return total;
}

double ProgramEstimate::productFlops() const {
  double total = 0;
  for (const LaunchEstimate &launch : launches)
    total += launch.work.productFlops;
  return total;
}

double ProgramEstimate::askedBytes() const {
  double total = 0;
  for (const LaunchEstimate &launch : launches)
    total += launch.askedBytes;
  return total;
}

const LaunchEstimate &ProgramEstimate::longest() const {
  return *std::max_element(launches.begin(), launches.end(), [](auto &a, auto &b) { return a.seconds() < b.seconds(); });
}

Result<ProgramEstimate> estimate(const Module &module, const Config &config, const Shapes &shapes, const Scalars &scalars, const Device &device) {
  auto work = module.countWork(shapes, scalars);
  if (!work)
    return work.status();
  Request request;
  request.config = config;
  const auto bytes = module.compile(request);
  if (!bytes)
    return bytes.status();
  const auto artifact = runtime::Artifact::from_memory(bytes->data(), bytes->size());
  if (!artifact)
    return Status::error(artifact.status().message());
  const auto plan = planFor(*artifact, shapes, scalars, device);
  if (!plan)
    return plan.status();
  ProgramEstimate result;
  result.alternative = artifact->manifest().alternatives[std::size_t(plan->alternative)].name;
  for (std::size_t i = 0; i < work->launches.size() && i < plan->launches.size(); ++i)
    result.launches.push_back(estimateLaunch(work->launches[i], *work, plan->launches[i], device));
  for (const auto &[name, size] : work->tensorBytes) {
    const bool workspace = std::find(work->workspaces.begin(), work->workspaces.end(), name) != work->workspaces.end();
    (workspace ? result.workspaceBytes : result.tensorBytes) += size;
  }
  if (result.launches.empty())
    return Status::error("the program launches nothing");
  return result;
}

} // namespace tilefold::cli
