// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocked, threaded reference against the contract's formula written down naively, and against values known by hand.
#include "support/reference.h"

#include "support/random.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace tilefold::support;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

struct Inputs {
  HostTensor q, k, v;
};
Inputs random_inputs(DType dtype, std::int64_t batch, std::int64_t query_heads, std::int64_t key_heads, std::int64_t queries,
                     std::int64_t keys, std::int64_t head_dim, std::int64_t value_dim = -1) {
  return {normal_tensor(dtype, {batch, query_heads, queries, head_dim}, 1, 0),
          normal_tensor(dtype, {batch, key_heads, keys, head_dim}, 1, 1),
          normal_tensor(dtype, {batch, key_heads, keys, value_dim < 0 ? head_dim : value_dim}, 1, 2)};
}

double at(const HostTensor &tensor, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t d) {
  return tensor.get(tensor.at({b, h, i, d}));
}

/// The formula, one row at a time.
void expect_formula(const Inputs &in, const AttentionOptions &options) {
  auto reference = reference_attention(in.q, in.k, in.v, options);
  ASSERT_TRUE(reference.ok()) << reference.message();
  const AttentionSizes &n = reference->sizes;
  const double scale = options.scale.value_or(1 / std::sqrt(double(n.head_dim)));
  for (std::int64_t b = 0; b < n.batch; ++b)
    for (std::int64_t h = 0; h < n.query_heads; ++h)
      for (std::int64_t i = 0; i < n.queries; ++i) {
        const std::int64_t g = h / (n.query_heads / n.key_heads), iq = i + n.keys - n.queries;
        std::vector<double> s(std::size_t(n.keys), -inf);
        double m = options.sink.empty() ? -inf : options.sink[std::size_t(h)], bound = 0;
        const double sink = m;
        for (std::int64_t j = 0; j < n.keys; ++j) {
          const LogitPosition position{b, h, i, iq, j};
          if ((options.causal && j > iq) || (options.window_left && iq - j > *options.window_left) ||
              (options.window_right && j - iq > *options.window_right) || (options.visible && !options.visible(position)))
            continue;
          double dot = 0, magnitude = 0;
          for (std::int64_t d = 0; d < n.head_dim; ++d) {
            dot += at(in.q, b, h, i, d) * at(in.k, b, g, j, d);
            magnitude += std::abs(at(in.q, b, h, i, d) * at(in.k, b, g, j, d));
          }
          double &logit = s[std::size_t(j)];
          logit = scale * dot;
          if (options.softcap)
            logit = *options.softcap * std::tanh(logit / *options.softcap);
          if (options.score)
            logit = options.score(logit, position);
          m = std::max(m, logit);
          if (logit > -inf)
            bound = std::max(bound, std::abs(scale) * magnitude);
        }
        double l = sink > -inf ? std::exp(sink - m) : 0;
        std::vector<double> o(std::size_t(n.value_dim), 0.0);
        for (std::int64_t j = 0; j < n.keys; ++j)
          if (s[std::size_t(j)] > -inf) {
            const double p = std::exp(s[std::size_t(j)] - m);
            l += p;
            for (std::int64_t c = 0; c < n.value_dim; ++c)
              o[std::size_t(c)] += p * at(in.v, b, g, j, c);
          }
        const std::int64_t row = (b * n.query_heads + h) * n.queries + i;
        const double lse = l > 0 ? m + std::log(l) : -inf;
        if (lse == -inf)
          ASSERT_EQ(reference->lse[std::size_t(row)], lse);
        else
          ASSERT_NEAR(reference->lse[std::size_t(row)], lse, 1e-12 * std::max(1.0, std::abs(lse))) << row;
        ASSERT_NEAR(reference->logit_bound[std::size_t(row)], bound, 1e-12 * std::max(1.0, bound)) << row;
        for (std::int64_t c = 0; c < n.value_dim; ++c)
          ASSERT_NEAR(reference->o[std::size_t(row * n.value_dim + c)], l > 0 ? o[std::size_t(c)] / l : 0, 1e-12) << row << " " << c;
      }
}

TEST(Reference, Sizes) {
  for (std::int64_t queries : {1, 3, 16, 17, 37})
    for (std::int64_t keys : {0, 1, 7, 8, 9, 50})
      for (bool causal : {false, true}) {
        AttentionOptions options;
        options.causal = causal;
        expect_formula(random_inputs(DType::f16, 2, 6, 2, queries, keys, 20, 11), options);
      }
}

