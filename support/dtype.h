// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types of host tensors, and the two 16-bit floating-point formats as bit patterns. The compilers we support have
// no portable fp16 or bf16 type in C++17, so values travel as `std::uint16_t` and are converted here, bit exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace tilefold::support {

/// Element type. `i1` is stored as one byte, 0 or 1. All multi-byte types are little endian, as the host is.
enum class DType : std::uint8_t { f16, bf16, f32, i32, i64, i1 };

/// Bytes of one stored element.
constexpr std::size_t byte_size(DType dtype) {
  switch (dtype) {
  case DType::f16:
  case DType::bf16:
    return 2;
  case DType::f32:
  case DType::i32:
    return 4;
  case DType::i64:
    return 8;
  case DType::i1:
    return 1;
  }
  return 0;
}

constexpr bool is_float(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32; }

/// "f16", "bf16", "f32", "i32", "i64" or "i1".
constexpr std::string_view name(DType dtype) {
  switch (dtype) {
  case DType::f16:
    return "f16";
  case DType::bf16:
    return "bf16";
  case DType::f32:
    return "f32";
  case DType::i32:
    return "i32";
  case DType::i64:
    return "i64";
  case DType::i1:
    return "i1";
  }
  return "?";
}

/// The inverse of `name`.
constexpr std::optional<DType> dtype_from_name(std::string_view text) {
  for (DType dtype : {DType::f16, DType::bf16, DType::f32, DType::i32, DType::i64, DType::i1})
    if (name(dtype) == text)
      return dtype;
  return std::nullopt;
}

template <typename To, typename From>
To bit_copy(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// Exact. Subnormals become normal fp32 numbers; a NaN keeps its sign and payload (in the top mantissa bits).
inline float f16_to_f32(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t(half & 0x8000u) << 16;
  const std::uint32_t magnitude = half & 0x7fffu;
  if (magnitude >= 0x7c00u) // inf, NaN
    return bit_copy<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  if (magnitude >= 0x0400u) // normal: move the exponent bias from 15 to 127
    return bit_copy<float>(sign | ((magnitude << 13) + (112u << 23)));
  // Zero and subnormals are magnitude * 2^-24, which fp32 holds exactly.
  return bit_copy<float>(sign | bit_copy<std::uint32_t>(float(magnitude) * 0x1p-24f));
}

/// Round to nearest, ties to even; 65520 and above become inf. A NaN becomes a quiet NaN with the top payload bits.
inline std::uint16_t f32_to_f16(float value) {
  const std::uint32_t bits = bit_copy<std::uint32_t>(value);
  const auto sign = std::uint16_t(bits >> 16 & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return std::uint16_t(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
  if (magnitude >= 0x477ff000u) // half way between 65504 and 65536, where the tie goes to inf, and beyond
    return std::uint16_t(sign | 0x7c00u);
  if (magnitude >= 0x38800000u) { // 2^-14 and above: normal; a carry out of the mantissa is the next exponent
    const std::uint32_t rebased = magnitude - (112u << 23);
    return std::uint16_t(sign | (rebased + 0xfffu + (rebased >> 13 & 1u)) >> 13);
  }
  if (magnitude < 0x33000000u) // below half of the smallest subnormal
    return sign;
  const std::uint32_t shift = 126u - (magnitude >> 23); // 14 to 24 bits fall off the 24-bit significand
  const std::uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
  const std::uint32_t quotient = significand >> shift;
  const std::uint32_t rest = significand & ((1u << shift) - 1u), half = 1u << (shift - 1u);
  return std::uint16_t(sign | (quotient + (rest > half || (rest == half && (quotient & 1u)))));
}

/// Exact: bf16 is the upper half of fp32.
inline float bf16_to_f32(std::uint16_t value) { return bit_copy<float>(std::uint32_t(value) << 16); }

/// Round to nearest, ties to even. A NaN becomes a quiet NaN with the top payload bits.
inline std::uint16_t f32_to_bf16(float value) {
  const std::uint32_t bits = bit_copy<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return std::uint16_t(bits >> 16 | 0x0040u);
  return std::uint16_t((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/// fp64 to fp32 with "round to odd": an inexact result gets an odd last bit, so that a second rounding to a 16-bit format
/// gives what one rounding would have given. Rounding twice to nearest does not.
inline float f64_to_f32_odd(double value) {
  const auto nearest = float(value);
  if (!(value == value) || double(nearest) == value)
    return nearest;
  std::uint32_t bits = bit_copy<std::uint32_t>(nearest);
  if ((double(nearest) > value) == (value > 0)) // nearest lies farther from zero than value: truncate
    --bits;
  return bit_copy<float>(bits | 1u);
}
inline std::uint16_t f64_to_f16(double value) { return f32_to_f16(f64_to_f32_odd(value)); }
inline std::uint16_t f64_to_bf16(double value) { return f32_to_bf16(f64_to_f32_odd(value)); }

/// fp32 after a round trip through `dtype`; f32 itself is the identity. `dtype` must be a floating-point type.
inline float round_to(DType dtype, float value) {
  return dtype == DType::f16 ? f16_to_f32(f32_to_f16(value)) : dtype == DType::bf16 ? bf16_to_f32(f32_to_bf16(value)) : value;
}

} // namespace tilefold::support
