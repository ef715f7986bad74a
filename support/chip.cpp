// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/chip.h"

#include <algorithm>

namespace tilefold::support {

namespace {
/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": maximum shared memory per thread block.
struct Chip {
  int capability;    ///< 10 major + minor
  int shared_bytes;
  bool has_variants; ///< targets for this architecture (sm_90a) and, from 10.0 on, for its family (sm_100f)
};
constexpr int KiB = 1024;
constexpr Chip chips[] = {
    {80, 163 * KiB, false}, {86, 99 * KiB, false}, {87, 163 * KiB, false}, {89, 99 * KiB, false},
    {90, 227 * KiB, true},  {100, 227 * KiB, true}, {103, 227 * KiB, true}, {110, 227 * KiB, true},
    {120, 99 * KiB, true},  {121, 99 * KiB, true},
};

std::string name(const Chip &chip) { return "sm_" + std::to_string(chip.capability); }

template <class Predicate> std::string list(Predicate chosen) {
  std::string text;
  for (const Chip &chip : chips)
    if (chosen(chip))
      text += (text.empty() ? "" : ", ") + name(chip);
  return text;
}
} // namespace

std::optional<int> shared_bytes_of(std::string_view target) {
  for (const Chip &chip : chips)
    if (target == name(chip) || (chip.has_variants && target == name(chip) + "a") ||
        (chip.has_variants && chip.capability >= 100 && target == name(chip) + "f"))
      return chip.shared_bytes;
  return std::nullopt;
}

std::optional<int> shared_bytes_of(int capability_major, int capability_minor) {
  if (capability_minor < 0 || capability_minor > 9)
    return std::nullopt;
  return shared_bytes_of("sm_" + std::to_string(capability_major * 10 + capability_minor));
}

std::optional<int> promised_shared_bytes(std::string_view target) {
  if (target != portable_target)
    return shared_bytes_of(target);
  return std::min_element(std::begin(chips), std::end(chips), [](const Chip &a, const Chip &b) {
           return a.shared_bytes < b.shared_bytes;
         })->shared_bytes;
}

std::string targets_with(int shared_bytes) {
  return list([&](const Chip &chip) { return chip.shared_bytes >= shared_bytes; });
}

std::string targets_below(int shared_bytes) {
  return list([&](const Chip &chip) { return chip.shared_bytes < shared_bytes; });
}

} // namespace tilefold::support
