// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Gpu/inputs.h"

#include "support/random.h"
#include "test/Numerics/variant_references.h"

#include <cstring>
#include <limits>

namespace tilefold::gpu_suite {

using support::DType;
using support::HostTensor;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

HostTensor random(DType dtype, const Shape &shape, std::uint64_t seed, std::uint64_t stream, double deviation = 1) {
  HostTensor tensor(dtype, shape);
  support::fill_normal(tensor, seed, stream, 0, deviation);
  return tensor;
}

HostTensor constant(DType dtype, const Shape &shape, double value) {
  HostTensor tensor(dtype, shape);
  for (std::int64_t n = 0; n < tensor.count(); ++n)
    tensor.set(n, value);
  return tensor;
}

/// 0, except for column 0, which is f(row of the sequence).
template <class F> HostTensor first_column(DType dtype, const Shape &shape, F f) {
  HostTensor tensor(dtype, shape);
  for (std::int64_t row = 0; row * shape[3] < tensor.count(); ++row)
    tensor.set(row * shape[3], f(row % shape[2]));
  return tensor;
}

void set_if_inside(HostTensor &tensor, Shape index, double value) {
  for (std::size_t d = 0; d < index.size(); ++d)
    if (index[d] < 0)
      index[d] += tensor.size(d); // from the end
  for (std::size_t d = 0; d < index.size(); ++d)
    if (index[d] < 0 || index[d] >= tensor.size(d))
      return;
  tensor.set(tensor.at(index), value);
}

/// Repeats what the first head or batch entry holds, for layouts that store it once.
void share(HostTensor &tensor, Layout layout) {
  if ((layout != Layout::shared_heads && layout != Layout::shared_batch) || tensor.count() == 0)
    return;
  const std::int64_t heads = tensor.size(1), block = tensor.size(2) * tensor.size(3);
  for (std::int64_t b = 0; b < tensor.size(0); ++b)
    for (std::int64_t h = 0; h < heads; ++h) {
      const std::int64_t from = layout == Layout::shared_heads ? b * heads : h;
      if (from != b * heads + h)
        std::memcpy(tensor.data() + (b * heads + h) * block * std::int64_t(byte_size(tensor.dtype())),
                    tensor.data() + from * block * std::int64_t(byte_size(tensor.dtype())), std::size_t(block) * byte_size(tensor.dtype()));
    }
}

} // namespace

AttentionInputs make_inputs(const AttentionCase &test, int head_dim, DType dtype, Fill fill, std::uint64_t seed) {
  const Shape q_shape{test.batch, test.query_heads, test.queries, head_dim};
  const Shape k_shape{test.batch, test.key_heads, test.keys, head_dim};
  const double q_deviation = fill == Fill::wide_logits ? 8 : fill == Fill::large_logits ? 300 : 1;
  const double k_deviation = fill == Fill::wide_logits ? 8 : fill == Fill::large_logits ? 100 : 1;
  AttentionInputs in;
  switch (fill) {
  case Fill::equal_64:
  case Fill::equal_300:
    in.q = constant(dtype, q_shape, fill == Fill::equal_64 ? 64 : 300);
    in.k = constant(dtype, k_shape, fill == Fill::equal_64 ? 64 : 300);
    break;
  case Fill::uniform:
    in.q = HostTensor(dtype, q_shape);
    in.k = random(dtype, k_shape, seed, 1);
    break;
  case Fill::falling_logits:
  case Fill::rising_logits:
  case Fill::one_heavy_key:
    in.q = first_column(dtype, q_shape, [](std::int64_t) { return 1.0; });
    in.k = first_column(dtype, k_shape, [&](std::int64_t j) {
      return fill == Fill::one_heavy_key   ? (j == 0 ? 17.0 : 0.0)
             : fill == Fill::falling_logits ? -20.0 * double(j / 64)
                                            : -20.0 * double((test.keys - 1 - j) / 64);
    });
    break;
  default:
    in.q = random(dtype, q_shape, seed, 0, q_deviation);
    in.k = random(dtype, k_shape, seed, 1, k_deviation);
  }
  if (fill == Fill::values_60000)
    in.v = constant(dtype, k_shape, 60000);
  else if (fill == Fill::one_heavy_key) {
    in.v = constant(dtype, k_shape, 1);
    for (std::int64_t c = 0; c < head_dim; ++c)
      set_if_inside(in.v, {0, 0, 0, c}, 0);
  } else
    in.v = random(dtype, k_shape, seed, 2);
  share(in.q, test.q);
  share(in.k, test.k);
  share(in.v, test.v);

  // What is not finite goes where causal rows differ in seeing it: near the last key, and in the middle.
  if (fill == Fill::nan_values) {
    set_if_inside(in.v, {0, 0, -20, 3}, nan);
    set_if_inside(in.v, {-1, -1, -77, 17}, infinity);
  } else if (fill == Fill::nan_keys) {
    for (std::int64_t c = 0; c < head_dim; ++c)
      set_if_inside(in.k, {0, 0, -20, c}, nan);
    set_if_inside(in.k, {-1, -1, -77, 5}, nan);
  } else if (fill == Fill::infinite_keys) {
    set_if_inside(in.k, {0, 0, -20, 3}, infinity);
    set_if_inside(in.k, {-1, -1, -77, 5}, -infinity);
  } else if (fill == Fill::nan_query) {
    set_if_inside(in.q, {0, 0, test.queries / 2, 7}, nan);
  }
  return in;
}

support::Result<std::shared_ptr<const Expected>> expect(const AttentionCase &test, int head_dim, DType dtype, bool causal,
                                                        const std::string &variant) {
  auto expected = std::make_shared<Expected>();
  expected->inputs = make_inputs(test, head_dim, dtype, test.fill, 7);
  support::AttentionOptions options = *numerics::variant_reference(variant);
  options.causal |= causal;
  if (test.scale)
    options.scale = double(float(*test.scale)); // programs take an f32
  const auto &[q, k, v] = expected->inputs;
  auto reference = reference_attention(q, k, v, options);
  if (!reference)
    return reference.status();
  expected->reference = *std::move(reference);
  if (is_random(test.fill)) {
    auto plain = plain_attention(q, k, v, options);
    if (!plain)
      return plain.status();
    expected->plain = *std::move(plain);
  }
  return std::shared_ptr<const Expected>(std::move(expected));
}

} // namespace tilefold::gpu_suite
