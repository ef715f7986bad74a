// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/program.h"
#include <functional>
#include <memory>
#include <string>

namespace tilefold {

/// What tracing a kernel gave: a module of IR, or diagnostics.
class Traced {
public:
  struct Impl;
  explicit Traced(std::unique_ptr<Impl> impl);
  Traced(Traced &&) noexcept;
  Traced &operator=(Traced &&) noexcept;
  ~Traced();

  bool ok() const;
  /// The errors, each with the kernel's own file, line and column; empty if ok().
  const std::string &diagnostics() const;
  /// The module as text; empty unless ok().
  std::string text(bool with_locations = false) const;
  Impl &impl() const { return *impl_; }

private:
  std::unique_ptr<Impl> impl_;
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
