// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Machine/WgmmaOperands.h"
#include "codegen/Simulator/Machine/Fragments.h"
#include "codegen/Simulator/Machine/MatrixProduct.h"
#include <algorithm>
#include <cassert>
#include <cstring>

namespace tilefold::sim {

constexpr unsigned rowsOfA = 64, depth = 16, chunkElements = 8;

static uint32_t field(uint64_t bits, unsigned first, unsigned count) {
  return uint32_t(bits >> first & ((1u << count) - 1));
}

MatrixDescriptor decodeDescriptor(uint64_t bits) {
  constexpr Swizzle modes[] = {Swizzle::None, Swizzle::Span128, Swizzle::Span64, Swizzle::Span32};
  MatrixDescriptor descriptor;
  descriptor.address = field(bits, 0, 14) * 16;
  descriptor.leadingBytes = field(bits, 16, 14) * 16;
  descriptor.strideBytes = field(bits, 32, 14) * 16;
  descriptor.baseOffset = field(bits, 49, 3);
  descriptor.swizzle = modes[field(bits, 62, 2)];
  return descriptor;
}

std::string checkDescriptor(uint64_t bits, bool mnMajor, unsigned extent) {
  struct {
    unsigned first, count;
  } constexpr reserved[] = {{14, 2}, {30, 2}, {46, 3}, {52, 10}};
  for (const auto &gap : reserved)
    if (uint32_t value = field(bits, gap.first, gap.count))
      return "matrix descriptor: bits " + std::to_string(gap.first) + " to " + std::to_string(gap.first + gap.count - 1) +
             " are " + std::to_string(value) + ", expected 0: an address or offset that does not fit its field?";

  const MatrixDescriptor descriptor = decodeDescriptor(bits);
  if (descriptor.swizzle == Swizzle::None)
    return "";
  // The bytes of one row of the operand (or of one k) that lie side by side must not run into the next span.
  const uint32_t span = spanBytes(descriptor.swizzle), start = descriptor.address % span;
  const uint32_t bytes = std::min(span, 2 * (mnMajor ? extent : depth));
  if (start + bytes > span)
    return "matrix descriptor: the start address " + std::to_string(descriptor.address) + " is at byte " +
           std::to_string(start) + " of a swizzle span of " + std::to_string(span) + " bytes, expected at most " +
           std::to_string(span - bytes) + ": " +
           (mnMajor ? "an MN-major operand of " + std::to_string(extent) + " rows" : "a K-major operand") + " takes " +
           std::to_string(bytes) + " bytes of a span";
  return "";
}

uint32_t elementAddress(const MatrixDescriptor &descriptor, bool mnMajor, unsigned row, unsigned k) {
  const uint32_t span = spanBytes(descriptor.swizzle), leading = descriptor.leadingBytes, stride = descriptor.strideBytes;
  uint32_t offset;
  if (descriptor.swizzle == Swizzle::None && !mnMajor)
    offset = 16 * (row % 8) + stride * (row / 8) + 2 * (k % 8) + leading * (k / 8);
  else if (descriptor.swizzle == Swizzle::None)
    offset = 2 * (row % 8) + stride * (row / 8) + 16 * (k % 8) + leading * (k / 8);
  else if (!mnMajor)
    offset = span * (row % 8) + stride * (row / 8) + 2 * k;
  else
    offset = 2 * (row % (span / 2)) + leading * (row / (span / 2)) + span * (k % 8) + stride * (k / 8);
  return swizzled(descriptor.swizzle, descriptor.address + offset, descriptor.baseOffset);
}

void chunkAddresses(const MatrixDescriptor &descriptor, bool mnMajor, unsigned extent, uint32_t *addresses) {
  for (unsigned i = 0; i < 2 * extent; ++i)
    addresses[i] = mnMajor ? elementAddress(descriptor, true, chunkElements * (i / depth), i % depth)
                           : elementAddress(descriptor, false, i / 2, chunkElements * (i % 2));
}

void gatherOperand(bool mnMajor, unsigned extent, const void *const *chunks, uint16_t *elements) {
  for (unsigned i = 0; i < 2 * extent; ++i) {
    if (!mnMajor) {
      std::memcpy(elements + chunkElements * i, chunks[i], 16);
      continue;
    }
    uint16_t chunk[chunkElements];
    std::memcpy(chunk, chunks[i], sizeof chunk);
    for (unsigned j = 0; j < chunkElements; ++j)
      elements[(chunkElements * (i / depth) + j) * depth + i % depth] = chunk[j];
  }
}

void gatherOperandA(const uint32_t *const *registers, uint16_t *elements) {
  for (unsigned thread = 0; thread < warpgroupSize; ++thread)
    for (unsigned index = 0; index < 4; ++index)
      for (unsigned half = 0; half < 2; ++half) {
        const auto [row, column] = operandAPosition(thread, index, half);
        elements[row * depth + column] = uint16_t(registers[thread][index] >> 16 * half);
      }
}

/// Exchanges the values of a panel of eight columns: with `gather` from the threads to `panel` [64][8], else back.
static void movePanel(unsigned first, bool gather, float *const *accumulators, float *panel) {
  for (unsigned thread = 0; thread < warpgroupSize; ++thread)
    for (unsigned index = 0; index < 4; ++index) { // four values of each thread are in every eight columns
      const auto [row, column] = accumulatorPosition(thread, index);
      float &inThread = accumulators[thread][first / 2 + index], &inPanel = panel[row * productColumns + column];
      gather ? inPanel = inThread : inThread = inPanel;
    }
}

void multiplyWarpgroup(const WgmmaShape &shape, const uint16_t *a, const uint16_t *b, float *const *accumulators) {
  assert(shape.n % productColumns == 0 && shape.n >= 8 && shape.n <= 256 && "m64nNk16");
  double left[rowsOfA * depth], right[depth * productColumns];
  float panel[rowsOfA * productColumns];
  widen(shape.operands, a, rowsOfA * depth, left);
  if (shape.scaleA * shape.scaleB < 0)
    for (double &value : left)
      value = -value;
  for (unsigned first = 0; first < shape.n; first += productColumns) {
    uint16_t transposed[depth * productColumns];
    for (unsigned column = 0; column < productColumns; ++column)
      for (unsigned k = 0; k < depth; ++k)
        transposed[k * productColumns + column] = b[(first + column) * depth + k];
    widen(shape.operands, transposed, depth * productColumns, right);
    if (shape.accumulate)
      movePanel(first, /*gather=*/true, accumulators, panel);
    multiplyMatrices(rowsOfA, productColumns, depth, left, right, panel, shape.accumulate);
    movePanel(first, /*gather=*/false, accumulators, panel);
  }
}

} // namespace tilefold::sim
