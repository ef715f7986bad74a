// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has to be known of a chip before there is one: how much shared memory a block can have. One table for the compiler,
// which must choose tiles that fit, and for the tools that plan without a device.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilefold::support {

/// The target whose code is the fallback everywhere: what is made for it runs on every later chip.
inline constexpr std::string_view portable_target = "sm_80";

/// Shared memory of one block after opting in, in bytes, by the target's name ("sm_90", "sm_90a", "sm_100f"); empty if there
/// is no such target.
std::optional<int> shared_bytes_of(std::string_view target);
/// The same by compute capability.
std::optional<int> shared_bytes_of(int capability_major, int capability_minor);

/// What a block can count on wherever code for `target` must run: on the chip itself, or, for the portable target, on any.
std::optional<int> promised_shared_bytes(std::string_view target);

/// "sm_80, sm_86, ...": the targets, without those for one architecture or family, whose blocks can have so many bytes.
std::string targets_with(int shared_bytes = 0);
/// Those whose blocks can have less.
std::string targets_below(int shared_bytes);

} // namespace tilefold::support
