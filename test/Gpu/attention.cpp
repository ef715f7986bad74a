// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/plan.h"
#include "test/Gpu/suite.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tilefold::gpu_suite {

using support::DType;
using support::HostTensor;

namespace {

constexpr support::DType lse_dtype = DType::f32;

ProgramSet program_of(const std::string &name) {
  return name == "fa1" ? fa1 : name == "fa1-rows" ? fa1_rows : name == "fa2" ? fa2 : name == "decode" ? decode : ProgramSet(0);
}

Shape lse_shape(const Shape &q) { return {q[0], q[1], q[2]}; }

void add_scalars(runtime::Arguments &arguments, const AttentionRun &run) {
  if (run.scale)
    arguments.f32("scale", *run.scale);
  if (run.splits)
    arguments.i32("splits", *run.splits);
}

/// Elements that still hold the poison, and so were never written. Kernels' own NaN are 0x7fff.
std::int64_t unwritten(const HostTensor &tensor) {
  std::int64_t count = 0;
  const std::size_t bytes = byte_size(tensor.dtype());
  static const std::byte poison[8] = {std::byte(0xff), std::byte(0xff), std::byte(0xff), std::byte(0xff),
                                      std::byte(0xff), std::byte(0xff), std::byte(0xff), std::byte(0xff)};
  for (std::int64_t n = 0; n < tensor.count(); ++n)
    count += std::memcmp(tensor.data() + std::size_t(n) * bytes, poison, bytes) == 0;
  return count;
}

/// Elements whose bits differ, among those that `counts(n)` picks.
template <class Counts> double different(const HostTensor &a, const HostTensor &b, Counts counts) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype())
    return std::nan("");
  const std::size_t bytes = byte_size(a.dtype());
  double count = 0;
  for (std::int64_t n = 0; n < a.count(); ++n)
    count += counts(n) && std::memcmp(a.data() + std::size_t(n) * bytes, b.data() + std::size_t(n) * bytes, bytes) != 0;
  return count;
}
double different(const HostTensor &a, const HostTensor &b) {
  return different(a, b, [](std::int64_t) { return true; });
}

/// Heads [head, head + heads) of one batch entry, dense.
HostTensor slice(const HostTensor &tensor, std::int64_t b, std::int64_t head, std::int64_t heads) {
  Shape shape = tensor.shape();
  shape[0] = 1, shape[1] = heads;
  HostTensor part(tensor.dtype(), shape);
  const std::size_t bytes = part.storage().size();
  const std::size_t block = heads > 0 ? bytes / std::size_t(heads) : 0;
  if (bytes > 0)
    std::memcpy(part.data(), tensor.data() + std::size_t(b * tensor.size(1) + head) * block, bytes);
  return part;
}

AttentionRun run_of(const AttentionCase &test, std::optional<std::int64_t> splits) {
  return {test.q, test.k, test.v, test.o, test.lse, test.scale, splits, 0xff};
}

bool all_dense(const AttentionCase &test) {
  return test.q == Layout::dense && test.k == Layout::dense && test.v == Layout::dense && test.o == Layout::dense &&
         test.lse == Layout::dense;
}

/// C2: rows that see nothing that is not finite have the bits that they have without it.
void check_untouched_rows(Gpu &gpu, const SuiteArtifact &suite, const AttentionCase &test, const Expected &expected,
                          const AttentionRun &run, const AttentionResult &result, Outcome &outcome) {
  const Result<AttentionResult> clean =
      run_attention(gpu, suite.artifact, make_inputs(test, suite.head_dim, suite.dtype, Fill::normal, 7), run);
  if (!outcome.check("run without NaN", clean.status()))
    return;
  const support::AttentionReference &reference = expected.reference;
  const std::int64_t columns = reference.sizes.value_dim;
  std::vector<bool> untouched(std::size_t(reference.sizes.rows()));
  for (std::size_t row = 0; row < untouched.size(); ++row) {
    untouched[row] = std::isfinite(reference.lse[row]) || reference.empty[row];
    for (std::int64_t c = 0; c < columns; ++c)
      untouched[row] = untouched[row] && std::isfinite(reference.o[row * std::size_t(columns) + std::size_t(c)]);
  }
  outcome.at_most("C2 bits of untouched rows, o",
                  different(result.o, clean->o, [&](std::int64_t n) { return untouched[std::size_t(n / columns)]; }), 0);
  outcome.at_most("C2 bits of untouched rows, lse",
                  different(result.lse, clean->lse, [&](std::int64_t n) { return untouched[std::size_t(n)]; }), 0);
}

