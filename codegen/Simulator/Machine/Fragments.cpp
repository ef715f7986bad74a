// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Machine/Fragments.h"
#include "codegen/Simulator/Machine/MatrixProduct.h"
#include <cassert>
#include <cstring>

namespace tilefold::sim {

static uint16_t halfOf(uint32_t word, unsigned half) { return uint16_t(word >> 16 * half); }

void multiplyFragments(unsigned k, Number operands, const uint32_t *const *a, const uint32_t *const *b,
                       const float *const *c, float *const *d) {
  assert((k == 8 || k == 16) && "m16n8k8 or m16n8k16");
  uint16_t aBits[16 * 16], bBits[16 * 8];
  float result[16 * 8];
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    for (unsigned index = 0; index < k / 4; ++index)
      for (unsigned half = 0; half < 2; ++half) {
        const auto [row, column] = operandAPosition(lane, index, half);
        aBits[row * k + column] = halfOf(a[lane][index], half);
      }
    for (unsigned index = 0; index < k / 8; ++index)
      for (unsigned half = 0; half < 2; ++half) {
        const auto [row, column] = operandBPosition(lane, index, half);
        bBits[row * 8 + column] = halfOf(b[lane][index], half);
      }
    for (unsigned index = 0; index < 4; ++index) {
      const auto [row, column] = accumulatorPosition(lane, index);
      result[row * 8 + column] = c[lane][index];
    }
  }
  double left[16 * 16], right[16 * 8];
  widen(operands, aBits, 16 * k, left);
  widen(operands, bBits, 8 * k, right);
  multiplyMatrices(16, 8, k, left, right, result, /*accumulate=*/true);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (unsigned index = 0; index < 4; ++index) {
      const auto [row, column] = accumulatorPosition(lane, index);
      d[lane][index] = result[row * 8 + column];
    }
}

void loadMatrices(unsigned count, bool transposed, const void *const *rows, uint32_t *const *registers) {
  assert((count == 1 || count == 2 || count == 4) && "x1, x2 or x4");
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    uint16_t elements[8][8];
    for (unsigned row = 0; row < 8; ++row)
      std::memcpy(elements[row], rows[8 * matrix + row], sizeof elements[row]);
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      const unsigned major = lane / 4, minor = 2 * (lane % 4);
      const uint16_t first = transposed ? elements[minor][major] : elements[major][minor];
      const uint16_t second = transposed ? elements[minor + 1][major] : elements[major][minor + 1];
      registers[lane][matrix] = first | uint32_t(second) << 16;
    }
  }
}

void storeMatrices(unsigned count, bool transposed, void *const *rows, const uint32_t *const *registers) {
  assert((count == 1 || count == 2 || count == 4) && "x1, x2 or x4");
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    uint16_t elements[8][8];
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned major = lane / 4, minor = 2 * (lane % 4) + half;
        (transposed ? elements[minor][major] : elements[major][minor]) = halfOf(registers[lane][matrix], half);
      }
    for (unsigned row = 0; row < 8; ++row)
      std::memcpy(rows[8 * matrix + row], elements[row], sizeof elements[row]);
  }
}

} // namespace tilefold::sim
