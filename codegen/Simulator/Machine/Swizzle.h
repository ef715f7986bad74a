// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The swizzles of shared memory that TMA writes and wgmma reads: 16-byte chunks change places within a span of 32, 64 or 128
// bytes, as the row of 128 bytes says. A swizzle is a function of the absolute shared address, so both sides agree wherever
// a tile starts; the pattern repeats every 8 spans.
#pragma once
#include <cstdint>

namespace tilefold::sim {

enum class Swizzle : uint8_t { None, Span32, Span64, Span128 };

/// Bytes within which chunks change places; 16, one chunk, without a swizzle.
constexpr uint32_t spanBytes(Swizzle swizzle) { return 16u << unsigned(swizzle); }

/// Where a byte lies whose address without swizzle is `address`: address bits 4, 4-5 or 4-6 are flipped by bits 7, 7-8 or
/// 7-9. The pattern begins at a row of 128 bytes whose number is a multiple of 8, or `firstRow` rows behind one.
constexpr uint32_t swizzled(Swizzle swizzle, uint32_t address, uint32_t firstRow = 0) {
  return address ^ ((((address >> 7) - firstRow) & ((1u << unsigned(swizzle)) - 1)) << 4);
}

} // namespace tilefold::sim
