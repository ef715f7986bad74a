// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <source_location>

namespace tilefold {

/// Where the user wrote something. Every traced operation carries one, down to the line table of the generated code.
using Location = std::source_location;

} // namespace tilefold
