// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/program.h"
#include <functional>
#include <string>

namespace tilefold {

/// What tracing a kernel gave: a module of IR, or diagnostics. Moves only; nothing may be asked of one that was moved from.
class Traced {
public:
  struct Impl;
  explicit Traced(Impl *owned) : impl_(owned) {}
  Traced(Traced &&other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  Traced &operator=(Traced &&other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~Traced();

  bool ok() const;
  /// The errors, each with the kernel's own file, line and column; empty if ok().
  const std::string &diagnostics() const;
  /// The module as text; empty unless ok().
  std::string text(bool with_locations = false) const;
  Impl &impl() const { return *impl_; }

private:
  Impl *impl_; // owned; <memory> would add a third to the time that a kernel takes to compile
};

namespace detail {
Traced trace(std::string_view name, const std::function<void(Program &)> &body, Location l);
}

/// Runs `kernel(program)` once, on no data, and records what it does. `name` becomes the program's.
template <class Kernel> Traced trace(const Kernel &kernel, std::string_view name, Location l = Location::current()) {
  static_assert(std::invocable<const Kernel &, Program &>, "a kernel is callable with a Program &");
  return detail::trace(name, [&](Program &p) { kernel(p); }, l);
}

} // namespace tilefold
