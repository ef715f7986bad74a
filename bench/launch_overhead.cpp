// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilefold-launch-bench ARTIFACT: what a launch costs the calling thread, tilefold_launch beside cuLaunchKernelEx with the same
// kernel, grid and parameters. The tensors are as small as they can be, so that the GPU keeps up. Rounds of either kind take turns;
// a round is a burst that the driver's queue takes without blocking. Prints one JSON object.
#include "runtime/driver/module_cache.h"
#include "runtime/plan/plan.h"
#include "runtime/tilefold.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace tilefold::runtime;

namespace {

constexpr int rounds = 200, burst = 200;

void require(const Status &status) {
  if (status)
    return;
  std::fprintf(stderr, "tilefold-launch-bench: %s\n", status.message().c_str());
  std::exit(1);
}
template <class T> T take(Result<T> result) {
  if (!result)
    require(result.status());
  return *std::move(result);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class Launch> double microseconds(const Driver &driver, cuda::Stream stream, Launch launch) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < burst; ++i)
    launch();
  const auto end = std::chrono::steady_clock::now();
  require(TILEFOLD_CUDA(driver, cuStreamSynchronize(stream)));
  return std::chrono::duration<double, std::micro>(end - begin).count() / burst;
}

int run(const char *path) {
  const Artifact artifact = take(Artifact::open(path));
  const Driver &driver = *take(Driver::get());
  const DeviceContext &device = *take(get_device(driver, 0));
  ContextScope scope(driver, device.context);
  require(scope.status());

  // One element in every dimension but a head dim, which the artifact's own requirements fix.
  cuda::DevicePointer memory = 0;
  constexpr size_t slot = 1 << 16;
  require(TILEFOLD_CUDA(driver, cuMemAlloc(&memory, slot * 32)));
  require(TILEFOLD_CUDA(driver, cuMemsetD8Async(memory, 0, slot * 32, nullptr)));
  require(TILEFOLD_CUDA(driver, cuStreamSynchronize(nullptr)));
  Arguments arguments;
  PrepareOptions options;
  options.device = 0;
  options.workspace_bytes = slot * 16;
  Status last;
  for (int64_t columns : {1, 32, 64, 80, 96, 128, 256}) {
    arguments = Arguments();
    cuda::DevicePointer at = memory;
    for (const TensorDeclaration &tensor : artifact.manifest().tensors) {
      std::vector<int64_t> sizes(size_t(tensor.rank), 1);
      if (tensor.rank == 4)
        sizes[3] = columns;
      arguments.tensor(tensor.name, reinterpret_cast<void *>(at), tensor.dtype, sizes);
      at += slot;
    }
    options.workspace = reinterpret_cast<void *>(memory + slot * 16);
    last = artifact.plan(arguments.view(), device.properties).status();
    if (last)
      break;
  }
  require(last);
  Call call;
  require(call.prepare(artifact, arguments.view(), options));
  cuda::Stream stream = nullptr;
  require(TILEFOLD_CUDA(driver, cuStreamCreate(&stream, cuda::stream_non_blocking)));
  require(call.init_workspace(stream));

  const Plan plan = take(artifact.plan(arguments.view(), device.properties, reinterpret_cast<uint64_t>(options.workspace)));
  struct Bare {
    cuda::Function function;
    cuda::LaunchConfig config;
    std::vector<uint64_t> values;
    std::vector<void *> parameters;
  };
  std::vector<Bare> bare;
  for (const PlannedLaunch &launch : plan.launches) {
    Bare &each = bare.emplace_back();
    each.function = take(load_kernel(driver, device, artifact.manifest(), plan, launch));
    each.config = {launch.blocks, 1, 1, launch.block, 1, 1, launch.shared, stream, nullptr, 0};
    each.values = launch.parameters;
  }
  for (Bare &each : bare)
    for (uint64_t &value : each.values)
      each.parameters.push_back(&value);
  const auto launch_bare = [&] {
    for (const Bare &each : bare)
      if (driver.cuLaunchKernelEx(&each.config, each.function, const_cast<void **>(each.parameters.data()), nullptr) != cuda::success)
        std::exit(1);
  };
  // Through the C interface, as other languages call it.
  tilefold_artifact *c_artifact = nullptr;
  tilefold_call *c_call = nullptr;
  tilefold_prepare_options c_options{0, options.workspace, options.workspace_bytes};
  if (tilefold_artifact_open(path, &c_artifact) != TILEFOLD_OK || tilefold_call_create(&c_call) != TILEFOLD_OK ||
      tilefold_prepare(c_artifact, &arguments.view(), &c_options, c_call) != TILEFOLD_OK) {
    std::fprintf(stderr, "tilefold-launch-bench: %s\n", tilefold_last_error());
    return 1;
  }
  const auto launch_ours = [&] {
    if (tilefold_launch(c_call, stream) != TILEFOLD_OK)
      std::exit(1);
  };

  std::vector<double> ours, theirs, again;
  for (int i = 0; i < 10; ++i)
    microseconds(driver, stream, launch_ours), microseconds(driver, stream, launch_bare);
  for (int round = 0; round < rounds; ++round) {
    if (round % 2 == 0)
      theirs.push_back(microseconds(driver, stream, launch_bare));
    ours.push_back(microseconds(driver, stream, launch_ours));
    if (round % 2 == 1)
      theirs.push_back(microseconds(driver, stream, launch_bare));
    again.push_back(microseconds(driver, stream, launch_bare));
  }
  std::vector<double> difference, noise;
  for (int i = 0; i < rounds; ++i) {
    difference.push_back(ours[size_t(i)] - theirs[size_t(i)]);
    noise.push_back(again[size_t(i)] - theirs[size_t(i)]);
  }
  std::printf("{\"job\": \"launch\", \"kernels\": %zu, \"tilefold_launch_us\": %.4f, \"cuLaunchKernelEx_us\": %.4f, \"overhead_us\": %.4f, "
              "\"noise_us\": %.4f, \"rounds\": %d, \"burst\": %d}\n",
              bare.size(), median(ours), median(theirs), median(difference), median(noise), rounds, burst);
  return std::fflush(stdout) == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "tilefold-launch-bench: ARTIFACT: expected the file of one, got %d arguments\n", argc - 1);
    return 2;
  }
  return run(argv[1]);
}