/// C11: alone, a batch entry or a key/value head gives the same bits.
void check_slices(Gpu &gpu, const SuiteArtifact &suite, const Expected &expected, AttentionRun run,
                  const AttentionResult &result, Outcome &outcome) {
  const AttentionInputs &in = expected.inputs;
  const std::int64_t key_heads = in.k.size(1), group = in.q.size(1) / key_heads;
  double count = 0;
  run.q = run.k = run.v = run.o = run.lse = Layout::dense;
  auto compare = [&](std::int64_t b, std::int64_t g, std::int64_t heads) {
    const AttentionInputs part{slice(in.q, b, g * group, heads * group), slice(in.k, b, g, heads), slice(in.v, b, g, heads)};
    const Result<AttentionResult> alone = run_attention(gpu, suite.artifact, part, run);
    if (!outcome.check("run of a slice", alone.status()))
      return;
    count += different(alone->o, slice(result.o, b, g * group, heads * group));
    HostTensor lse(lse_dtype, alone->lse.shape());
    std::memcpy(lse.data(), result.lse.data() + std::size_t(b * in.q.size(1) + g * group) * std::size_t(in.q.size(2)) * 4,
                lse.storage().size());
    count += different(alone->lse, lse);
  };
  for (std::int64_t b = 0; b < in.q.size(0); ++b)
    compare(b, 0, key_heads);
  compare(in.q.size(0) - 1, key_heads - 1, 1);
  outcome.at_most("C11 bits of slices", count, 0);
}

/// The accuracy rule allows log-sums what the sum of q and k may be off by, which a bias of 1e38 is not part of. Those are
/// compared with fp64 here, to the rounding of an f32, and then taken as right.
bool take_huge_log_sums(const support::AttentionReference &reference, HostTensor &lse) {
  bool right = true;
  for (std::int64_t row = 0; row < lse.count(); ++row) {
    const double expected = reference.lse[std::size_t(row)];
    if (!(std::isfinite(expected) && std::abs(expected) > 1e30))
      continue;
    right = right && std::abs(lse.get(row) / expected - 1) <= 0x1p-20;
    lse.set(row, expected);
  }
  return right;
}

Outcome run_case(Session &session, const SuiteArtifact &suite, const AttentionCase &test, std::optional<std::int64_t> splits) {
  Outcome outcome;
  Gpu &gpu = *session.gpu;
  if (test.gigabytes > 0 && gpu.free_gigabytes() < test.gigabytes) {
    outcome.skipped = "needs " + std::to_string(int(test.gigabytes)) + " GB of free memory";
    return outcome;
  }
  const std::string key = test.name + "|" + std::to_string(suite.head_dim) + "|" + std::string(name(suite.dtype)) + "|" +
                          (suite.causal ? "causal" : "full") + "|" + suite.variant;
  if (session.expected_key != key) {
    auto expected = expect(test, suite.head_dim, suite.dtype, suite.causal, suite.variant);
    if (!expected) {
      outcome.require("reference", false, expected.message());
      return outcome;
    }
    session.expected = *std::move(expected);
    session.expected_key = key;
  }
  const Expected &expected = *session.expected;
  AttentionRun run = run_of(test, splits);
  Result<AttentionResult> result = run_attention(gpu, suite.artifact, expected.inputs, run);
  if (!outcome.check("run", result.status()))
    return outcome;
  outcome.alternative = result->alternative;
  outcome.code = result->code;
  const AttentionResult found = *result;
  if (suite.variant == "huge_bias")
    outcome.require("A10 log-sum of a row of huge scores", take_huge_log_sums(expected.reference, result->lse));

  support::AccuracyOptions options;
  options.random_inputs = is_random(test.fill);
  auto report = compare_attention(&result->o, &result->lse, expected.reference, expected.plain ? &*expected.plain : nullptr,
                                  suite.dtype, options);
  outcome.criteria.insert(outcome.criteria.end(), report.criteria.begin(), report.criteria.end());
  outcome.at_most("unwritten elements", double(unwritten(result->o) + unwritten(result->lse)), 0);
  outcome.at_most("bytes written outside", double(result->damage), 0);
  if (suite.artifact.manifest().alternatives.size() > 1) {
    const std::string alternative = expected_alternative(test, program_of(suite.program));
    const bool idle = result->o.count() == 0 || test.keys == 0; // whatever it takes
    outcome.require("alternative", idle || result->alternative == alternative,
                    "took '" + result->alternative + "', expected '" + alternative + "'");
  }

  run.workspace_byte = 0x3c; // finite garbage this time
  const Result<AttentionResult> again = run_attention(gpu, suite.artifact, expected.inputs, run);
  if (outcome.check("second run", again.status()))
    outcome.at_most("C11 bits of a second run", different(found.o, again->o) + different(found.lse, again->lse), 0);
  if (!all_dense(test) && test.gigabytes == 0) {
    AttentionRun dense = run;
    dense.q = dense.k = dense.v = dense.o = dense.lse = Layout::dense;
    const Result<AttentionResult> plain = run_attention(gpu, suite.artifact, expected.inputs, dense);
    if (outcome.check("run of dense tensors", plain.status()))
      outcome.at_most("E2 bits of dense tensors", different(found.o, plain->o) + different(found.lse, plain->lse), 0);
  }
  if (test.fill == Fill::nan_values || test.fill == Fill::nan_keys || test.fill == Fill::nan_query)
    check_untouched_rows(gpu, suite, test, expected, run, found, outcome);
  if (test.slices && test.keys > 0)
    check_slices(gpu, suite, expected, run, *result, outcome);
  return outcome;
}

