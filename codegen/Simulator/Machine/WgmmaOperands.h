// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma.mma_async m64nNk16 on 16-bit operands: which bytes of shared memory a matrix descriptor names, and the product.
//
// An operand is a matrix of `extent` rows (M or N: 64, or N) and 16 columns (K). With S the 16-byte chunks of a swizzle span
// (2, 4 or 8), element (row, k) lies, before the swizzle, in bytes from the start address at
//
//   K-major,  no swizzle    16 (row % 8) + SBO (row / 8) + 2 (k % 8) + LBO (k / 8)
//   K-major,  swizzled    16 S (row % 8) + SBO (row / 8) + 2 k                            LBO is not used
//   MN-major, no swizzle     2 (row % 8) + SBO (row / 8) + 16 (k % 8) + LBO (k / 8)
//   MN-major, swizzled       2 (row % 8S) + LBO (row / 8S) + 16 S (k % 8) + SBO (k / 8)
//
// with LBO and SBO the descriptor's leading and stride byte offsets: the canonical layouts of the PTX ISA.
#pragma once
#include "codegen/Simulator/Machine/Abi.h"
#include "codegen/Simulator/Machine/Swizzle.h"
#include <string>

namespace tilefold::sim {

/// The fields of a 64-bit matrix descriptor, in bytes.
struct MatrixDescriptor {
  uint32_t address = 0;            ///< bits 0-13, in units of 16 bytes
  uint32_t leadingBytes = 0;       ///< bits 16-29, likewise
  uint32_t strideBytes = 0;        ///< bits 32-45, likewise
  uint32_t baseOffset = 0;         ///< bits 49-51: the row of 128 bytes, modulo 8, at which the swizzle's pattern begins
  Swizzle swizzle = Swizzle::None; ///< bits 62-63: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes
};

MatrixDescriptor decodeDescriptor(uint64_t bits);

/// What is wrong with a descriptor for an operand of `extent` rows, in a sentence; empty if nothing is. An operand that runs
/// over the end of a swizzle span is among it: the GPU adds offsets and goes on, but no canonical layout does that. Whether
/// the bytes exist is for the memory to say.
std::string checkDescriptor(uint64_t bits, bool mnMajor, unsigned extent);

/// The shared address of element (row, k).
uint32_t elementAddress(const MatrixDescriptor &descriptor, bool mnMajor, unsigned row, unsigned k);

/// An operand is 2 * extent chunks of 16 bytes. Chunk i of a K-major operand is row i / 2, eight k from 8 (i % 2); of an
/// MN-major one k i % 16, eight rows from 8 (i / 16).
void chunkAddresses(const MatrixDescriptor &descriptor, bool mnMajor, unsigned extent, uint32_t *addresses);

/// The elements [extent][16] of an operand whose chunk i is at chunks[i].
void gatherOperand(bool mnMajor, unsigned extent, const void *const *chunks, uint16_t *elements);

/// The elements [64][16] of operand A in registers: four of each of 128 threads.
void gatherOperandA(const uint32_t *const *registers, uint16_t *elements);

struct WgmmaShape {
  unsigned n = 8;                ///< a multiple of 8 up to 256
  Number operands = Number::F16; ///< or BF16
  bool accumulate = true;        ///< scale-d
  int scaleA = 1, scaleB = 1;    ///< 1 or -1
};

/// d = scaleA a * scaleB b (+ d) of elements [64][16] and [n][16], summed as MatrixProduct.h says. accumulators[t] points at
/// the n / 2 values of thread t. Needs 12 KB of stack.
void multiplyWarpgroup(const WgmmaShape &shape, const uint16_t *a, const uint16_t *b, float *const *accumulators);

} // namespace tilefold::sim
