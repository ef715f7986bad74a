// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the threads of a warp, or of a warpgroup, hold a matrix in their registers, from the figures of the PTX ISA, and the
// warp's operations on such fragments. 16-bit elements lie in pairs, the first in the low half of a register.
//
// Every figure is one of three. `group` = lane / 4, `member` = lane % 4:
//
//   8 x 8 matrix of 16 bits (ldmatrix): row group, columns 2 member and 2 member + 1.
//   16 x 16 operand A: four of those, register r covers rows 8 (r % 2) .. and k 8 (r / 2) ..; k8 has the first two.
//   16 x 8n accumulators: values 4j + 2h + e are row group + 8 h, column 8 j + 2 member + e.
//
// Operand B of mma.sync is held transposed: register r is k 8 r + 2 member + half, column group. wgmma's fragments of 64
// rows are those of four warps, 16 rows each.
#pragma once
#include "codegen/Simulator/Machine/Abi.h"

namespace tilefold::sim {

constexpr unsigned warpSize = 32, warpgroupSize = 128;

struct MatrixPosition {
  unsigned row, column;
  bool operator==(const MatrixPosition &) const = default;
};

/// Of accumulator `index` of thread `thread`: of the warp (m16n8, four values) or of the warpgroup (m64nN, N / 2 values).
constexpr MatrixPosition accumulatorPosition(unsigned thread, unsigned index) {
  return {16 * (thread / 32) + thread % 32 / 4 + 8 * (index / 2 % 2), 8 * (index / 4) + 2 * (thread % 4) + index % 2};
}

/// Of a half of a register of operand A: row, and k as the column. A warp's m16k8 and m16k16, and a warpgroup's m64k16.
constexpr MatrixPosition operandAPosition(unsigned thread, unsigned index, unsigned half) {
  return {16 * (thread / 32) + thread % 32 / 4 + 8 * (index % 2), 8 * (index / 2) + 2 * (thread % 4) + half};
}

/// Of a half of a register of mma.sync's operand B: k as the row, and column.
constexpr MatrixPosition operandBPosition(unsigned lane, unsigned index, unsigned half) {
  return {8 * index + 2 * (lane % 4) + half, lane / 4};
}

// In what follows the arrays of pointers have one pointer a lane: to that lane's registers.

/// mma.sync.m16n8k`k`, k 8 or 16, A row, B column; `operands` is F16 or BF16. Summed as MatrixProduct.h says. d may be c.
void multiplyFragments(unsigned k, Number operands, const uint32_t *const *a, const uint32_t *const *b,
                       const float *const *c, float *const *d);

/// ldmatrix of `count` (1, 2 or 4) matrices: rows[8 j + r] points at row r of matrix j, eight elements. Register j of each
/// lane gets its part of matrix j, or of its transpose.
void loadMatrices(unsigned count, bool transposed, const void *const *rows, uint32_t *const *registers);

/// stmatrix, the inverse.
void storeMatrices(unsigned count, bool transposed, void *const *rows, const uint32_t *const *registers);

} // namespace tilefold::sim
