// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs of the first three examples against fp64, and two products in a chain.
#include "examples/references.h"
#include "runtime/plan/plan.h"
#include "support/random.h"
#include "test/Gpu/suite.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tilefold::gpu_suite {

using support::DType;
using support::HostTensor;

namespace {

struct Named {
  std::string name;
  HostTensor tensor;
  Layout layout;

  std::vector<double> numbers() const { return tensor.to_f64(); }
  std::size_t size(int dimension) const { return std::size_t(tensor.size(std::size_t(dimension))); }
};

/// One example on inputs of some shape.
struct ExampleCase {
  std::string name;
  std::vector<Shape> inputs;
  Shape output;
  Layout layout = Layout::dense; ///< of all tensors
  bool minus_infinity = false;   ///< softmax: the first row holds nothing else
  bool ones = false;             ///< all inputs are 1, and the output is exact
};

struct Example {
  std::vector<std::string> inputs;
  std::string output;
  std::vector<ExampleCase> cases;
  std::function<std::vector<double>(const std::vector<Named> &)> reference;
  bool rows = false; ///< judged row by row and not element by element
};

Example vector_add() {
  Example example{{"a", "b"}, "c", {}, [](const std::vector<Named> &in) { return references::sum(in[0].numbers(), in[1].numbers()); }};
  for (std::int64_t n : {0, 1, 31, 1023, 1024, 1025, 1000003})
    example.cases.push_back({std::to_string(n), {{n}, {n}}, {n}});
  for (Layout layout : {Layout::misaligned, Layout::inner_stride_2})
    example.cases.push_back({"5000, " + std::string(name(layout)), {{5000}, {5000}}, {5000}, layout});
  return example;
}

Example softmax() {
  Example example{{"x"}, "y", {}, [](const std::vector<Named> &in) { return references::softmax(in[0].numbers(), in[0].size(1)); }, true};
  for (auto [rows, n] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 1000}, {16, 256}, {17, 257}, {300, 4099}, {5, 0}, {0, 5}, {70000, 8}})
    example.cases.push_back({std::to_string(rows) + "x" + std::to_string(n), {{rows, n}}, {rows, n}});
  example.cases.push_back({"a row of -inf", {{20, 300}}, {20, 300}, Layout::dense, true});
  for (Layout layout : {Layout::misaligned, Layout::inner_stride_2, Layout::odd_rows, Layout::padded_rows, Layout::reversed_rows})
    example.cases.push_back({"33x500, " + std::string(name(layout)), {{33, 500}}, {33, 500}, layout});
  return example;
}

Example matmul() {
  auto reference = [](const std::vector<Named> &in) {
    return references::product(in[0].numbers(), in[1].numbers(), in[0].size(0), in[0].size(1), in[1].size(1));
  };
  Example example{{"a", "b"}, "c", {}, reference, true};
  struct Sizes {
    std::int64_t m, n, k;
  };
  auto add = [&](Sizes s, Layout layout) {
    const std::string shape = std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
    example.cases.push_back({layout == Layout::dense ? shape : shape + ", " + std::string(name(layout)),
                             {{s.m, s.k}, {s.k, s.n}}, {s.m, s.n}, layout});
  };
  for (Sizes s : {Sizes{1, 1, 1}, {16, 8, 16}, {128, 128, 32}, {128, 128, 1024}, {129, 130, 33}, {400, 520, 264}, {37, 71, 0}, {0, 5, 7}, {512, 512, 512}})
    add(s, Layout::dense);
  for (Layout layout : {Layout::padded_rows, Layout::odd_rows, Layout::misaligned, Layout::inner_stride_2, Layout::reversed_rows})
    add({100, 72, 96}, layout);
  return example;
}

/// d = (a b^T) c.
Example chained_dots() {
  auto reference = [](const std::vector<Named> &in) {
    const std::size_t m = in[0].size(0), k = in[0].size(1), j = in[1].size(0), n = in[2].size(1);
    const auto middle = references::product(in[0].numbers(), references::transposed(in[1].numbers(), j, k), m, k, j);
    return references::product(middle, in[2].numbers(), m, j, n);
  };
  Example example{{"a", "b", "c"}, "d", {}, reference, true};
  for (auto [m, k, j, n] : {std::array<std::int64_t, 4>{64, 128, 64, 128}, {16, 16, 16, 16}, {70, 96, 33, 130}})
    for (bool ones : {true, false}) {
      const std::string shape = std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(j) + "x" + std::to_string(n);
      example.cases.push_back({.name = "G14 G16 " + shape + (ones ? ", ones" : ""), .inputs = {{m, k}, {j, k}, {j, n}}, .output = {m, n}, .ones = ones});
    }
  return example;
}

const std::map<std::string, Example> &examples() {
  static const std::map<std::string, Example> all = {
      {"vector_add", vector_add()}, {"softmax", softmax()}, {"matmul", matmul()}, {"chained_dots", chained_dots()}};
  return all;
}

