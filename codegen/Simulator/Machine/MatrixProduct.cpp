// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Machine/MatrixProduct.h"
#include "support/dtype.h"
#include <cassert>
#include <cstring>

namespace tilefold::sim {

void widen(Number type, const uint16_t *elements, unsigned count, double *values) {
  assert((type == Number::F16 || type == Number::BF16) && "operands of 16 bits");
  if (type == Number::F16)
    for (unsigned i = 0; i < count; ++i)
      values[i] = support::f16_to_f32(elements[i]);
  else
    for (unsigned i = 0; i < count; ++i)
      values[i] = support::bf16_to_f32(elements[i]);
}

static float roundOnce(double sum) { return sum == sum ? float(sum) : support::bit_copy<float>(0x7fffffffu); }

/// What every 64-bit host has a register for. Left to themselves, compilers unroll the loop over a panel and keep it scalar.
typedef double Pair __attribute__((vector_size(16)));
constexpr unsigned pairs = productColumns / 2;

void multiplyMatrices(unsigned rows, unsigned columns, unsigned k, const double *a, const double *b, float *d,
                      bool accumulate) {
  assert(columns % productColumns == 0);
  for (unsigned panel = 0; panel < columns / productColumns; ++panel, b += k * productColumns) {
    for (unsigned row = 0; row < rows; ++row) {
      float *target = d + row * columns + panel * productColumns;
      Pair sum[pairs] = {}; // in registers: the loops over it are unrolled
      if (accumulate)
        for (unsigned i = 0; i < pairs; ++i)
          sum[i] = Pair{target[2 * i], target[2 * i + 1]};
      for (unsigned step = 0; step < k; ++step)
        for (unsigned i = 0; i < pairs; ++i) {
          Pair right;
          std::memcpy(&right, b + step * productColumns + 2 * i, sizeof right);
          sum[i] += a[row * k + step] * right;
        }
      for (unsigned i = 0; i < pairs; ++i)
        for (unsigned j = 0; j < 2; ++j)
          target[2 * i + j] = roundOnce(sum[i][j]);
    }
  }
}

} // namespace tilefold::sim
