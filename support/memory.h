// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much memory there is. Linux promises more than it has and ends a process that believes it, so that an allocation that goes
// well says nothing: whoever is about to fill much memory asks here first.
#pragma once

#include "support/status.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilefold::support {

/// Bytes that this process may still fill: the least of what the system has available, what is left of the limits of its control
/// groups, and of those on its address space and data (ulimit -v, -d). nullopt where the system does not say.
std::optional<std::uint64_t> available_memory();

/// An error if `bytes` more are not available: "`what` needs N bytes of memory, M are available".
Status check_memory(std::uint64_t bytes, const std::string &what);

} // namespace tilefold::support
