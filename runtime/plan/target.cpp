// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/target.h"

#include <tuple>

namespace tilefold::runtime {

namespace {
/// Devices on which family-specific PTX runs, beside the one that it names (CUDA 13.0, "family-specific features").
struct FamilyMember {
  int family, device;
};
constexpr FamilyMember family_members[] = {
    {100, 103}, // B200 -> B300
    {120, 121}, // RTX Blackwell -> DGX Spark
};
} // namespace

std::optional<Target> Target::parse(std::string_view text) {
  if (text.substr(0, 3) != "sm_")
    return std::nullopt;
  text.remove_prefix(3);
  Target target;
  if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) {
    target.scope = text.back() == 'a' ? Scope::Architecture : Scope::Family;
    text.remove_suffix(1);
  }
  if (text.size() < 2 || text.size() > 3)
    return std::nullopt;
  int number = 0;
  for (char c : text) {
    if (c < '0' || c > '9')
      return std::nullopt;
    number = number * 10 + (c - '0');
  }
  target.major = number / 10;
  target.minor = number % 10;
  return target;
}

std::string Target::text() const {
  const char *suffix = scope == Scope::Architecture ? "a" : scope == Scope::Family ? "f" : "";
  return "sm_" + std::to_string(major * 10 + minor) + suffix;
}

bool Target::ptx_runs_on(int device_major, int device_minor) const {
  const int own = major * 10 + minor, device = device_major * 10 + device_minor;
  switch (scope) {
  case Scope::Portable:
    return device >= own;
  case Scope::Architecture:
    return device == own;
  case Scope::Family:
    if (device == own)
      return true;
    for (const FamilyMember &member : family_members)
      if (member.family == own && member.device == device)
        return true;
    return false;
  }
  return false;
}

bool Target::cubin_runs_on(int device_major, int device_minor) const {
  return device_major == major && device_minor == minor;
}

bool better_target(const Target &a, const Target &b) {
  auto rank = [](const Target &t) { return std::make_tuple(t.major, t.minor, int(t.scope)); };
  return rank(a) > rank(b);
}

} // namespace tilefold::runtime
