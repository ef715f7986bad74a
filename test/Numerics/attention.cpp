// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Numerics/attention.h"

#include "dsl/trace_mlir.h"
#include "lib/Interpreter/Interpreter.h"
#include "support/accuracy.h"
#include "support/random.h"
#include "test/Numerics/programs.h"

#include <gtest/gtest.h>

namespace tilefold::numerics {

using support::HostTensor;
using support::Result;
using support::Status;

std::string name(Kind kind) {
  switch (kind) {
  case Kind::fa1:
    return "fa1";
  case Kind::fa1_rows:
    return "fa1_rows";
  case Kind::fa2:
    return "fa2";
  case Kind::decode:
    return "decode";
  }
  return "?";
}

Tensors random_tensors(support::DType dtype, int head_dim, const Sizes &s, std::uint64_t seed) {
  return {support::normal_tensor(dtype, {s.batch, s.query_heads, s.queries, head_dim}, seed, 0),
          support::normal_tensor(dtype, {s.batch, s.key_heads, s.keys, head_dim}, seed, 1),
          support::normal_tensor(dtype, {s.batch, s.key_heads, s.keys, head_dim}, seed, 2)};
}

Result<Outputs> run(const Configuration &configuration, const Tensors &tensors, const Run &options) {
  Traced traced = trace_program(configuration);
  if (!traced.ok())
    return Status::error(traced.diagnostics());
  if (std::string error = options.transform ? options.transform(traced) : ""; !error.empty())
    return Status::error(error);
  ProgramArguments arguments;
  arguments.tensors = {{"q", tensors.q}, {"k", tensors.k}, {"v", tensors.v}};
  arguments.tensors.insert(options.outputs.begin(), options.outputs.end());
  arguments.scalars = options.scalars;
  InterpreterOptions interpreter;
  interpreter.threads = options.threads;
  interpreter.shuffle = options.shuffle;
  if (Status status = interpret(module(traced), arguments, interpreter); !status)
    return status;
  return Outputs{std::move(arguments.tensors["o"]), std::move(arguments.tensors["lse"])};
}

void expect_attention(const Configuration &configuration, const Tensors &tensors, const support::AttentionOptions &options,
                      const Run &how, bool random_inputs) {
  SCOPED_TRACE(name(configuration.kind) + ", " + std::string(support::name(configuration.dtype)) + ", head dim " +
               std::to_string(configuration.head_dim) + ", q " + support::to_string(tensors.q.shape()) + ", k " +
               support::to_string(tensors.k.shape()));
  Result<Outputs> outputs = run(configuration, tensors, how);
  ASSERT_TRUE(outputs.ok()) << outputs.message();
  auto reference = support::reference_attention(tensors.q, tensors.k, tensors.v, options);
  ASSERT_TRUE(reference.ok()) << reference.message();
  auto plain = support::plain_attention(tensors.q, tensors.k, tensors.v, options);
  ASSERT_TRUE(plain.ok()) << plain.message();
  support::AccuracyOptions accuracy;
  accuracy.random_inputs = random_inputs;
  const support::AccuracyReport report =
      support::compare_attention(&outputs->o, &outputs->lse, *reference, &*plain, configuration.dtype, accuracy);
  EXPECT_TRUE(report.passed()) << report.to_string();
}

void expect_same_bits(const Outputs &a, const Outputs &b) {
  EXPECT_TRUE(support::same_bits(a.o, b.o)) << "o differs";
  EXPECT_TRUE(support::same_bits(a.lse, b.lse)) << "lse differs";
}

void set(HostTensor &tensor, std::int64_t b, std::int64_t h, std::int64_t row, std::int64_t column, double value) {
  tensor.set(tensor.at({b, h, row, column}), value);
}

} // namespace tilefold::numerics
