// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fp32 numbers to f16 and bf16, which the interpreter holds as fp32.
#include "lib/Interpreter/Clones.h"
#include "lib/Interpreter/Elementwise.h"

namespace tilefold::interpreter {

// Without branches, so that compilers vectorise it. Equal to support::round_to, which a test compares.
static inline float roundToF16(float value) {
  const std::uint32_t bits = bitsOf(value), sign = bits & 0x80000000u, magnitude = bits & 0x7fffffffu;
  // Normal numbers: 13 bits fall off. Below 2^-14: adding 0.5, whose last bit is worth 2^-24, rounds to a multiple of that.
  const std::uint32_t normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u)) & ~0x1fffu;
  const std::uint32_t small = bitsOf((floatOf(magnitude) + 0.5f) - 0.5f);
  std::uint32_t result = magnitude < 0x38800000u ? small : normal;
  result = magnitude >= 0x477ff000u ? 0x7f800000u : result;
  result = magnitude > 0x7f800000u ? (0x7fc00000u | (magnitude & ~0x1fffu)) : result;
  return floatOf(sign | result);
}

static inline float roundToBF16(float value) {
  const std::uint32_t bits = bitsOf(value);
  const std::uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) & 0xffff0000u;
  return floatOf((bits & 0x7fffffffu) > 0x7f800000u ? ((bits & 0xffff0000u) | 0x00400000u) : rounded);
}

TILEFOLD_CLONES static void roundAllToF16(float *values, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k)
    values[k] = roundToF16(values[k]);
}

TILEFOLD_CLONES static void roundAllToBF16(float *values, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k)
    values[k] = roundToBF16(values[k]);
}

void roundAll(float *values, std::size_t count, Rounding rounding) {
  if (rounding == Rounding::F16)
    roundAllToF16(values, count);
  else if (rounding == Rounding::BF16)
    roundAllToBF16(values, count);
}

} // namespace tilefold::interpreter
