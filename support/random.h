// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random tensors with the same bits on every machine: element n of a tensor is a function of (seed, stream, n) alone,
// where n counts in row-major order of the index. Dtype, strides, thread count and the C library play no part.
#pragma once

#include "support/host_tensor.h"

#include <cstdint>

namespace tilefold::support {

/// The n-th 64-bit word of a stream (splitmix64, https://prng.di.unimi.it/splitmix64.c, used as a counter-based generator).
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t n);

/// The n-th standard normal number of a stream (Box and Muller; logarithm and sine by our own polynomials, since those of
/// C libraries differ in their last bits).
double random_normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t n);

/// Overwrites every element with mean + stddev * normal, rounded to the tensor's dtype (floats only).
void fill_normal(HostTensor &tensor, std::uint64_t seed, std::uint64_t stream = 0, double mean = 0, double stddev = 1);

/// A dense tensor of standard normal numbers. Give q, k and v different streams of one seed.
HostTensor normal_tensor(DType dtype, Shape shape, std::uint64_t seed, std::uint64_t stream = 0);

} // namespace tilefold::support
