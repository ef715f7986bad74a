// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/program.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <string>

/// What attention kernels share. The meaning of every number here is fixed by docs/semantics.md.
namespace tilefold {

/// Where a block of scores lies: head h, row i and position q of its queries (columns, m x 1), position k of its keys (a row,
/// 1 x n), so that comparing q with k gives a mask of the block's shape. The last query sees the last key: q = i + Sk - Sq.
struct At {
  Program &p;
  Index b;
  Tile<i32, 2> h, i, q, k;
};

namespace detail {

template <class Signature> class VariantFunction;

/// A std::function, or none, that says in words why a lambda does not fit.
template <class Result, class... Args> class VariantFunction<Result(Args...)> : public std::function<Result(Args...)> {
public:
  VariantFunction() = default;
  VariantFunction(std::nullptr_t) {}
  template <class F> requires(!std::is_base_of_v<VariantFunction, std::remove_cvref_t<F>>)
  VariantFunction(F f) {
    constexpr bool takes = std::invocable<F &, Args...>, copies = std::copy_constructible<F>;
    static_assert(takes, "a variant's functions are score(s, at), keep(at) and keys(lo, hi, n), where at is a const At &");
    static_assert(copies, "a variant is copied: its functions capture what can be copied");
    if constexpr (takes && copies) {
      constexpr bool gives = std::convertible_to<std::invoke_result_t<F &, Args...>, Result>;
      static_assert(gives, "score gives a Tile<f32, 2> and keep a Tile<i1, 2>, with col(v) or row(v) for a vector and cast<f32>() "
                           "for integers; keys gives a Range");
      if constexpr (gives) std::function<Result(Args...)>::operator=(std::move(f));
    }
  }
};

} // namespace detail

/// What makes one attention differ from another: an ordinary value, consulted while tracing.
struct Variant {
  /// The logit that takes the place of the scaled score s.
  detail::VariantFunction<Tile<f32, 2>(Tile<f32, 2> s, const At &at)> score = {};
  /// Which keys a query sees. No `keep`, and it sees all.
  detail::VariantFunction<Tile<i1, 2>(const At &at)> keep = {};
  /// The keys that queries at positions [lo, hi) can see, of n. Leaving it out is slower, never wrong.
  detail::VariantFunction<Range(Index lo, Index hi, Index n)> keys = {};

