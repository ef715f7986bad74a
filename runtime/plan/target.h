// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilefold::runtime {

/// A GPU target as ptxas spells it: `sm_80` (portable PTX), `sm_90a` (that architecture only) or `sm_100f` (its family).
struct Target {
  int major = 0;
  int minor = 0;
  enum class Scope { Portable, Family, Architecture } scope = Scope::Portable;

  static std::optional<Target> parse(std::string_view text);
  std::string text() const;

  /// Whether PTX of this target can be compiled for a device of this compute capability.
  bool ptx_runs_on(int device_major, int device_minor) const;
  /// Whether a cubin of this target is used on such a device: only if it was made for exactly that capability. (The
  /// driver would take a lower minor version too; then compiling the PTX gives the better code.)
  bool cubin_runs_on(int device_major, int device_minor) const;

  friend bool operator==(const Target &a, const Target &b) {
    return a.major == b.major && a.minor == b.minor && a.scope == b.scope;
  }
};

/// True if, on a device where both run, `a` is the better choice: the newer architecture, then the narrower scope.
bool better_target(const Target &a, const Target &b);

} // namespace tilefold::runtime