TEST(Reference, TypesAndThreads) {
  for (DType dtype : {DType::f16, DType::bf16, DType::f32})
    expect_formula(random_inputs(dtype, 1, 5, 5, 33, 65, 32), {});
  const Inputs in = random_inputs(DType::f16, 3, 4, 2, 40, 30, 16);
  AttentionOptions one, three;
  one.threads = 1;
  three.threads = 3;
  EXPECT_EQ(reference_attention(in.q, in.k, in.v, one)->o, reference_attention(in.q, in.k, in.v, three)->o);
  EXPECT_TRUE(same_bits(*plain_attention(in.q, in.k, in.v, one), *plain_attention(in.q, in.k, in.v, three)));
}

TEST(Reference, EveryOption) {
  const Inputs in = random_inputs(DType::f32, 2, 4, 2, 21, 29, 12);
  const auto with = [&](auto set) {
    AttentionOptions options;
    set(options);
    expect_formula(in, options);
  };
  with([](auto &o) { o.scale = 0.0; });
  with([](auto &o) { o.scale = -0.7; });
  with([](auto &o) { o.softcap = 1.5; });
  with([](auto &o) { o.window_left = 3; });
  with([](auto &o) { o.window_right = 0; });
  with([](auto &o) { o.window_left = o.window_right = 0; });
  with([](auto &o) { o.window_left = o.window_right = std::numeric_limits<std::int64_t>::max(); });
  with([](auto &o) { o.visible = [](const LogitPosition &p) { return (p.i + p.j) % 3 != 0 && p.i != 4; }; });
  with([](auto &o) { o.score = [](double s, const LogitPosition &p) { return s + 0.5 * double(p.j - p.iq) + double(p.h) - double(p.b); }; });
  with([](auto &o) { o.score = [](double s, const LogitPosition &p) { return p.j % 2 || p.i == 3 ? -inf : s; }; });
  with([](auto &o) { o.sink = {0.5, -inf, 30, -30}; });
  with([](auto &o) {
    o.scale = 0.3, o.causal = true, o.softcap = 2, o.window_left = 9, o.sink = {1, 2, 3, 4};
    o.visible = [](const LogitPosition &p) { return p.j != 5; };
    o.score = [](double s, const LogitPosition &p) { return s - 0.1 * double(p.iq - p.j); };
  });
}

TEST(Reference, StridesPlayNoPart) {
  const Inputs in = random_inputs(DType::f16, 2, 4, 2, 9, 13, 8);
  auto q = in.q.with_strides({1000, 8, 40, 1}, 3), k = in.k.with_strides({1, 2, 4, 100}), v = in.v.with_strides({500, 250, 16, 2});
  ASSERT_TRUE(q.ok() && k.ok() && v.ok());
  EXPECT_EQ(reference_attention(in.q, in.k, in.v)->o, reference_attention(*q, *k, *v)->o);
}

TEST(Reference, MoreQueriesThanKeysCausal) { // rows 0 to 2 see nothing, row 3 key 0, row 4 keys 0 and 1
  const Inputs in = random_inputs(DType::f16, 1, 1, 1, 5, 2, 4);
  AttentionOptions options;
  options.causal = true;
  auto reference = reference_attention(in.q, in.k, in.v, options);
  ASSERT_TRUE(reference.ok());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(reference->lse[i], -inf);
    EXPECT_TRUE(reference->empty[i]);
    for (std::size_t c = 0; c < 4; ++c)
      EXPECT_TRUE(reference->o[4 * i + c] == 0 && !std::signbit(reference->o[4 * i + c]));
  }
  EXPECT_FALSE(reference->empty[3]);
  EXPECT_EQ(reference->o[12], at(in.v, 0, 0, 0, 0));
}

TEST(Reference, SinkAloneAndSinkJoined) {
  const HostTensor q(DType::f16, {1, 1, 1, 8}), k(DType::f16, {1, 1, 10, 8});
  const HostTensor v = make_tensor(DType::f16, {1, 1, 10, 8}, [](std::int64_t) { return 1; });
  AttentionOptions options;
  options.sink = {2.0};
  auto joined = reference_attention(q, k, v, options);
  EXPECT_NEAR(joined->o[0], 10 / (10 + std::exp(2.0)), 1e-15);
  options.visible = [](const LogitPosition &) { return false; };
  auto alone = reference_attention(q, k, v, options);
  EXPECT_EQ(alone->o[0], 0);
  EXPECT_EQ(alone->lse[0], 2.0);
  EXPECT_TRUE(alone->empty[0]);
}

