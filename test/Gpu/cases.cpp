// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Gpu/cases.h"

#include "test/Numerics/variant_references.h"

namespace tilefold::gpu_suite {

using support::DType;

namespace {

// Three circles of cases: every head dim; two head dims with every feature; one configuration for what is about sizes only.
const std::vector<int> two_dims = {64, 128};
const std::vector<int> one_dim = {64};
const std::vector<DType> one_dtype = {DType::f16};

std::vector<AttentionCase> sizes() {
  return {
      {.name = "B8 one token, one key"},
      {.name = "B8 one query of 20 keys", .batch = 4, .query_heads = 8, .key_heads = 8, .queries = 1, .keys = 20},
      {.name = "17x33", .batch = 2, .query_heads = 4, .key_heads = 2, .queries = 17, .keys = 33},
      {.name = "64x64", .query_heads = 2, .key_heads = 2, .queries = 64, .keys = 64},
      {.name = "65x127", .query_heads = 3, .key_heads = 1, .queries = 65, .keys = 127},
      {.name = "B9 128x128", .batch = 2, .query_heads = 2, .key_heads = 2, .queries = 128, .keys = 128},
      {.name = "A23 129x1000", .batch = 2, .query_heads = 4, .key_heads = 2, .queries = 129, .keys = 1000, .slices = true},
      {.name = "A1 more queries than keys, 5x2", .batch = 2, .query_heads = 2, .key_heads = 1, .queries = 5, .keys = 2},
      {.name = "A2 5x6", .query_heads = 2, .key_heads = 2, .queries = 5, .keys = 6},
      {.name = "B9 300x513", .query_heads = 2, .key_heads = 1, .queries = 300, .keys = 513},
      {.name = "A1 513x300", .query_heads = 2, .key_heads = 2, .queries = 513, .keys = 300},
      {.name = "B2 A6 A7 no keys", .batch = 2, .query_heads = 4, .key_heads = 2, .queries = 130, .keys = 0},
      {.name = "A7 no keys, one query", .query_heads = 8, .key_heads = 2, .queries = 1, .keys = 0},
      {.name = "B7 no queries", .batch = 2, .query_heads = 4, .key_heads = 2, .queries = 0, .keys = 16},
      {.name = "C6 no batch", .batch = 0, .query_heads = 10, .key_heads = 10, .queries = 40, .keys = 16},
  };
}

std::vector<AttentionCase> head_groups() {
  std::vector<AttentionCase> cases;
  for (auto [query_heads, key_heads] : {std::pair<int, int>{8, 8}, {8, 2}, {40, 8}, {24, 4}, {28, 4}, {16, 2}, {64, 4}, {17, 1}, {33, 1}})
    for (int queries : {1, 3})
      cases.push_back({.name = "F1 heads " + std::to_string(query_heads) + "/" + std::to_string(key_heads) + ", " +
                               std::to_string(queries) + "x200",
                       .batch = 2, .query_heads = query_heads, .key_heads = key_heads, .queries = queries, .keys = 200,
                       .head_dims = two_dims});
  return cases;
}

std::vector<AttentionCase> layouts() {
  using L = Layout;
  std::vector<AttentionCase> cases;
  auto add = [&](std::string what, L q, L k, L v, L o, L lse = L::dense) {
    for (auto [queries, keys] : {std::pair<int, int>{70, 131}, {1, 300}})
      cases.push_back({.name = what + ", " + std::to_string(queries) + "x" + std::to_string(keys), .batch = 2, .query_heads = 4,
                       .key_heads = 2, .queries = queries, .keys = keys, .q = q, .k = k, .v = v, .o = o, .lse = lse,
                       .head_dims = two_dims});
  };
  add("E2 v tokens first", L::dense, L::dense, L::tokens_first, L::dense);
  add("E2 all tokens first", L::tokens_first, L::tokens_first, L::tokens_first, L::tokens_first);
  add("sequence first", L::sequence_first, L::sequence_first, L::sequence_first, L::sequence_first);
  add("E9 padded rows", L::padded_rows, L::padded_rows, L::padded_rows, L::padded_rows, L::padded_rows);
  add("C2 NaN beside columns", L::wide_rows, L::wide_rows, L::wide_rows, L::wide_rows);
  add("C2 G10 NaN beyond sequences", L::long_sequences, L::long_sequences, L::long_sequences, L::long_sequences);
  add("shared heads", L::dense, L::shared_heads, L::shared_heads, L::dense);
  add("shared batch", L::shared_batch, L::shared_batch, L::shared_batch, L::dense);
  add("reversed rows", L::reversed_rows, L::reversed_rows, L::reversed_rows, L::dense);
  add("E4 odd rows", L::odd_rows, L::odd_rows, L::odd_rows, L::odd_rows, L::odd_rows);
  add("E4 misaligned", L::misaligned, L::misaligned, L::misaligned, L::misaligned, L::misaligned);
  add("E4 misaligned q", L::misaligned, L::dense, L::dense, L::dense);
  add("E4 misaligned k", L::dense, L::misaligned, L::dense, L::dense);
  add("E4 misaligned v", L::dense, L::dense, L::misaligned, L::dense);
  add("E4 misaligned o", L::dense, L::dense, L::dense, L::misaligned);
  add("E5 inner stride 2", L::inner_stride_2, L::inner_stride_2, L::inner_stride_2, L::inner_stride_2, L::inner_stride_2);
  add("E5 columns first", L::columns_first, L::columns_first, L::columns_first, L::columns_first);
  return cases;
}

/// Head dims that are no powers of two, of which 72 and 88 are no multiples of 16 either: what lies beside the columns and
/// behind the rows must not be seen, whether rows are aligned or not.
std::vector<AttentionCase> head_dims() {
  using L = Layout;
  std::vector<AttentionCase> cases;
  auto add = [&](std::string what, L layout) {
    for (auto [queries, keys] : {std::pair<int, int>{70, 131}, {1, 300}})
      cases.push_back({.name = "F7 " + what + ", " + std::to_string(queries) + "x" + std::to_string(keys), .batch = 2, .query_heads = 4,
                       .key_heads = 2, .queries = queries, .keys = keys, .q = layout, .k = layout, .v = layout, .o = layout,
                       .head_dims = {72, 80, 88, 96}, .dtypes = one_dtype});
  };
  add("head dims", L::dense);
  add("NaN beside columns", L::wide_rows);
  add("NaN beyond sequences", L::long_sequences);
  add("tokens first", L::tokens_first);
  add("odd rows", L::odd_rows);
  add("misaligned", L::misaligned);
  add("columns first", L::columns_first);
  for (Fill fill : {Fill::nan_values, Fill::nan_keys})
    cases.push_back({.name = fill == Fill::nan_values ? "F7 C3 NaN and inf in v" : "F7 C3 NaN in k", .batch = 2, .query_heads = 4,
                     .key_heads = 2, .queries = 129, .keys = 200, .fill = fill, .head_dims = {72, 88}, .dtypes = one_dtype});
  return cases;
}

std::vector<AttentionCase> values() {
  auto both = [](std::string name, Fill fill, std::optional<double> scale = {}) {
    std::vector<AttentionCase> cases;
    for (auto [queries, keys] : {std::pair<int, int>{129, 200}, {1, 200}})
      cases.push_back({.name = name + ", " + std::to_string(queries) + "x" + std::to_string(keys), .batch = 2, .query_heads = 4,
                       .key_heads = 2, .queries = queries, .keys = keys, .fill = fill, .scale = scale, .head_dims = two_dims});
    return cases;
  };
  std::vector<AttentionCase> cases;
  for (auto &part : {both("logits of 60", Fill::wide_logits), both("logits of 30,000", Fill::large_logits),
                     both("G3 dots overflow f16", Fill::equal_64), both("G6 products overflow f16", Fill::equal_300),
                     both("G4 sums of values overflow f16", Fill::values_60000), both("C3 NaN and inf in v", Fill::nan_values),
                     both("C3 G12 NaN in k", Fill::nan_keys), both("C3 inf in k", Fill::infinite_keys),
                     both("C3 NaN in q", Fill::nan_query), both("G8 scale 0", Fill::normal, 0.0),
                     both("C10 negative scale", Fill::normal, -0.3), both("C10 scale 1", Fill::normal, 1.0),
                     both("tiny scale", Fill::normal, 1e-30), both("C12 logits of 1e8", Fill::normal_far, 3e6),
                     both("C12 logits of 1e38", Fill::normal_far, 5e36)})
    cases.insert(cases.end(), part.begin(), part.end());
  cases.push_back({.name = "G4 uniform, 64 keys of 60,000", .queries = 4, .keys = 64, .fill = Fill::values_60000, .scale = 0.0,
                   .head_dims = two_dims});
  return cases;
}

std::vector<AttentionCase> splits() {
  std::vector<AttentionCase> cases;
  for (int keys : {1, 63, 1000, 5000})
    cases.push_back({.name = "H3 C8 splits, 1x" + std::to_string(keys), .batch = 2, .query_heads = 8, .key_heads = 2, .queries = 1,
                     .keys = keys, .splits = {1, 2, 3, 7, 128, 129, 1000, 5000}, .programs = decode, .head_dims = two_dims});
  cases.push_back({.name = "H3 C8 splits, 5x300", .query_heads = 5, .key_heads = 1, .queries = 5, .keys = 300,
                   .splits = {1, 2, 3, 1000}, .programs = decode, .head_dims = two_dims});
  cases.push_back({.name = "H3 C8 splits, no keys", .query_heads = 4, .key_heads = 2, .queries = 1, .keys = 0, .splits = {1, 7},
                   .programs = decode, .head_dims = two_dims});
  // Splits all of which are empty for a row, merged: the first quarter of the rows.
  cases.push_back({.name = "A4 A5 merging nothing", .query_heads = 8, .key_heads = 8, .queries = 256, .keys = 192, .splits = {1, 2, 3},
                   .mask = Mask::causal, .programs = decode, .head_dims = {32, 64}});
  cases.push_back({.name = "H7 C11 slices of a batch", .batch = 5, .query_heads = 8, .key_heads = 2, .queries = 1, .keys = 3000,
                   .splits = {0, 8}, .programs = decode, .head_dims = two_dims, .slices = true});
  cases.push_back({.name = "G4 C3 splits with NaN", .query_heads = 4, .key_heads = 2, .queries = 1, .keys = 700,
                   .fill = Fill::nan_values, .splits = {3, 7}, .programs = decode, .head_dims = two_dims});
  return cases;
}

/// What score functions and masks compute, each variant alone and with a causal mask around it.
std::vector<AttentionCase> variants() {
  const std::vector<std::string_view> every(std::begin(numerics::variant_names), std::end(numerics::variant_names));
  std::vector<AttentionCase> cases = {
      {.name = "variant, 70x131", .batch = 2, .query_heads = 4, .key_heads = 2, .queries = 70, .keys = 131},
      {.name = "variant, 1x300", .batch = 2, .query_heads = 4, .key_heads = 2, .queries = 1, .keys = 300},
      {.name = "variant, 200x33", .query_heads = 4, .key_heads = 1, .queries = 200, .keys = 33},
      {.name = "G14 variant, 16x16", .query_heads = 4, .key_heads = 4, .queries = 16, .keys = 16},
      {.name = "A18 variant, 64x65", .query_heads = 4, .key_heads = 4, .queries = 64, .keys = 65},
      {.name = "A19 A20 variant, 64x64", .query_heads = 4, .key_heads = 4, .queries = 64, .keys = 64},
      {.name = "variant, odd rows", .batch = 2, .query_heads = 4, .key_heads = 2, .queries = 70, .keys = 131, .q = Layout::odd_rows,
       .k = Layout::odd_rows, .v = Layout::odd_rows, .o = Layout::odd_rows, .lse = Layout::odd_rows},
      {.name = "variant, negative scale", .query_heads = 4, .key_heads = 2, .queries = 70, .keys = 131, .scale = -0.3},
      {.name = "C3 variant, NaN in v", .query_heads = 4, .key_heads = 2, .queries = 129, .keys = 200, .fill = Fill::nan_values},
  };
  for (AttentionCase &test : cases)
    test.variants = every;
  auto add = [&](AttentionCase test, std::string_view variant) {
    test.variants = {variant};
    cases.push_back(std::move(test));
  };
  add({.name = "A9 rows 4 to 7 see nothing", .queries = 8, .keys = 8}, "first_rows");
  add({.name = "A10 a huge finite bias", .queries = 8, .keys = 8}, "huge_bias");
  add({.name = "A24 a bias of the distance", .queries = 1025, .keys = 1025}, "distance");
  return cases;
}

std::vector<AttentionCase> long_keys() {
  std::vector<AttentionCase> cases = {
      {.name = "G5 falling logits, 100k keys", .keys = 100000, .fill = Fill::falling_logits, .scale = 1.0},
      {.name = "G5 rising logits, 100k keys", .keys = 100000, .fill = Fill::rising_logits, .scale = 1.0},
      {.name = "C13 one heavy key among 131,072", .keys = 131073, .fill = Fill::one_heavy_key, .scale = 1.0},
      {.name = "G20 a million equal logits", .keys = 1 << 20, .fill = Fill::uniform},
      {.name = "O11 33,728 keys", .query_heads = 2, .key_heads = 1, .queries = 2, .keys = 33728},
      {.name = "200x9000", .query_heads = 2, .key_heads = 1, .queries = 200, .keys = 9000},
  };
  for (AttentionCase &test : cases)
    test.head_dims = one_dim;
  cases.back().dtypes = one_dtype;
  // Four stretches, the last one short and with a ragged end.
  cases.push_back({.name = "C14 200,003 keys", .query_heads = 2, .key_heads = 1, .queries = 3, .keys = 200003, .splits = {0, 1},
                   .head_dims = two_dims});
  cases.push_back({.name = "C14 NaN and inf in v, 200,003 keys", .query_heads = 2, .key_heads = 1, .queries = 3, .keys = 200003,
                   .fill = Fill::nan_values, .splits = {0, 1}, .head_dims = two_dims});
  return cases;
}

std::vector<AttentionCase> grids() {
  std::vector<AttentionCase> cases = {
      {.name = "D2 65,536 heads", .query_heads = 65536, .key_heads = 65536, .queries = 10, .keys = 10},
      {.name = "D2 batch of 65,536", .batch = 65536, .queries = 3, .keys = 10},
      {.name = "D4 batch of 10,923, 6 heads", .batch = 10923, .query_heads = 6, .key_heads = 2, .queries = 2, .keys = 9},
  };
  for (AttentionCase &test : cases)
    test.head_dims = {32}, test.dtypes = one_dtype, test.mask = Mask::causal, test.gigabytes = 1;
  cases.push_back({.name = "D2 4,194,241 queries", .queries = 4194241, .keys = 3, .mask = Mask::full, .programs = blockwise,
                   .head_dims = {32}, .dtypes = one_dtype, .gigabytes = 2});
  return cases;
}

/// Offsets beyond 2^31 elements. Most of the memory is poison.
std::vector<AttentionCase> far() {
  using L = Layout;
  std::vector<AttentionCase> cases = {
      {.name = "O1 O7 262,145 tokens of 8192", .query_heads = 4, .key_heads = 2, .queries = 1, .keys = 262145, .k = L::far_tokens,
       .v = L::far_tokens, .gigabytes = 10},
      {.name = "O4 O5 rows 2^28 apart, k and v", .batch = 2, .query_heads = 4, .key_heads = 2, .queries = 3, .keys = 12,
       .k = L::far_rows, .v = L::far_rows, .gigabytes = 14},
      {.name = "O4 rows 2^28 apart, q and o", .batch = 2, .query_heads = 4, .key_heads = 2, .queries = 12, .keys = 70,
       .q = L::far_rows, .o = L::far_rows, .gigabytes = 14},
      {.name = "O3 heads 2^30 apart", .query_heads = 3, .key_heads = 3, .queries = 20, .keys = 70, .q = L::far_heads,
       .k = L::far_heads, .v = L::far_heads, .o = L::far_heads, .gigabytes = 20},
      {.name = "O3 O12 entries 2^30 apart", .batch = 3, .query_heads = 2, .key_heads = 2, .queries = 20, .keys = 70,
       .q = L::far_batch, .k = L::far_batch, .v = L::far_batch, .o = L::far_batch, .gigabytes = 20},
  };
  for (AttentionCase &test : cases)
    test.head_dims = {128};
  cases.push_back({.name = "O4 O11 rows of 256 columns 2^28 apart", .batch = 2, .query_heads = 4, .key_heads = 2, .queries = 12, .keys = 70,
                   .q = L::far_rows, .k = L::far_tokens, .v = L::far_tokens, .o = L::far_rows, .head_dims = {256}, .gigabytes = 14});
  for (AttentionCase &test : cases)
    test.dtypes = one_dtype, test.mask = Mask::full;
  return cases;
}

} // namespace

const std::vector<AttentionCase> &attention_cases() {
  static const std::vector<AttentionCase> cases = [] {
    std::vector<AttentionCase> all;
    for (auto part : {sizes(), head_groups(), layouts(), head_dims(), values(), splits(), variants(), long_keys(), grids(), far()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return cases;
}

bool is_random(Fill fill) {
  // large_logits is crafted, although its numbers are drawn: one ulp of an fp32 logit of 3e4 is 0.2 to 0.4 % of its weight, more
  // than the rule allows a single f16 row in which two logits are near the largest. normal_far is, since beyond 2^24 all weights of a
  // row have a factor, which 16 bits round: 2^-9 in bf16, where the plain computation, whose only weight is 1, makes no error.
  return fill == Fill::normal || fill == Fill::wide_logits || fill == Fill::nan_values || fill == Fill::nan_keys ||
         fill == Fill::nan_query;
}

std::string expected_alternative(const AttentionCase &test, ProgramSet program) {
  // Flash-Decoding writes one row of o at a time, which is no reason to leave the fast path.
  const bool aligned = is_aligned(test.q) && is_aligned(test.k) && is_aligned(test.v) && (is_aligned(test.o) || program == decode);
  const bool positive = !test.scale || *test.scale > 0;
  return !positive ? "any" : aligned ? "fast" : "strided";
}

} // namespace tilefold::gpu_suite
