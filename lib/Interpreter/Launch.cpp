// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Interpreter/Launch.h"

#include "support/parallel.h"

#include <atomic>
#include <mutex>
#include <numeric>

namespace tilefold::interpreter {
namespace {

/// The n-th instance to run: ascending, or n -> (factor * n + start) mod count with a factor that has no common divisor with
/// count, which visits each once.
class Order {
public:
  Order(std::int64_t count, std::optional<std::uint64_t> seed) : count(count) {
    if (!seed || count < 2)
      return;
    start = std::int64_t(*seed % std::uint64_t(count));
    factor = 1 + std::int64_t((*seed * 0x9e3779b97f4a7c15u >> 33) % std::uint64_t(count - 1));
    while (std::gcd(factor, count) != 1)
      factor = factor % (count - 1) + 1;
  }
  std::int64_t operator()(std::int64_t n) const { return (factor * n + start) % count; } // count < 2^31

private:
  std::int64_t count, factor = 1, start = 0;
};

void bindArguments(const LaunchPlan &plan, Frame &frame) {
  for (std::size_t a = 0; a < plan.arguments.size(); ++a) {
    const Slot &slot = plan.code.arguments[a];
    const LaunchArgument &argument = plan.arguments[a];
    if (slot.storage == Storage::View)
      *frame.at<View>(slot) = argument.view;
    else if (slot.storage == Storage::Float)
      *frame.at<float>(slot) = float(argument.number.floating);
    else
      *frame.at<std::int32_t>(slot) = std::int32_t(argument.number.integer);
  }
}

} // namespace

support::Status runLaunch(const LaunchPlan &plan, LaunchProgress &progress) {
  if (plan.instances == 0)
    return {};
  const Order order(plan.instances, progress.options.shuffle);
  const Stamp launchStamp = Stamp(progress.done);
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::int64_t faulty = plan.instances;
  std::string error;

  auto work = [&](std::int64_t) {
    Frame frame(plan.code);
    frame.launchStamp = launchStamp;
    bindArguments(plan, frame);
    for (std::int64_t n; (n = next.fetch_add(1, std::memory_order_relaxed)) < plan.instances;) {
      const std::int64_t instance = order(n);
      frame.position[0] = std::int32_t(instance % plan.grid[0]);
      frame.position[1] = std::int32_t(instance / plan.grid[0] % plan.grid[1]);
      frame.position[2] = std::int32_t(instance / plan.grid[0] / plan.grid[1]);
      frame.stamp = launchStamp + Stamp(instance) + 1;
      frame.beginInstance(plan.code);
      const bool ok = runBlock(plan.code.body, frame);
      const std::lock_guard<std::mutex> lock(mutex);
      ++progress.done;
      if (!ok) {
        next = plan.instances; // no more are begun
        if (instance < faulty) {
          faulty = instance;
          error = "kernel '" + plan.code.name + "', instance (" + std::to_string(frame.position[0]) + ", " +
                  std::to_string(frame.position[1]) + ", " + std::to_string(frame.position[2]) + "): " + frame.error;
        }
      } else if (progress.options.progress) {
        progress.options.progress(progress.done, progress.total);
      }
    }
  };
  unsigned threads = progress.options.threads ? progress.options.threads : support::hardware_threads();
  threads = unsigned(std::min<std::int64_t>(threads, plan.instances));
  support::parallel_for(threads, work, threads);
  return faulty == plan.instances ? support::Status() : support::Status::error(error);
}

} // namespace tilefold::interpreter
