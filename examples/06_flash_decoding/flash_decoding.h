// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/tilefold.h"
#include <cmath>

namespace tilefold {

/// The softmax of one row, merged from partial ones: reference m, denominator l, what rounding dropped from it (C14), and weighted
/// values acc.
struct MergedSoftmax {
  Scalar<f32> m, l, lost;
  Tile<f32, 1> acc;

  /// With the partial results of some splits, one a row. (-inf, 0, 0, 0) is the identity.
  MergedSoftmax merge(Tile<f32, 1> ms, Tile<f32, 1> ls, Tile<f32, 2> accs) const {
    auto m_new = max(m, max(ms)), shift = finite_reference(m_new);
    auto w = exp(ms - shift);
    auto alpha = exp(m - shift);
    auto x = alpha * l, y = sum(w * ls), l_new = x + y;
    return {m_new, l_new, alpha * lost + rounding_error(x, y, l_new), alpha * acc + colsum(col(w) * accs)};
  }
};

/// Flash-Decoding: FlashAttention-2 with the keys split as well, for queries too few to fill the machine. The rows of a tile
/// are the query heads that share a key/value head. Splits are cut at multiples of block_n, by the number of keys alone.
template <class T> struct FlashDecoding {
  int block_m = 16, block_n = 64, head_dim = 128;
  int split_keys = 256, usual_splits = 16, longest_split = 2048, merge_block = 32;
  Variant variant = {};

  void operator()(Program &p) const {
    auto Q = p.input<T, 4>("q"), K = p.input<T, 4>("k"), V = p.input<T, 4>("v"); // [b, h, s, d]
    auto O = p.output<T, 4>("o", Q.shape());
    auto LSE = p.output<f32, 3>("lse", {Q.size(0), Q.size(1), Q.size(2)});
    auto scale = p.scalar<f32>("scale", 1 / std::sqrt(float(head_dim)));
    auto splits = p.scalar<i32>("splits", 0); // 0: as many as there is work for
    require_attention(p, Q, K, V, head_dim);
    p.require(splits >= 0, "splits", "0 for the default, or how many at most, got {0}", {splits});

    auto n_q = Q.size(2), n = K.size(2), blocks = ceil_div(n, block_n);
    auto some = max(min(ceil_div(n, split_keys), usual_splits), ceil_div(n, longest_split));
    auto wanted = max(where(splits > 0, splits, some), 1);
    auto chunk = max(ceil_div(blocks, wanted), 1);                                  // blocks of one split
    auto count = max(ceil_div(blocks, chunk), 1);                                   // splits
    const int d = padded(head_dim);
    auto M = p.workspace<f32, 4>("partial_m", {Q.size(0), Q.size(1), n_q, count});
    auto L = p.workspace<f32, 4>("partial_l", M.shape());
    auto Acc = p.workspace<f32, 5>("partial_acc", {Q.size(0), Q.size(1), n_q, count, d});

    auto group = Q.size(1) / max(K.size(1), 1), row_blocks = ceil_div(group, block_m);
    p.launch("split", {count, K.size(1) * n_q * row_blocks, Q.size(0)}, [&](Index c, Index y, Index b) {
      auto r = y % row_blocks * block_m, i = y / row_blocks % n_q, g = y / row_blocks / n_q;
      auto heads = [&](auto view) { return view.narrow(0, g * group, group); }; // those of the group, no others
      auto position = i + n - n_q, first = c * chunk * block_n, last = first + min(chunk * block_n, n - first);
      auto rows = p.full<i32>(i, {block_m}), positions = p.full<i32>(position, {block_m});

      auto q = load(heads(Q.at(b, all, i)), {r, 0}, {block_m, d});
      auto keys = variant.range(position, position + 1, n, block_n);
      Range ours{max(keys.lo, first), min(keys.hi, last), block_n};
      auto s = p.fold(ours, empty_softmax(p, block_m, d), [&](Index j, OnlineSoftmax s) {
        auto k = load(K.at(b, g), {j, 0}, {block_n, d});
        auto v = load(V.at(b, g), {j, 0}, {block_n, d});
        At at{p, b, col(g * group + r + p.arange(block_m)), col(rows), col(positions), row(j + p.arange(block_n))};
        auto qk = where(at.k < n, variant(dot(q, trans(k)) * scale, at), -inf);
        return s.update(qk, v);
      });
      store(heads(M.at(b, all, i, c)), {r}, s.m);
      store(heads(L.at(b, all, i, c)), {r}, s.l);
      store(heads(Acc.at(b, all, i, c)), {r, 0}, s.acc);
    });

    p.launch("combine", {n_q, Q.size(1), Q.size(0)}, [&](Index i, Index h, Index b) {
      MergedSoftmax none{Scalar<f32>(-inf), Scalar<f32>(0), Scalar<f32>(0), p.zeros<f32>({d})};
      auto s = p.fold({0, count, merge_block}, none, [&](Index c, MergedSoftmax s) {
        auto m = load(M.at(b, h, i), {c}, {merge_block}, -inf);
        auto l = load(L.at(b, h, i), {c}, {merge_block});
        auto acc = load(Acc.at(b, h, i), {c, 0}, {merge_block, d});
        return s.merge(m, l, acc);
      });
      auto l = s.l + s.lost, lse = log_sum(s.m, l, n);
      store(O.at(b, h, i), {0}, cast<T>(right_or_nan(s.acc / denominator(l), lse)));
      store(LSE.at(b, h), {i}, p.full<f32>(lse, {1}));
    });
  }
};

} // namespace tilefold