  /// The logits of a block: those of keys that are not visible are -inf, by selection. Errors: a score or a mask whose shape does
  /// not broadcast to that of the block, on the line that computes it.
  Tile<f32, 2> operator()(Tile<f32, 2> s, const At &at, Location l = Location::current()) const {
    auto fitted = [&](auto x, const char *what) { return decltype(x)(detail::in_shape_of(s.handle(), x.handle(), what, l)); };
    auto logits = score ? fitted(score(s, at), "the variant's score") : s;
    return keep ? where(fitted(keep(at), "the variant's keep"), logits, -inf) : logits;
  }
  /// The blocks of keys to visit: within [0, n), from a multiple of `step`.
  Range range(Index lo, Index hi, Index n, int step) const {
    if (!keys) return {0, n, step};
    Range r = keys(lo, hi, n);
    if (!r.lo.is_literal || r.lo.literal.integer != 0) r.lo = max(r.lo, 0) / step * step;
    return {r.lo, min(r.hi, n), step};
  }
};

/// Both: scores one after the other, keys that both see.
inline Variant operator&(const Variant &a, const Variant &b) {
  Variant both = a;
  if (!a.score) both.score = b.score;
  else if (b.score) both.score = [=](Tile<f32, 2> s, const At &at) { return b.score(a.score(s, at), at); };
  if (!a.keep) both.keep = b.keep;
  else if (b.keep) both.keep = [=](const At &at) { return a.keep(at) && b.keep(at); };
  if (!a.keys) both.keys = b.keys;
  else if (b.keys) both.keys = [=](Index lo, Index hi, Index n) {
    Range x = a.keys(lo, hi, n), y = b.keys(lo, hi, n);
    return Range{max(x.lo, y.lo), min(x.hi, y.hi)};
  };
  return both;
}

/// A query sees the keys up to its own position.
inline Variant causal() {
  return {.keep = [](const At &at) { return at.q >= at.k; },
          .keys = [](Index, Index hi, Index) { return Range{0, hi}; }};
}

/// A query at q sees the keys in [q - left, q + right]; a side that is `std::nullopt` is unlimited. (0, 0) is the diagonal
/// alone. Errors: a negative side, which other libraries take for no limit.
inline Variant sliding_window(std::optional<int> left, std::optional<int> right, Location l = Location::current()) {
  if (!left && !right) return {};
  return {.keep = [=](const At &at) {
            for (auto [name, side] : {std::pair("left", left), {"right", right}})
              if (side && *side < 0)
                detail::refuse("sliding_window: expected " + std::string(name) +
                               " to be 0 or more, or std::nullopt for no limit, got " + std::to_string(*side), l);
            if (!right) return at.q - at.k <= *left;
            if (!left) return at.k - at.q <= *right;
            return at.q - at.k <= *left && at.k - at.q <= *right;
          },
          // Written so that a huge window cannot overflow i32.
          .keys = [=](Index lo, Index hi, Index n) {
            Range r{0, n};
            if (left) r.lo = max(max(lo, 0) - std::max(*left, 0), 0);
            if (right) r.hi = min(n - std::max(*right, 0), hi) + std::max(*right, 0);
            return r;
          }};
}

/// A query sees `width` keys, of which its own position is the last: what models call a window. Errors: a width below 1.
inline Variant window_of(int width, Location l = Location::current()) {
  Variant window = sliding_window(std::max(width, 1) - 1, 0, l);
  return {.keep = [=](const At &at) {
            if (width < 1)
              detail::refuse("window_of: expected a width of 1 or more, for which a query sees itself, got " +
                             std::to_string(width), l);
            return window.keep(at);
          },
          .keys = window.keys};
}

/// Logits squeezed into (-cap, cap). Errors: a cap that is not finite and greater than 0.
inline Variant softcap(float cap, Location l = Location::current()) {
  return {.score = [=](Tile<f32, 2> s, const At &) {
    if (!(cap > 0 && std::isfinite(cap)))
      detail::refuse("softcap: expected a finite cap greater than 0, got " + std::to_string(cap), l);
    return cap * tanh(s / cap);
  }};
}

/// A bias of -2^(-8 (h + 1) / heads) for each position between query and key. Errors: less than one head.
inline Variant alibi(int heads, Location l = Location::current()) {
  return {.score = [=](Tile<f32, 2> s, const At &at) {
    if (heads < 1)
      detail::refuse("alibi: expected 1 head or more, got " + std::to_string(heads), l);
    return s - exp2(cast<f32>(at.h + 1) * (-8.f / heads)) * cast<f32>(at.q - at.k);
  }};
}

/// How many columns a kernel's tiles have for this head dim: products come in multiples of 16. Those beyond are zeros where a tile
/// is loaded, and not stored.
constexpr int padded(int head_dim) { return int((unsigned(head_dim) + 15) / 16 * 16); }

/// How far below the largest logit scores are measured from: weights in f16 are stored times 2^12, or those 17 nats below
/// the largest would vanish although there may be a hundred thousand of them.
template <class T> inline constexpr float headroom = std::is_same_v<T, f16> ? 12 * std::numbers::ln2_v<float> : 0;

/// m, or 0 while nothing is visible, where -inf - -inf would be NaN. A NaN stays one.
template <int R> Tile<f32, R> finite_reference(Tile<f32, R> m) { return where(m != -inf, m, 0); }

/// l, or 1 for a row that sees nothing: its output is then 0.
template <int R> Tile<f32, R> denominator(Tile<f32, R> l) { return where(l > 0, l, 1); }

/// ln of a row's sum of exponentials, from the reference m and the sum l of weights relative to it; -inf for a row that sees
/// nothing. From 2^24 on (and 64, which a sum may add to the logits), the rounding of m is a factor of all weights of a row. The
/// row is NaN (C12) unless they have kept it: the largest of n weights is at least l / n, a normal number in f16 from 2^-14
/// on, beside which what others lose below is nothing. Weights that overflow show in the output.
template <int R> Tile<f32, R> log_sum(Tile<f32, R> m, Tile<f32, R> l, Index n) {
  auto lse = m + log(l);
  auto is_right = m == -inf || abs(lse) < 0x1p24f + 64 || (l >= cast<f32>(n) * 0x1p-14f && l < 0x1p64f);
  return where(is_right, lse, std::numeric_limits<float>::quiet_NaN());
}

/// An output o where it is finite, and NaN where it is not (0 * inf is NaN) or the log-sum of its row is NaN.
template <int R, int Q> Tile<f32, R> right_or_nan(Tile<f32, R> o, Tile<f32, Q> lse) { return o + o * where(lse == lse, 0, lse); }

/// x + y - sum, without error: what rounding dropped from the sum of x and y (Knuth's two-sum).
template <int R> Tile<f32, R> rounding_error(Tile<f32, R> x, Tile<f32, R> y, Tile<f32, R> sum) {
  auto y_kept = sum - x;
  return (x - (sum - y_kept)) + (y - y_kept);
}

/// What stretches of a long row come to (C14): a softmax's m, l and acc, and in `lost` what rounding dropped from l.
struct SoftmaxSum {
  Tile<f32, 1> m, l, lost;
  Tile<f32, 2> acc;