Outcome plan_case(const runtime::DeviceProperties &device, const SuiteArtifact &suite, const AttentionCase &test,
                  std::optional<std::int64_t> splits) {
  Outcome outcome;
  const Shape q{test.batch, test.query_heads, test.queries, suite.head_dim};
  const Shape k{test.batch, test.key_heads, test.keys, suite.head_dim};
  const DType dtype = suite.dtype;
  runtime::Arguments arguments;
  std::uint64_t address = std::uint64_t(1) << 40; // apart from each other, and as aligned as device memory is
  auto add = [&](const char *name, DType type, const Placement &placement) {
    address += std::uint64_t(1) << 40;
    arguments.tensor(name, reinterpret_cast<void *>(address + std::uint64_t(placement.lead) * byte_size(type)),
                     *runtime::dtype_from_name(support::name(type)), placement.sizes, placement.strides);
  };
  add("q", dtype, place(test.q, q));
  add("k", dtype, place(test.k, k));
  add("v", dtype, place(test.v, k));
  add("o", dtype, place(test.o, q));
  add("lse", lse_dtype, place(test.lse, lse_shape(q)));
  add_scalars(arguments, run_of(test, splits));
  const Result<runtime::Plan> plan = suite.artifact.plan(arguments.view(), device);
  if (!outcome.check("plan", plan.status()))
    return outcome;
  outcome.alternative = suite.artifact.manifest().alternatives[std::size_t(plan->alternative)].name;
  const bool idle = test.batch * test.query_heads * test.queries == 0;
  const bool launches = std::any_of(plan->launches.begin(), plan->launches.end(),
                                    [](const runtime::PlannedLaunch &launch) { return launch.blocks > 0; });
  // An instance of the first algorithm owns a whole head, so that it may find no queries in it.
  outcome.require("C5 launches where there is work", launches != idle || program_of(suite.program) == fa1);
  if (suite.artifact.manifest().alternatives.size() > 1)
    outcome.require("alternative", idle || test.keys == 0 || outcome.alternative == expected_alternative(test, program_of(suite.program)),
                    "takes '" + outcome.alternative + "'");
  return outcome;
}

template <class T> bool includes(const std::vector<T> &list, T value) {
  return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

} // namespace

bool same(const AttentionResult &a, const AttentionResult &b) { return same_bits(a.o, b.o) && same_bits(a.lse, b.lse); }

Result<AttentionResult> PreparedAttention::results() {
  Result<HostTensor> found_o = o.download(), found_lse = lse.download();
  if (!found_o)
    return found_o.status();
  if (!found_lse)
    return found_lse.status();
  return AttentionResult{*std::move(found_o), *std::move(found_lse), o.damage() + lse.damage(), alternative, code};
}

