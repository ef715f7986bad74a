// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must not change a bit: the batch around a sequence, and how deep the ring of copies is.
#include "support/random.h"
#include "test/Gpu/suite.h"

#include <cstring>

namespace tilefold::gpu_suite {

using support::HostTensor;

namespace {

/// `count` copies of a batch of one.
HostTensor repeated(const HostTensor &one, std::int64_t count) {
  Shape shape = one.shape();
  shape[0] = count;
  HostTensor many(one.dtype(), shape);
  const std::size_t bytes = one.storage().size();
  for (std::int64_t b = 0; b < count; ++b)
    std::memcpy(many.data() + std::size_t(b) * bytes, one.data(), bytes);
  return many;
}

/// The first entry of a batch has these bits.
bool starts_with(const HostTensor &many, const HostTensor &one) {
  return std::memcmp(many.data(), one.data(), one.storage().size()) == 0;
}

/// H5: 500 queries of 350,000 keys, alone and in a batch of 32.
Outcome batch_of_32(Session &session, const SuiteArtifact &suite) {
  Outcome outcome;
  Gpu &gpu = *session.gpu;
  constexpr double gigabytes = 5;
  if (gpu.free_gigabytes() < gigabytes) {
    outcome.skipped = "needs 5 GB of free memory";
    return outcome;
  }
  const AttentionCase test{.name = "H5", .query_heads = 12, .queries = 500, .keys = 350000};
  const AttentionInputs one = make_inputs(test, suite.head_dim, suite.dtype, Fill::normal, 10);
  const Result<AttentionResult> alone = run_attention(gpu, suite.artifact, one, {});
  const AttentionInputs many{repeated(one.q, 32), repeated(one.k, 32), repeated(one.v, 32)};
  const Result<AttentionResult> batch = run_attention(gpu, suite.artifact, many, {});
  if (!outcome.check("run alone", alone.status()) || !outcome.check("run of the batch", batch.status()))
    return outcome;
  outcome.require("H5 bits of o", starts_with(batch->o, alone->o));
  outcome.require("H5 bits of lse", starts_with(batch->lse, alone->lse));
  return outcome;
}

/// G17: the same program with another depth of its ring of copies. `suite` is the one with the usual depth.
Outcome ring_depth(Session &session, const SuiteArtifact &suite, const SuiteArtifact &other) {
  Outcome outcome;
  Gpu &gpu = *session.gpu;
  for (auto [queries, keys] : {std::pair<int, int>{128, 128}, {70, 131}, {1, 65}, {130, 1000}, {5, 1}}) {
    const AttentionCase test{.name = "G17", .batch = 2, .query_heads = 4, .key_heads = 2, .queries = queries, .keys = keys};
    const AttentionInputs inputs = make_inputs(test, suite.head_dim, suite.dtype, Fill::normal, 11);
    for (Layout layout : {Layout::dense, Layout::odd_rows}) {
      const AttentionRun run{.q = layout, .k = layout, .v = layout, .o = layout};
      const Result<AttentionResult> a = run_attention(gpu, suite.artifact, inputs, run), b = run_attention(gpu, other.artifact, inputs, run);
      if (!outcome.check("run", a.status()) || !outcome.check("run of the other depth", b.status()))
        return outcome;
      outcome.require("G17 bits, " + std::to_string(queries) + "x" + std::to_string(keys) + ", " + std::string(name(layout)), same(*a, *b));
    }
  }
  return outcome;
}

} // namespace

std::vector<Item> bits_items(const std::vector<SuiteArtifact> &artifacts) {
  std::vector<Item> items;
  for (const SuiteArtifact &artifact : artifacts) {
    if (artifact.head_dim == 64 && artifact.dtype == support::DType::bf16 && !artifact.causal && artifact.variant.empty() &&
        (artifact.program == "fa2" || artifact.program == "decode"))
      items.push_back(gpu_item("H5 C11 batch of 32, 350,000 keys", artifact, batch_of_32));
    if (artifact.variant != "one_stage" && artifact.variant != "three_stages")
      continue;
    for (const SuiteArtifact &usual : artifacts)
      if (usual.variant.empty() && usual.program == artifact.program && usual.head_dim == artifact.head_dim &&
          usual.dtype == artifact.dtype && usual.causal == artifact.causal) {
        Item item = gpu_item("G17 depth of the ring", artifact, nullptr);
        item.run = [&usual, &artifact](Session &session) { return ring_depth(session, usual, artifact); };
        items.push_back(std::move(item));
        break; // with Code::both, the usual one is there twice
      }
  }
  return items;
}

} // namespace tilefold::gpu_suite