TEST(Reference, MaskedDataIsNeverObserved) {
  const Inputs in = random_inputs(DType::f16, 1, 2, 1, 12, 20, 8);
  AttentionOptions options;
  options.causal = true;
  options.visible = [](const LogitPosition &p) { return p.j != 7; };
  for (double garbage : {nan, inf, -inf, 65504.0}) {
    Inputs dirty = in;
    for (std::int64_t d = 0; d < 8; ++d) {
      dirty.k.set(dirty.k.at({0, 0, 7, d}), garbage);
      dirty.v.set(dirty.v.at({0, 0, 7, d}), garbage);
    }
    auto clean = reference_attention(in.q, in.k, in.v, options), result = reference_attention(dirty.q, dirty.k, dirty.v, options);
    EXPECT_EQ(clean->o, result->o);
    EXPECT_EQ(clean->lse, result->lse);
    EXPECT_EQ(clean->logit_bound, result->logit_bound);
    EXPECT_EQ(clean->out_of_range, result->out_of_range);
    EXPECT_TRUE(result->poisoned.empty());
    EXPECT_TRUE(same_bits(*plain_attention(in.q, in.k, in.v, options), *plain_attention(dirty.q, dirty.k, dirty.v, options)));
  }
}

TEST(Reference, VisibleNonFiniteLogitSpoilsItsRows) {
  Inputs in = random_inputs(DType::f16, 1, 1, 1, 6, 6, 8);
  AttentionOptions options;
  options.causal = true;
  const auto clean = reference_attention(in.q, in.k, in.v, options);
  in.k.set(in.k.at({0, 0, 3, 2}), nan);
  auto reference = reference_attention(in.q, in.k, in.v, options);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(std::isnan(reference->lse[i]), i >= 3);
    for (std::size_t c = 0; c < 8; ++c) {
      EXPECT_EQ(std::isnan(reference->o[8 * i + c]), i >= 3);
      if (i < 3) {
        EXPECT_EQ(reference->o[8 * i + c], clean->o[8 * i + c]);
      }
    }
  }
  EXPECT_TRUE(reference->poisoned.empty()); // NaN is the one right answer there
  in.v.set(in.v.at({0, 0, 3, 1}), inf); // does not loosen that
  EXPECT_TRUE(reference_attention(in.q, in.k, in.v, options)->poisoned.empty());
  options.score = [](double, const LogitPosition &p) { return p.i == 1 ? inf : 0.0; };
  EXPECT_TRUE(std::isnan(reference_attention(in.q, in.k, in.v, options)->lse[1]));
}

TEST(Reference, VisibleNonFiniteValueSpoilsItsColumn) {
  Inputs in = random_inputs(DType::f16, 1, 1, 1, 6, 6, 8);
  AttentionOptions options;
  options.causal = true;
  // Key 2 has a weight that underflows even in fp64; its value counts all the same.
  options.score = [](double s, const LogitPosition &p) { return p.j == 2 ? -5000.0 : s; };
  const auto clean = reference_attention(in.q, in.k, in.v, options);
  in.v.set(in.v.at({0, 0, 2, 5}), -inf);
  const auto reference = reference_attention(in.q, in.k, in.v, options);
  EXPECT_EQ(reference->lse, clean->lse);
  for (std::int64_t n = 0; n < 48; ++n) {
    const bool spoiled = n / 8 >= 2 && n % 8 == 5;
    EXPECT_EQ(reference->is_poisoned(n), spoiled) << n;
    EXPECT_EQ(std::isnan(reference->o[std::size_t(n)]), spoiled) << n;
    if (!spoiled) {
      EXPECT_EQ(reference->o[std::size_t(n)], clean->o[std::size_t(n)]);
    }
  }
}

TEST(Reference, OutOfRange) {
  HostTensor q = make_tensor(DType::f32, {1, 1, 3, 1}, [](std::int64_t i) { return i == 0 ? 1.0 : i == 1 ? 0x1p24 : 3e38; });
  const HostTensor k = make_tensor(DType::f32, {1, 1, 2, 1}, [](std::int64_t j) { return double(j + 1); });
  const auto reference = reference_attention(q, k, k);
  EXPECT_EQ(reference->out_of_range, (std::vector<std::uint8_t>{0, 1, 1}));
  // The logits of row 2 are 3 and 6, but fp32 cannot hold the dot product before the scale.
  AttentionOptions options;
  options.scale = 1e-38;
  EXPECT_EQ(reference_attention(q, k, k, options)->out_of_range, (std::vector<std::uint8_t>{0, 0, 1}));
}

TEST(Reference, ZeroSizes) {
  for (const Inputs &in : {random_inputs(DType::f16, 0, 2, 2, 3, 4, 8), random_inputs(DType::f16, 1, 0, 0, 3, 4, 8),
                           random_inputs(DType::f16, 1, 2, 2, 0, 4, 8)}) {
    auto reference = reference_attention(in.q, in.k, in.v);
    ASSERT_TRUE(reference.ok()) << reference.message();
    EXPECT_TRUE(reference->o.empty());
    EXPECT_TRUE(plain_attention(in.q, in.k, in.v).ok());
  }
}

