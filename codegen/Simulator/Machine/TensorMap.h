// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuTensorMapEncodeTiled makes, in a form of our own: a tensor in global memory and the box of it that one TMA
// instruction moves. 128 bytes, as the driver's, so that a kernel's parameters have the same layout; the driver's format is
// not public.
#pragma once
#include "codegen/Simulator/Machine/Swizzle.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilefold::sim {

enum class TensorElement : uint8_t { U8, I32, F16, BF16, F32 };
constexpr uint32_t elementBytes(TensorElement type) {
  return type == TensorElement::U8 ? 1 : type == TensorElement::F16 || type == TensorElement::BF16 ? 2 : 4;
}

/// What cuTensorMapEncodeTiled takes, dimensions innermost first. Without interleave; what lies outside the tensor reads as
/// zero.
struct TensorMapArguments {
  TensorElement type = TensorElement::F16;
  unsigned rank = 1;
  void *base = nullptr;
  uint64_t sizes[5] = {};                       ///< elements
  uint64_t strides[4] = {};                     ///< bytes from one element to the next of dimensions 1 to rank - 1
  uint32_t box[5] = {};                         ///< elements
  uint32_t elementStrides[5] = {1, 1, 1, 1, 1}; ///< every how many elements of the box are taken; the first is ignored
  Swizzle swizzle = Swizzle::None;
};

struct alignas(64) TensorMap {
  static constexpr uint32_t expectedMark = 0x70616d74; ///< tells a map from other bytes
  uint32_t mark;
  TensorElement type;
  uint8_t rank;
  Swizzle swizzle;
  uint8_t elementStrides[5];
  uint16_t box[5];
  uint64_t base;
  uint64_t sizes[5];
  uint64_t strides[4];
};
static_assert(sizeof(TensorMap) == 128);

/// Fills `map`, or returns which argument is wrong, what it was and what was expected. An empty string if all is well.
std::string encodeTensorMap(const TensorMapArguments &arguments, TensorMap &map);

/// What is wrong with moving a box by this map, in a sentence; empty if nothing is. The box may lie anywhere, but in steps
/// of 16 bytes along the innermost dimension: the GPU calls anything else an illegal instruction.
/// A store's may not begin before the tensor: that too is an illegal instruction to the GPU, and a load's may.
std::string checkBox(const TensorMap &map, unsigned rank, const int32_t *coordinates, uint32_t sharedAddress, bool store);

/// What a load adds to its mbarrier's count, also for what lies outside the tensor.
uint32_t boxBytes(const TensorMap &map);

/// Bytes side by side on both sides: of a box, 16 of them, a swizzle chunk. The first `validBytes` lie inside the tensor; a
/// load fills the rest with zeros, a store leaves it out.
struct BoxPiece {
  uint32_t sharedAddress;
  uint32_t bytes;
  uint64_t global; ///< address of the valid bytes; 0 if there are none
  uint32_t validBytes;
  bool operator==(const BoxPiece &) const = default;
};

/// Appends the pieces of the box at `coordinates` (innermost first), in the order of the elements. A row of a swizzled box
/// that is narrower than its span takes a whole span of shared memory. The box must be one that `checkBox` accepts.
void enumerateBox(const TensorMap &map, const int32_t *coordinates, uint32_t sharedAddress, std::vector<BoxPiece> &pieces);

} // namespace tilefold::sim