/// Whole rows for what is a sum over a row, else every element: 3 u of what is expected.
void compare(const HostTensor &out, const std::vector<double> &expected, DType dtype, bool rows, Outcome &outcome) {
  const double unit = support::accuracy_unit(dtype);
  const std::size_t width = rows && out.rank() > 1 ? std::size_t(out.shape().back()) : 1;
  double worst = 0, error2 = 0, norm2 = 0;
  bool finite = true;
  for (std::size_t row = 0; width > 0 && row < expected.size() / width; ++row) {
    double row_error2 = 0, row_norm2 = 0;
    for (std::size_t n = row * width; n < (row + 1) * width; ++n) {
      const double e = out.get(std::int64_t(n)) - expected[n];
      finite &= std::isfinite(e);
      row_error2 += e * e;
      row_norm2 += expected[n] * expected[n];
    }
    worst = std::max(worst, std::sqrt(row_error2) / (3 * unit * std::sqrt(row_norm2) + 1e-6));
    error2 += row_error2;
    norm2 += row_norm2;
  }
  outcome.require("finite", finite);
  outcome.at_most("norm", std::sqrt(error2), unit * std::sqrt(norm2));
  outcome.at_most(width > 1 ? "rows, share of the limit" : "elements, share of the limit", worst, 1);
}

Outcome run_example(Session &session, const SuiteArtifact &suite, const Example &example, const ExampleCase &test) {
  Outcome outcome;
  Gpu &gpu = *session.gpu;
  const Gpu::Frame frame(gpu);
  std::vector<Named> inputs;
  for (std::size_t i = 0; i < example.inputs.size(); ++i) {
    inputs.push_back({example.inputs[i], support::normal_tensor(suite.dtype, test.inputs[i], 11, i), test.layout});
    if (test.minus_infinity)
      for (std::int64_t c = 0; c < test.inputs[i][1]; ++c)
        inputs.back().tensor.set(c, -std::numeric_limits<double>::infinity());
    if (test.ones)
      for (std::int64_t n = 0; n < inputs.back().tensor.count(); ++n)
        inputs.back().tensor.set(n, 1);
  }
  runtime::Arguments arguments;
  for (const Named &in : inputs) {
    Result<DeviceTensor> tensor = DeviceTensor::create(gpu, suite.dtype, place(in.layout, in.tensor.shape()));
    if (!outcome.check("memory", tensor.status()) || !outcome.check("upload", tensor->upload(in.tensor)))
      return outcome;
    tensor->add_to(arguments, in.name);
  }
  const Layout output_layout = test.layout == Layout::reversed_rows ? Layout::dense : test.layout;
  Result<DeviceTensor> output = DeviceTensor::create(gpu, suite.dtype, place(output_layout, test.output));
  if (!outcome.check("memory", output.status()) || !outcome.check("poison", output->poison()))
    return outcome;
  output->add_to(arguments, example.output);

  runtime::Call call;
  runtime::PrepareOptions options;
  options.device = gpu.ordinal();
  if (!outcome.check("prepare", call.prepare(suite.artifact, arguments.view(), options)))
    return outcome;
  std::tie(outcome.alternative, outcome.code) = describe(suite.artifact, arguments.view(), gpu.device().properties);
  if (!outcome.check("synchronize", gpu.synchronize()) || !outcome.check("launch", call.launch(gpu.stream())) ||
      !outcome.check("run", gpu.synchronize()))
    return outcome;
  const Result<HostTensor> out = output->download();
  if (!outcome.check("download", out.status()))
    return outcome;
  const std::vector<double> expected = example.reference(inputs);
  compare(*out, expected, suite.dtype, example.rows, outcome);
  if (test.ones)
    outcome.require("exact", out->to_f64() == expected);
  outcome.at_most("bytes written outside", double(output->damage()), 0);
  return outcome;
}

Outcome plan_example(const runtime::DeviceProperties &device, const SuiteArtifact &suite, const Example &example, const ExampleCase &test) {
  Outcome outcome;
  runtime::Arguments arguments;
  std::uint64_t address = std::uint64_t(1) << 40;
  auto add = [&](const std::string &name, const Shape &shape, Layout layout) {
    const Placement placement = place(layout, shape);
    address += std::uint64_t(1) << 40;
    arguments.tensor(name, reinterpret_cast<void *>(address + std::uint64_t(placement.lead) * byte_size(suite.dtype)),
                     *runtime::dtype_from_name(support::name(suite.dtype)), placement.sizes, placement.strides);
  };
  for (std::size_t i = 0; i < example.inputs.size(); ++i)
    add(example.inputs[i], test.inputs[i], test.layout);
  add(example.output, test.output, test.layout == Layout::reversed_rows ? Layout::dense : test.layout);
  const auto plan = suite.artifact.plan(arguments.view(), device);
  if (outcome.check("plan", plan.status()))
    outcome.require("planned", true);
  return outcome;
}

} // namespace

std::vector<Item> example_items(const std::vector<SuiteArtifact> &artifacts) {
  std::vector<Item> items;
  for (const SuiteArtifact &artifact : artifacts) {
    const auto found = examples().find(artifact.program);
    if (found == examples().end())
      continue;
    const Example &example = found->second;
    const SuiteArtifact *suite = &artifact;
    for (const ExampleCase &test : example.cases)
      items.push_back({test.name, artifact.file, artifact.hash, suite,
                       [suite, &example, &test](Session &session) { return run_example(session, *suite, example, test); },
                       [suite, &example, &test](const runtime::DeviceProperties &device) {
                         return plan_example(device, *suite, example, test);
                       }});
  }
  return items;
}

} // namespace tilefold::gpu_suite