TEST(Reference, PlainIsNearAndRounded) {
  const Inputs in = random_inputs(DType::bf16, 1, 2, 1, 70, 90, 32);
  auto reference = reference_attention(in.q, in.k, in.v);
  auto plain = plain_attention(in.q, in.k, in.v);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->dtype(), DType::bf16);
  double largest = 0;
  for (std::int64_t n = 0; n < plain->count(); ++n)
    largest = std::max(largest, std::abs(plain->get(n) - reference->o[std::size_t(n)]));
  EXPECT_LT(largest, 0.02);
  EXPECT_GT(largest, 1e-4); // it does round
  // Two keys with logits 2049 and 2048 are one in fp16.
  const HostTensor k = make_tensor(DType::f16, {1, 1, 2, 2}, [](std::int64_t n) { return n % 2 == 0 ? 2048 : n == 1; });
  const HostTensor v = make_tensor(DType::f16, {1, 1, 2, 1}, [](std::int64_t j) { return double(j); });
  auto tie = plain_attention(make_tensor(DType::f16, {1, 1, 1, 2}, [](std::int64_t) { return 1; }), k, v, [] {
    AttentionOptions options;
    options.scale = 1;
    return options;
  }());
  ASSERT_TRUE(tie.ok()) << tie.message();
  EXPECT_EQ(tie->get(0), 0.5);
  // 300 equal weights of 1/300, each 0.2 % too small in bf16.
  const HostTensor zeros(DType::bf16, {1, 1, 300, 1}), one(DType::bf16, {1, 1, 1, 1});
  const HostTensor ones = make_tensor(DType::bf16, {1, 1, 300, 1}, [](std::int64_t) { return 1; });
  EXPECT_EQ(plain_attention(one, zeros, ones)->get(0), 0.99609375);
}

TEST(Reference, Errors) {
  const auto expect = [](const Inputs &in, const AttentionOptions &options, const char *text) {
    auto reference = reference_attention(in.q, in.k, in.v, options);
    ASSERT_FALSE(reference.ok()) << text;
    EXPECT_NE(reference.message().find(text), std::string::npos) << reference.message();
    EXPECT_EQ(plain_attention(in.q, in.k, in.v, options).message(), reference.message());
  };
  const Inputs good = random_inputs(DType::f16, 2, 4, 2, 3, 5, 8);
  Inputs in = good;
  in.q = HostTensor(DType::f16, {2, 4, 3});
  expect(in, {}, "q has the shape [2, 4, 3]; expected four dimensions");
  in = good;
  in.k = HostTensor(DType::bf16, in.k.shape());
  expect(in, {}, "k has the dtype bf16");
  in.q = in.k = in.v = HostTensor(DType::i32, {1, 1, 1, 1});
  expect(in, {}, "q has the dtype i32");
  in = good;
  in.k = HostTensor(DType::f16, {3, 2, 5, 8});
  expect(in, {}, "the batch of q (dimension 0) to be 2");
  in.k = HostTensor(DType::f16, {2, 2, 5, 9});
  expect(in, {}, "the head dim of q (dimension 3) to be 8");
  in.k = HostTensor(DType::f16, {2, 2, 6, 8});
  expect(in, {}, "v has the shape [2, 2, 5, 8]; expected the length of k");
  in.k = HostTensor(DType::f16, {2, 1, 5, 8});
  expect(in, {}, "the heads of k (dimension 1) to be 1");
  expect(random_inputs(DType::f16, 1, 3, 2, 4, 4, 8), {}, "q has 3 heads and k has 2");
  expect(random_inputs(DType::f16, 1, 3, 0, 4, 4, 8), {}, "q has 3 heads and k has 0");
  expect(random_inputs(DType::f16, 1, 2, 2, 4, 4, 0), {}, "the head dim of q is 0");
  expect(random_inputs(DType::f16, 1, 2, 2, 4, 4, 8, 0), {}, "the head dim of v is 0");
  AttentionOptions options;
  options.scale = nan;
  expect(good, options, "scale is nan; it must be finite");
  options = {};
  options.softcap = 0;
  expect(good, options, "softcap is 0.000000; it must be finite and greater than 0");
  options = {};
  options.window_left = -1;
  expect(good, options, "the left side of the window is -1");
  options = {};
  options.sink = {1};
  expect(good, options, "sink has 1 values; expected one for each of the 4 query heads");
}

} // namespace
