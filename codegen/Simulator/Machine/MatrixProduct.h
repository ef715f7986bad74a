// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tensor core computes once the operands are gathered from registers or shared memory: d = a b + c over one k-block.
//
// The order of summation: the products are exact, c and the products are added in fp64 with k ascending, and the sum is
// rounded once, to the nearest fp32. Hardware adds a k-block without rounding in between too, but in a fixed-point sum
// somewhat wider than fp32's significand whose low bits it drops. Both are exact where the sum is an integer below 2^24;
// elsewhere they are a few 2^-24 of |c| + sum |a||b| apart (2^-22.7 at most, seen with normally distributed numbers on an
// H200). A NaN comes out as 0x7fffffff, as from the GPU.
#pragma once
#include "codegen/Simulator/Machine/Abi.h"

namespace tilefold::sim {

constexpr unsigned productColumns = 8; ///< columns of a panel of b

/// `count` elements as numbers, exact. `type` is F16 or BF16.
void widen(Number type, const uint16_t *elements, unsigned count, double *values);

/// d += a b, or d = a b. `a` is [rows][k]; `b` is in panels of eight columns, [columns / 8][k][8]; `d` is [rows][columns].
void multiplyMatrices(unsigned rows, unsigned columns, unsigned k, const double *a, const double *b, float *d,
                      bool accumulate);

} // namespace tilefold::sim