Result<std::unique_ptr<PreparedAttention>> bind_attention(Gpu &gpu, const runtime::Artifact &artifact,
                                                          const AttentionInputs &inputs, const AttentionRun &run) {
  auto prepared = std::make_unique<PreparedAttention>();
  runtime::Arguments &arguments = prepared->arguments;
  auto add = [&](const char *name, DType dtype, const Placement &placement, const HostTensor *values, DeviceTensor &tensor) -> Status {
    Result<DeviceTensor> created = DeviceTensor::create(gpu, dtype, placement);
    if (!created)
      return created.status();
    tensor = *created;
    tensor.add_to(arguments, name);
    return values ? tensor.upload(*values) : tensor.poison();
  };
  const DType dtype = inputs.q.dtype();
  for (Status status : {add("q", dtype, place(run.q, inputs.q.shape()), &inputs.q, prepared->q),
                        add("k", dtype, place(run.k, inputs.k.shape()), &inputs.k, prepared->k),
                        add("v", dtype, place(run.v, inputs.v.shape()), &inputs.v, prepared->v),
                        add("o", dtype, place(run.o, inputs.q.shape()), nullptr, prepared->o),
                        add("lse", lse_dtype, place(run.lse, lse_shape(inputs.q.shape())), nullptr, prepared->lse)})
    if (!status)
      return status;
  add_scalars(arguments, run);
  const runtime::DeviceProperties &device = gpu.device().properties;
  const Result<std::uint64_t> bytes = artifact.workspace_bytes(arguments.view(), device);
  if (!bytes)
    return bytes.status();
  const Result<cuda::DevicePointer> workspace = gpu.allocate(*bytes);
  if (!workspace)
    return workspace.status();
  if (Status status = gpu.fill(*workspace, run.workspace_byte, *bytes); !status)
    return status;
  prepared->options.device = gpu.ordinal();
  prepared->options.workspace = reinterpret_cast<void *>(*workspace);
  prepared->options.workspace_bytes = *bytes;
  std::tie(prepared->alternative, prepared->code) = describe(artifact, arguments.view(), device);
  if (Status status = gpu.synchronize(); !status)
    return status;
  return prepared;
}

Result<std::unique_ptr<PreparedAttention>> prepare_attention(Gpu &gpu, const runtime::Artifact &artifact,
                                                             const AttentionInputs &inputs, const AttentionRun &run) {
  Result<std::unique_ptr<PreparedAttention>> bound = bind_attention(gpu, artifact, inputs, run);
  if (!bound)
    return bound.status();
  PreparedAttention &prepared = **bound;
  if (Status status = prepared.call.prepare(artifact, prepared.arguments.view(), prepared.options); !status)
    return status;
  if (Status status = prepared.call.init_workspace(gpu.stream()); !status)
    return status;
  if (Status status = gpu.synchronize(); !status)
    return status;
  return bound;
}

Result<AttentionResult> run_attention(Gpu &gpu, const runtime::Artifact &artifact, const AttentionInputs &inputs,
                                      const AttentionRun &run) {
  const Gpu::Frame frame(gpu);
  Result<std::unique_ptr<PreparedAttention>> prepared = prepare_attention(gpu, artifact, inputs, run);
  if (!prepared)
    return prepared.status();
  if (Status status = (*prepared)->call.launch(gpu.stream()); !status)
    return status;
  if (Status status = gpu.synchronize(); !status)
    return status;
  return (*prepared)->results();
}

std::vector<Item> attention_items(const std::vector<SuiteArtifact> &artifacts) {
  // Cases outside, programs inside: the programs of one configuration share inputs and reference.
  struct Configuration {
    int head_dim;
    DType dtype;
    bool causal;
    std::string_view variant;
    bool operator<(const Configuration &other) const {
      return std::tie(head_dim, dtype, causal, variant) < std::tie(other.head_dim, other.dtype, other.causal, other.variant);
    }
  };
  std::map<Configuration, std::vector<const SuiteArtifact *>> configurations;
  for (const SuiteArtifact &artifact : artifacts)
    if (artifact.head_dim > 0)
      configurations[{artifact.head_dim, artifact.dtype, artifact.causal, artifact.variant}].push_back(&artifact);
  std::vector<Item> items;
  for (const auto &[configuration, programs] : configurations)
    for (const AttentionCase &test : attention_cases()) {
      const Mask mask = configuration.causal ? Mask::causal : Mask::full;
      if (!includes(test.variants, configuration.variant) || !includes(test.head_dims, configuration.head_dim) || !includes(test.dtypes, configuration.dtype) ||
          (test.mask != Mask::either && test.mask != mask))
        continue;
      for (const SuiteArtifact *suite : programs) {
        const ProgramSet program = program_of(suite->program);
        if (!(program & test.programs))
          continue;
        std::vector<std::optional<std::int64_t>> splits{std::nullopt};
        if (program == decode && !test.splits.empty())
          splits.assign(test.splits.begin(), test.splits.end());
        for (std::optional<std::int64_t> count : splits)
          items.push_back({test.name + (count ? ", splits " + std::to_string(*count) : ""), suite->file, suite->hash, suite,
                           [suite, &test, count](Session &session) { return run_case(session, *suite, test, count); },
                           [suite, &test, count](const runtime::DeviceProperties &device) {
                             return plan_case(device, *suite, test, count);
                           }});
      }
    }
  return items;
}

} // namespace tilefold::gpu_suite
