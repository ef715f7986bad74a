// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/trace.h"
#include "test/Numerics/attention.h"

namespace tilefold::numerics {
Traced trace_program(const Configuration &configuration);
} // namespace tilefold::numerics