  SoftmaxSum add(const SoftmaxSum &next) const {
    auto m_new = max(m, next.m), shift = finite_reference(m_new);
    auto a = exp(m - shift), b = exp(next.m - shift);
    auto x = a * l, y = b * next.l, sum = x + y;
    return {m_new, sum, a * lost + b * next.lost + rounding_error(x, y, sum), col(a) * acc + col(b) * next.acc};
  }
};

/// The running softmax that FlashAttention-2 and Flash-Decoding share: the reference m that logits are measured against, the
/// sum l of the weights and the weighted sum acc of values. A row whose scores are all masked stays (-inf, 0, 0).
struct OnlineSoftmax {
  Tile<f32, 1> m, l;
  Tile<f32, 2> acc;

  template <class T> OnlineSoftmax update(Tile<f32, 2> s, Tile<T, 2> v) const {
    auto m_new = max(m, rowmax(s) - headroom<T>);
    auto shift = finite_reference(m_new);
    auto p = exp(s - col(shift));
    auto alpha = exp(m - shift);
    return {m_new, alpha * l + rowsum(p), weigh(cast<T>(p), s != -inf, v, acc * col(alpha))};
  }
  SoftmaxSum total() const { return {m, l, zeros_like(l), acc}; }
  static OnlineSoftmax of(const SoftmaxSum &sum) { return {sum.m, sum.l + sum.lost, sum.acc}; }
  /// For a row of n keys at most.
  Tile<f32, 2> output(Index n) const { return right_or_nan(acc / col(denominator(l)), col(lse(n))); }
  Tile<f32, 1> lse(Index n) const { return log_sum(m, l, n); }
};

inline OnlineSoftmax empty_softmax(Program &p, int rows, int head_dim) {
  return {p.full<f32>(-inf, {rows}), p.zeros<f32>({rows}), p.zeros<f32>({rows, head_dim})};
}

/// What every attention program demands of q [B, Hq, Sq, D], k and v [B, Hkv, Sk, D]. A call without work may have no
/// key/value heads and any head dim. Errors: a kernel for a head dim below 1.
template <class T>
void require_attention(Program &p, Tensor<T, 4> q, Tensor<T, 4> k, Tensor<T, 4> v, int head_dim, Location l = Location::current()) {
  if (head_dim < 1) detail::refuse("expected a kernel for a head dim of 1 or more, got head_dim = " + std::to_string(head_dim), l);
  auto idle = q.size(0) == 0 || q.size(1) == 0 || q.size(2) == 0;
  auto d = std::to_string(head_dim);
  p.require(q.size(3) == head_dim || idle, "q", "a head dim of " + d + ", for which this kernel was compiled, got {0}", {q.size(3)});
  p.require(k.size(3) == q.size(3), "k", "q's head dim {0}, got {1}", {q.size(3), k.size(3)});
  p.require(k.size(0) == q.size(0), "k", "q's batch {0}, got {1}", {q.size(0), k.size(0)});
  p.require(k.size(1) > 0 || idle, "k", "at least one head, got {0}", {k.size(1)});
  p.require(q.size(1) % max(k.size(1), 1) == 0, "k", "a number of heads that divides q's {0}, got {1}", {q.size(1), k.size(1)});
  for (int dim = 0; dim < 4; ++dim)
    p.require(v.size(dim) == k.size(dim), "v", "k's shape, whose dimension " + std::to_string(dim) + " is {0}, got {1}",
              {k.size(dim), v.size(dim)});
}

} // namespace tilefold
