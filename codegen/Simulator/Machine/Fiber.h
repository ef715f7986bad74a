// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One simulated thread's control flow, on a stack of its own.
#pragma once
#include <boost/context/fiber.hpp>
#include <functional>
#include <vector>

namespace tilefold::sim {

/// Stacks of one host thread, reused. Guard pages below them turn an overflow into a fault instead of silent damage.
class StackPool {
public:
  StackPool() = default;
  StackPool(const StackPool &) = delete;
  ~StackPool();
  boost::context::stack_context take();
  void giveBack(boost::context::stack_context stack) { free.push_back(stack); }

private:
  std::vector<boost::context::stack_context> free;
};

class Fiber {
public:
  Fiber() = default;
  Fiber(const Fiber &) = delete;
  ~Fiber() { abandon(); }

  void start(StackPool &pool, std::function<void()> body);
  /// Runs it until it yields or ends.
  void resume() { context = std::move(context).resume(); }
  bool hasEnded() const { return !context; }
  /// Called on the fiber: back to whoever resumed it.
  void yield() { caller = std::move(caller).resume(); }
  /// Gives it up where it stands, without unwinding: host code made by a JIT has no unwind tables.
  void abandon();

private:
  boost::context::fiber context, caller;
  boost::context::stack_context stack;
  StackPool *pool = nullptr;
};

} // namespace tilefold::sim
