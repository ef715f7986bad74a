// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The approximate functions of the special function unit. Hardware reads a table and interpolates; here each value is the
// fp32 number nearest to the function (of fp64 arithmetic on the host), which lies within the error bound that the PTX ISA
// gives. An H200's ex2, rcp, rsqrt and sqrt are at most two units in the last place away; its tanh, and lg2 near 1, more.
//
// Zeros, infinities, NaNs and subnormal numbers are treated as in the ISA's tables: `.ftz` reads and returns a subnormal
// number as a zero of the same sign; a NaN comes out as 0x7fffffff.
#pragma once
#include "codegen/Simulator/Machine/Abi.h"

namespace tilefold::sim {

float approximate(Approximate function, float operand);

} // namespace tilefold::sim
