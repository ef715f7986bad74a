// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention as its contract defines it, in fp64 on the rounded inputs: what every program is compared with. And the `plain`
// implementation of the accuracy rule: attention as a framework without fusion computes it, in the inputs' own type.
#pragma once

#include "support/host_tensor.h"
#include "support/status.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tilefold::support {

/// The place of one logit: batch b, query head h, query row i, its absolute position iq = i + Sk - Sq, key j.
struct LogitPosition {
  std::int64_t b, h, i, iq, j;
};

struct AttentionOptions {
  std::optional<double> scale;   ///< absent: 1 / sqrt(D). Any finite value.
  bool causal = false;           ///< j <= iq
  std::optional<std::int64_t> window_left, window_right; ///< iq - left <= j <= iq + right; absent: unlimited
  std::optional<double> softcap; ///< cap * tanh(s / cap); finite, > 0

  /// Further masking; keys that causal or the window hide are not asked for. Called from several threads.
  std::function<bool(const LogitPosition &)> visible;
  /// The logit after scale and softcap -> the logit. Called for visible keys only, from several threads. -inf: not visible.
  std::function<double(double, const LogitPosition &)> score;
  /// Empty, or one raw logit for each query head; -inf: none.
  std::vector<double> sink;

  unsigned threads = 0; ///< 0: all there are. The result does not depend on it.
};

/// Sizes of q [B, Hq, Sq, D], k [B, Hkv, Sk, D] and v [B, Hkv, Sk, Dv].
struct AttentionSizes {
  std::int64_t batch, query_heads, key_heads, queries, keys, head_dim, value_dim;
  Shape o_shape() const { return {batch, query_heads, queries, value_dim}; }
  Shape lse_shape() const { return {batch, query_heads, queries}; }
  std::int64_t rows() const { return batch * query_heads * queries; }
};

/// Errors: a rank other than 4, dtypes that differ or are no floats, sizes that do not match, Hq not a multiple of Hkv;
/// Hkv, D or Dv of 0 where there are rows to compute.
Result<AttentionSizes> attention_sizes(const HostTensor &q, const HostTensor &k, const HostTensor &v);

struct AttentionReference {
  AttentionSizes sizes;
  std::vector<double> o;   ///< [B, Hq, Sq, Dv]
  std::vector<double> lse; ///< [B, Hq, Sq]

  /// Per row: max over visible j of |scale| * sum over d of |q[d] k[d]|, for the tolerance of the LSE.
  std::vector<double> logit_bound;

  /// Per row: no visible key (O is +0, LSE is -inf or the sink).
  std::vector<std::uint8_t> empty;
  /// Per row: a logit of magnitude 2^24 or more, or a dot product that fp32 may not hold. Such a row may be NaN instead.
  std::vector<std::uint8_t> out_of_range;
  /// Per element of O: a visible v[j, c] is not finite, so that the output must not be finite, of whatever kind; `o` holds
  /// NaN there. Empty when no element of v that counts is.
  std::vector<std::uint8_t> poisoned;

  bool is_poisoned(std::int64_t element) const { return !poisoned.empty() && poisoned[std::size_t(element)] != 0; }
};

/// Errors: those of `attention_sizes`; a scale that is not finite, a softcap that is not finite or not > 0, a negative side
/// of a window, a sink of another length than Hq; no memory (reference_memory). Exceptions: what the callbacks throw.
Result<AttentionReference> reference_attention(const HostTensor &q, const HostTensor &k, const HostTensor &v,
                                               const AttentionOptions &options = {});

/// Bytes that `reference_attention` needs beside the inputs, the result among them.
std::uint64_t reference_memory(const AttentionSizes &sizes, unsigned threads = 0);

/// Scores (fp32 dots and the steps up to the score function) rounded to the inputs' type once, softmax in fp32, P normalised
/// and rounded, fp32 sums, O rounded: a dense tensor [B, Hq, Sq, Dv] of the inputs' type. Masked keys are left out as above.
/// Not finite where a score overflows the input type. Errors: as for `reference_attention`.
Result<HostTensor> plain_attention(const HostTensor &q, const HostTensor &k, const HostTensor &v,
                                   const AttentionOptions &options = {});

} // namespace tilefold::support
