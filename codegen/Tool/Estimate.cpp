// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/Estimate.h"

#include <algorithm>
#include <cmath>

using tilefold::support::Result;
using tilefold::support::Status;

namespace tilefold::cli {
namespace {

constexpr double kBytesPerClock = 64, kExponentialsPerClock = 16, kElementsPerClock = 128;
constexpr int kMostRegisters = 255;

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

LaunchEstimate estimateLaunch(const LaunchWork &work, const ProgramWork &program, const KernelShape &shape, const Device &device) {
  LaunchEstimate result;
  result.work = work;
  result.threads = shape.threads;
  result.sharedBytes = shape.sharedBytes;
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
  result.elementSeconds = work.elementOperations / (busy * kElementsPerClock * clock);
  return result;
}

} // namespace

double LaunchEstimate::seconds() const {
  if (work.instances == 0)
    return 0; // skipped, not sent
  return kLaunchSeconds + std::max({memorySeconds, accessSeconds, productSeconds, exponentialSeconds, elementSeconds});
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
  return whose + (longest == accessSeconds        ? "loads and stores"
                  : longest == exponentialSeconds ? "exponentials"
                                                  : "elementwise arithmetic");
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

double ProgramEstimate::workSeconds() const {
  double total = 0;
  for (const LaunchEstimate &one : launches)
    total += one.memorySeconds + one.accessSeconds + one.productSeconds + one.exponentialSeconds + one.elementSeconds;
  return total;
}

const LaunchEstimate &ProgramEstimate::longest() const {
  return *std::max_element(launches.begin(), launches.end(), [](auto &a, auto &b) { return a.seconds() < b.seconds(); });
}

static Result<ProgramEstimate> estimateKernels(const std::map<std::string, KernelShape> &kernels, const Module &module,
                                               const Shapes &shapes, const Scalars &scalars, const Device &device) {
  auto work = module.countWork(shapes, scalars);
  if (!work)
    return work.status();
  ProgramEstimate result;
  for (const LaunchWork &launch : work->launches)
    result.launches.push_back(estimateLaunch(launch, *work, kernels.at(launch.kernel), device));
  for (const auto &[name, size] : work->tensorBytes) {
    const bool workspace = std::find(work->workspaces.begin(), work->workspaces.end(), name) != work->workspaces.end();
    (workspace ? result.workspaceBytes : result.tensorBytes) += size;
  }
  if (result.launches.empty())
    return Status::error("the program launches nothing");
  return result;
}

Result<std::vector<ProgramEstimate>> estimateEach(const Module &module, const Shapes &shapes, const std::vector<Scalars> &choices,
                                                  const Device &device) {
  const auto kernels = module.kernelShapes(device.target());
  if (!kernels)
    return kernels.status();
  std::vector<ProgramEstimate> estimates;
  for (const Scalars &scalars : choices) {
    auto one = estimateKernels(*kernels, module, shapes, scalars, device);
    if (!one)
      return one.status();
    estimates.push_back(*std::move(one));
  }
  return estimates;
}

Result<ProgramEstimate> estimate(const Module &module, const Shapes &shapes, const Scalars &scalars, const Device &device) {
  auto estimates = estimateEach(module, shapes, {scalars}, device);
  if (!estimates)
    return estimates.status();
  return std::move(estimates->front());
}

} // namespace tilefold::cli
