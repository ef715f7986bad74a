// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Machine/Fiber.h"
#include "codegen/Simulator/Machine/Kernel.h"
#include <boost/context/preallocated.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <new>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace tilefold::sim {

/// Frames that were given up without unwinding leave marks of the address sanitizer behind.
static void forgetFrames([[maybe_unused]] const boost::context::stack_context &stack) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(static_cast<char *>(stack.sp) - kStackBytes, kStackBytes);
#endif
}

boost::context::stack_context StackPool::take() {
  if (free.empty())
    free.push_back(boost::context::protected_fixedsize_stack(kStackBytes).allocate());
  boost::context::stack_context stack = free.back();
  free.pop_back();
  forgetFrames(stack);
  return stack;
}

StackPool::~StackPool() {
  boost::context::protected_fixedsize_stack allocator(kStackBytes);
  for (boost::context::stack_context &stack : free)
    allocator.deallocate(stack);
}

namespace {
/// The pool takes a stack back when its Fiber ends, not when Boost's control record on it is destroyed.
struct KeepStack {
  boost::context::stack_context allocate() { throw std::bad_alloc(); }
  void deallocate(boost::context::stack_context &) noexcept {}
};
} // namespace

void Fiber::start(StackPool &from, std::function<void()> body) {
  abandon();
  pool = &from;
  stack = from.take();
  boost::context::preallocated place(stack.sp, stack.size, stack);
  context = boost::context::fiber(std::allocator_arg, place, KeepStack(),
                                  [this, body = std::move(body)](boost::context::fiber &&from) {
                                    caller = std::move(from);
                                    body();
                                    return std::move(caller);
                                  });
}

void Fiber::abandon() {
  // Destroying a suspended boost fiber would unwind it; a handle that nobody destroys does not.
  if (context)
    (void)new boost::context::fiber(std::move(context)); // NOLINT: meant to leak, eight bytes
  if (pool)
    pool->giveBack(stack);
  pool = nullptr;
}

} // namespace tilefold::sim
