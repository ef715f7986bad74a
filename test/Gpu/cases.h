// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attention cases of the GPU suite, as data. Names begin with the row of the bug bank or the contract that they are about.
#pragma once

#include "support/dtype.h"
#include "test/Gpu/placement.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilefold::gpu_suite {

/// What q, k and v hold. Random numbers are standard normal unless said otherwise.
enum class Fill {
  normal,
  wide_logits,    ///< q and k of deviation 8: logits of some 60
  large_logits,   ///< q of deviation 300, k of 100: logits of some 30,000; crafted, see is_random
  normal_far,     ///< as normal, for scales that make logits beyond 2^24; crafted, see is_random
  equal_64,       ///< q = k = 64: dot products that overflow f16
  equal_300,      ///< q = k = 300: products that overflow f16
  values_60000,   ///< v = 60,000
  uniform,        ///< q = 0: all logits equal
  falling_logits, ///< 20 less at every 64th key, at scale 1
  rising_logits,  ///< 20 more at every 64th key, at scale 1
  one_heavy_key,  ///< key 0 has logit 17 and value 0, the others logit 0 and value 1, at scale 1
  nan_values,     ///< a NaN and an inf in v
  nan_keys,       ///< a row of k is NaN
  infinite_keys,  ///< an element of k is +inf: logits of +inf or -inf
  nan_query,      ///< a row of q is NaN
};

enum class Mask { either, full, causal };

enum ProgramSet : unsigned { fa1 = 1, fa1_rows = 2, fa2 = 4, decode = 8, blockwise = fa1_rows | fa2, all_programs = 15 };

struct AttentionCase {
  std::string name;
  std::int64_t batch = 1, query_heads = 1, key_heads = 1, queries = 1, keys = 1;
  Fill fill = Fill::normal;
  std::optional<double> scale = {};   ///< absent: left to the program's default
  std::vector<std::int64_t> splits = {}; ///< Flash-Decoding runs once for each; empty: its default
  Layout q = Layout::dense, k = Layout::dense, v = Layout::dense, o = Layout::dense, lse = Layout::dense;
  Mask mask = Mask::either;
  unsigned programs = all_programs;
  std::vector<std::string_view> variants = {""}; ///< of test/Numerics/variant_references.h; "": none
  std::vector<int> head_dims = {};           ///< empty: every one that there is
  std::vector<support::DType> dtypes = {};   ///< likewise
  bool slices = false;                       ///< each batch entry and each key/value head alone give the same bits
  double gigabytes = 0;                      ///< of free device memory that it needs
};

const std::vector<AttentionCase> &attention_cases();

/// The inputs are random, so that all criteria of the accuracy rule apply. Crafted ones answer to those that always do.
bool is_random(Fill fill);
/// The alternative that a program must take: "fast", "strided" or "any".
std::string expected_alternative(const AttentionCase &test, ProgramSet program);

} // namespace tilefold::gpu_suite
