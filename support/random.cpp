// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with -ffp-contract=off: a fused multiply-add here would change the last bit of a number on some machines.
#include "support/random.h"

#include "support/parallel.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace tilefold::support {

namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/// ln(x) for x in (0, 1], by ln m = 2 atanh((m - 1) / (m + 1)). std::frexp and the four operations are exact or correctly
/// rounded everywhere.
double portable_log(double x) {
  int exponent;
  double m = std::frexp(x, &exponent); // [0.5, 1)
  if (m < 0.70710678118654752440) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1), s2 = s * s; // |s| <= 0.1716
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2)
    sum = sum * s2 + 1.0 / k;
  return 2 * s * sum + exponent * 0.69314718055994530942;
}

/// cos and sin of 2 pi t for t in [0, 1): Taylor polynomials on an eighth of a turn to either side of a quarter.
void portable_sincos(double t, double &sine, double &cosine) {
  const double quarter = std::floor(4 * t + 0.5);
  const double x = (t - quarter / 4) * 6.28318530717958647693; // [-pi/4, pi/4]
  const double x2 = x * x;
  double s = 0, c = 0;
  for (int k = 17; k >= 3; k -= 2)
    s = (1 + s) * (-x2 / (k * (k - 1)));
  for (int k = 18; k >= 2; k -= 2)
    c = (1 + c) * (-x2 / (k * (k - 1)));
  s = x * (1 + s);
  c = 1 + c;
  switch (int(quarter) & 3) {
  case 0: sine = s, cosine = c; break;
  case 1: sine = c, cosine = -s; break;
  case 2: sine = -s, cosine = -c; break;
  default: sine = -c, cosine = s; break;
  }
}

} // namespace

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t n) {
  // The two mixes keep (seed, stream) pairs such as (1, 2) and (2, 1) apart.
  const std::uint64_t key = mix(mix(seed + golden) + stream * golden + 1);
  return mix(key + (n + 1) * golden);
}

double random_normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t n) {
  const std::uint64_t pair = n & ~std::uint64_t(1);
  const double u = double((random_bits(seed, stream, pair) >> 11) + 1) * 0x1p-53; // (0, 1]
  const double t = double(random_bits(seed, stream, pair + 1) >> 11) * 0x1p-53;   // [0, 1)
  double sine, cosine;
  portable_sincos(t, sine, cosine);
  return std::sqrt(-2 * portable_log(u)) * (n == pair ? cosine : sine);
}

void fill_normal(HostTensor &tensor, std::uint64_t seed, std::uint64_t stream, double mean, double stddev) {
  assert(is_float(tensor.dtype()));
  constexpr std::int64_t chunk = 1 << 14;
  const std::int64_t count = tensor.count();
  const bool dense = tensor.dense();
  parallel_for((count + chunk - 1) / chunk, [&](std::int64_t c) {
    for (std::int64_t n = c * chunk; n < std::min(count, (c + 1) * chunk); ++n)
      tensor.set(dense ? n : tensor.at_linear(n), mean + stddev * random_normal(seed, stream, std::uint64_t(n)));
  }, tensor.storage().size() / byte_size(tensor.dtype()) < std::size_t(count) ? 1 : 0); // broadcast: one order of writes
}

HostTensor normal_tensor(DType dtype, Shape shape, std::uint64_t seed, std::uint64_t stream) {
  HostTensor tensor(dtype, std::move(shape));
  fill_normal(tensor, seed, stream);
  return tensor;
}

} // namespace tilefold::support
