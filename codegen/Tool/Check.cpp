// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/Check.h"
#include "codegen/Tool/Notice.h"
#include "support/accuracy.h"
#include "support/memory.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

using tilefold::support::HostTensor;

namespace tilefold::cli {
namespace {

const HostTensor *findOutput(const Tensors &outputs, const std::string &name) {
  const auto it = outputs.find(name);
  return it == outputs.end() ? nullptr : &it->second;
}

bool checkAttention(const NamedKernel &program, const Prepared &prepared, const Tensors &outputs) {
  support::AttentionOptions options = program.about.attention(prepared.config);
  if (const auto scale = prepared.scalars.find("scale"); scale != prepared.scalars.end())
    options.scale = scale->second;
  const HostTensor &q = prepared.tensors.at("q"), &k = prepared.tensors.at("k"), &v = prepared.tensors.at("v");
  std::optional<Notice> notice("comparing with attention in fp64");
  auto reference = support::reference_attention(q, k, v, options);
  if (!reference)
    throw UsageError{"--check: " + reference.message()};
  support::AccuracyOptions rule;
  rule.random_inputs = prepared.random;
  HostTensor plain;
  if (prepared.random) {
    auto result = support::plain_attention(q, k, v, options);
    if (!result)
      throw UsageError{"--check: " + result.message()};
    plain = *std::move(result);
  }
  rule.has_lse = prepared.module.find("lse") != nullptr;
  const auto report = support::compare_attention(findOutput(outputs, "o"), findOutput(outputs, "lse"), *reference,
                                                 prepared.random ? &plain : nullptr, q.dtype(), rule);
  notice.reset();
  std::fputs(report.to_string().c_str(), stdout);
  return report.passed();
}

/// norm(e) <= u norm(ref), and every element within 3 u of the largest of the reference; integers and masks have no u.
bool checkOutput(const std::string &name, const HostTensor *output, const std::vector<double> &reference) {
  if (!output || output->count() != std::int64_t(reference.size())) {
    fmt::print("  {:<7}  {:<15} {} elements, expected {}\n", "FAIL", name + " form", output ? output->count() : 0, reference.size());
    return false;
  }
  const double unit = support::is_float(output->dtype()) ? support::accuracy_unit(output->dtype()) : 0;
  const std::vector<double> values = output->to_f64();
  double error2 = 0, norm2 = 0, largest = 0, bound = 0;
  std::size_t misplaced = 0, worst = 0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    const bool finite = std::isfinite(values[n]) && std::isfinite(reference[n]);
    if (!finite) {
      misplaced += !(values[n] == reference[n] || (std::isnan(values[n]) && std::isnan(reference[n])));
      continue;
    }
    const double error = std::abs(values[n] - reference[n]);
    error2 += error * error;
    norm2 += reference[n] * reference[n];
    bound = std::max(bound, std::abs(reference[n]));
    if (error > largest) {
      largest = error;
      worst = n;
    }
  }
  bool ok = true;
  auto line = [&](const std::string &what, double measured, double limit, const std::string &detail) {
    const bool pass = measured <= limit;
    ok &= pass;
    fmt::print("  {:<7}  {:<15} {:<10.3g} limit {:<10.3g}  {}\n", pass ? "ok" : "FAIL", name + what, measured, limit, detail);
  };
  line(" non-finite", double(misplaced), 0, "");
  line(" norm", std::sqrt(error2), unit * std::sqrt(norm2), values.empty() ? "nothing to compare" : norm2 > 0 ? fmt::format("relative {:.3g}", std::sqrt(error2 / norm2)) : "the reference is 0");
  line(" largest", largest, 3 * unit * bound, values.empty() ? "" : fmt::format("element {}", worst));
  return ok;
}

} // namespace

void requireReference(const NamedKernel &program, const Module &module) {
  if (isAttention(module) ? !program.about.attention : !program.about.outputs)
    throw UsageError{fmt::format("--check: program '{}' brings no reference to compare with (About::{})", program.name,
                                 isAttention(module) ? "attention" : "outputs")};
}

void requireCheckMemory(const Prepared &prepared) {
  const Tensors &tensors = prepared.tensors;
  std::uint64_t bytes = 0;
  if (isAttention(prepared.module)) {
    const auto sizes = support::attention_sizes(tensors.at("q"), tensors.at("k"), tensors.at("v"));
    if (!sizes)
      return; // the reference says what is wrong
    const std::uint64_t elements = std::uint64_t(sizes->rows()) * std::uint64_t(sizes->value_dim);
    bytes = support::reference_memory(*sizes) + elements * 3 * sizeof(double); // o and plain attention are compared as doubles
  } else {
    for (const auto &[name, tensor] : tensors) // a reference reads and makes doubles
      bytes += 2 * sizeof(double) * std::uint64_t(tensor.count());
  }
  if (auto status = support::check_memory(bytes, "comparing with fp64"); !status)
    throw UsageError{"--check: " + status.message()};
}

bool checkOutputs(const NamedKernel &program, const Prepared &prepared, const Tensors &outputs) {
  if (isAttention(prepared.module))
    return checkAttention(program, prepared, outputs);
  bool ok = true;
  std::optional<Notice> notice("comparing with fp64");
  const auto references = program.about.outputs(prepared.tensors);
  notice.reset();
  for (const auto &[name, reference] : references)
    ok &= checkOutput(name, findOutput(outputs, name), reference);
  for (const Argument &argument : prepared.module.arguments())
    if (argument.role == "output" && !references.count(argument.name)) { // what nobody compares is not right
      fmt::print("  {:<7}  {:<15} the program's reference (About::outputs) does not have it\n", "FAIL", argument.name + " form");
      ok = false;
    }
  return ok;
}

} // namespace tilefold::cli
