// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs an attention program on the interpreter and compares it with attention in fp64, by the accuracy rule. No MLIR here.
#pragma once

#include "dsl/tilefold.h"
#include "dsl/trace.h"
#include "support/reference.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace tilefold::numerics {

enum class Kind { fa1, fa1_rows, fa2, decode };
inline constexpr Kind all_kinds[] = {Kind::fa1, Kind::fa1_rows, Kind::fa2, Kind::decode};
std::string name(Kind kind);
inline void PrintTo(Kind kind, std::ostream *os) { *os << name(kind); } // for GoogleTest

/// Which program, compiled for what.
struct Configuration {
  Kind kind;
  support::DType dtype = support::DType::f16;
  int head_dim = 64;
  Variant variant = {};
  /// Small blocks, so that small tensors have several of them.
  int block_m = 16, block_n = 16;
};

/// q [B, Hq, Sq, D], k and v [B, Hkv, Sk, D].
struct Tensors {
  support::HostTensor q, k, v;
};

struct Sizes {
  std::int64_t batch = 1, query_heads = 2, key_heads = 2, queries = 37, keys = 37;
};
/// Standard normal numbers.
Tensors random_tensors(support::DType dtype, int head_dim, const Sizes &sizes, std::uint64_t seed = 1);

struct Outputs {
  support::HostTensor o, lse;
};

struct Run {
  /// Where to write, by name: tensors with strides of their own. Absent: new dense ones.
  std::map<std::string, support::HostTensor> outputs;
  std::map<std::string, double> scalars;
  unsigned threads = 0;
  std::optional<std::uint64_t> shuffle;
  /// What is done to the traced program first; the error's text, empty on success.
  std::function<std::string(Traced &)> transform;
};

/// Traces and runs. An error is the interpreter's sentence, or the diagnostics of the trace.
support::Result<Outputs> run(const Configuration &configuration, const Tensors &tensors, const Run &options = {});

/// Expects what attention in fp64 gives; `reference` must say what the configuration's variant does.
void expect_attention(const Configuration &configuration, const Tensors &tensors, const support::AttentionOptions &reference = {},
                      const Run &options = {}, bool random_inputs = true);

/// Expects the same outputs, bit by bit.
void expect_same_bits(const Outputs &a, const Outputs &b);

/// Sets element [b, h, row, column] of a tensor of rank 4.
void set(support::HostTensor &tensor, std::int64_t b, std::int64_t h, std::int64_t row, std::int64_t column, double value);

} // namespace tilefold::numerics
