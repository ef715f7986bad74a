// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clusters of a launch, spread over the cores of the host.
#include "codegen/Simulator/Machine/ClusterRun.h"
#include <chrono>
#include <thread>

namespace tilefold::sim {

namespace {

/// Clusters that one host thread runs. Usually one at a time; one that waits for another cluster is put aside.
class Worker {
public:
  Worker(const Launch &launch, std::atomic<uint32_t> &nextCluster) : launch(launch), nextCluster(nextCluster) {}

  void run() {
    while (ClusterRun *cluster = next()) {
      const uint64_t before = cluster->progress;
      if (cluster->advance() == ClusterRun::Progress::Finished) {
        std::erase_if(waiting, [&](const auto &owned) { return owned.get() == cluster; });
        patience = kPatience;
      } else if (cluster->progress != before) {
        patience = kPatience;
      }
    }
  }

private:
  static constexpr uint32_t kResident = 64;  ///< clusters at once, as many as a GPU might hold
  static constexpr uint32_t kPatience = 200; ///< rounds of a millisecond in which nothing happens

  ClusterRun *next() {
    if (launch.isStopped)
      nextCluster = launch.options.blocks / launch.options.cluster;
    if (waiting.size() < kResident) {
      uint32_t index = nextCluster++;
      if (index < launch.options.blocks / launch.options.cluster) {
        waiting.push_back(std::make_unique<ClusterRun>(launch, index * launch.options.cluster, stacks));
        return waiting.back().get();
      }
    }
    if (waiting.empty())
      return nullptr;
    turn = (turn + 1) % waiting.size();
    if (turn == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (patience-- == 0) {
        for (const auto &cluster : waiting)
          cluster->stop();
        waiting.clear();
        return nullptr;
      }
    }
    return waiting[turn].get();
  }

  const Launch &launch;
  std::atomic<uint32_t> &nextCluster;
  StackPool stacks; // outlives the clusters
  std::vector<std::unique_ptr<ClusterRun>> waiting;
  size_t turn = 0;
  uint32_t patience = kPatience;
};

} // namespace

bool launch(const KernelCode &kernel, void **parameters, std::vector<GlobalRegion> &regions, const LaunchOptions &options,
            Report &report) {
  for (GlobalRegion &region : regions)
    if (region.writable && !region.shadow)
      region.shadow = std::make_shared<RegionShadow>(region.bytes, region.initialised);
  AtomicLocations atomics;
  std::atomic<bool> isStopped{false};
  const Launch all{kernel, parameters, regions, options, report, atomics, isStopped, ClusterRun::nextRunNumber()};
  std::atomic<uint32_t> nextCluster{0};
  const uint32_t clusters = options.blocks / options.cluster;
  unsigned workers = options.hostThreads ? options.hostThreads : std::max(1u, std::thread::hardware_concurrency());
  workers = std::min<unsigned>(workers, clusters);
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < workers; ++i)
    threads.emplace_back([&] { Worker(all, nextCluster).run(); });
  Worker(all, nextCluster).run();
  for (std::thread &thread : threads)
    thread.join();
  return !isStopped;
}

} // namespace tilefold::sim
