// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/accuracy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tilefold::support {

namespace {

using Verdict = Criterion::Verdict;

/// NaN on either side fails.
Criterion at_most(std::string name, double measured, double limit, std::string detail) {
  return {std::move(name), measured <= limit ? Verdict::pass : Verdict::fail, measured, limit, std::move(detail)};
}

std::string number(double value) {
  if (std::isnan(value)) // whose sign says nothing
    return "nan";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

/// "[b, h, i, c]" of the n-th element in row-major order.
std::string place(std::int64_t n, const Shape &shape) {
  Shape index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = n % shape[d];
    n /= shape[d];
  }
  return "at " + to_string(index);
}

Criterion form(std::string name, const HostTensor *tensor, DType dtype, const Shape &shape) {
  Criterion criterion{std::move(name), Verdict::fail, 0, 0, {}};
  if (!tensor)
    criterion.detail = "the output is missing";
  else if (tensor->dtype() != dtype)
    criterion.detail = "dtype " + std::string(support::name(tensor->dtype())) + ", expected " + std::string(support::name(dtype));
  else if (tensor->shape() != shape)
    criterion.detail = "shape " + to_string(tensor->shape()) + ", expected " + to_string(shape);
  else
    criterion = {std::move(criterion.name), Verdict::pass, 0, 0, std::string(support::name(dtype)) + " " + to_string(shape)};
  return criterion;
}

Criterion skipped(std::string name, std::string why) { return {std::move(name), Verdict::skipped, 0, 0, std::move(why)}; }

/// NaN where NaN, the same infinity where an infinity, finite where finite.
bool same_kind(double out, double expected) {
  if (std::isnan(expected))
    return std::isnan(out);
  return std::isfinite(expected) ? std::isfinite(out) : out == expected;
}

/// Counts misplaced elements.
struct Misplaced {
  std::int64_t count = 0, first = -1;
  void add(std::int64_t element) {
    if (count++ == 0)
      first = element;
  }
  Criterion criterion(std::string name, const Shape &shape, const std::vector<double> &out, const std::vector<double> *expected,
                      const char *otherwise) const {
    std::string detail;
    if (count > 0) {
      detail = "first " + place(first, shape) + ": " + number(out[std::size_t(first)]) + ", expected ";
      detail += expected ? number((*expected)[std::size_t(first)]) : otherwise;
    }
    return at_most(std::move(name), double(count), 0, std::move(detail));
  }
};

void compare_o(const HostTensor &o, const AttentionReference &reference, const HostTensor *plain, DType dtype,
               const AccuracyOptions &options, std::vector<Criterion> &criteria) {
  const AttentionSizes &sizes = reference.sizes;
  const Shape shape = sizes.o_shape();
  const double unit = options.unit.value_or(accuracy_unit(dtype));
  const std::int64_t rows = sizes.rows(), columns = sizes.value_dim;
  const std::vector<double> out = o.to_f64();
  const std::vector<double> plain_values = plain ? plain->to_f64() : std::vector<double>();
  const bool with_plain = options.random_inputs && plain_values.size() == out.size();

  Misplaced misplaced, not_zero;
  double error2 = 0, norm2 = 0, largest = 0, plain_largest = 0;
  double worst_ratio = -1, worst_row_error = 0, worst_row_limit = 0;
  std::int64_t worst_row = 0, worst_element = 0, compared = 0, finite_plain = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t first = row * columns;
    if (reference.out_of_range[std::size_t(row)] &&
        std::all_of(out.begin() + first, out.begin() + first + columns, [](double x) { return std::isnan(x); }))
      continue;
    double row_error2 = 0, row_norm2 = 0;
    for (std::int64_t n = first; n < first + columns; ++n) {
      const double value = out[std::size_t(n)], expected = reference.o[std::size_t(n)];
      if (reference.is_poisoned(n) ? std::isfinite(value) : !same_kind(value, expected))
        misplaced.add(n);
      if (reference.empty[std::size_t(row)] && !(value == 0 && !std::signbit(value)))
        not_zero.add(n);
      if (!std::isfinite(expected) || !std::isfinite(value))
        continue;
      const double error = std::abs(value - expected);
      row_error2 += error * error;
      row_norm2 += expected * expected;
      ++compared;
      if (with_plain && std::isfinite(plain_values[std::size_t(n)])) {
        ++finite_plain;
        plain_largest = std::max(plain_largest, std::abs(plain_values[std::size_t(n)] - expected));
        if (error > largest) {
          largest = error;
          worst_element = n;
        }
      }
    }
    error2 += row_error2;
    norm2 += row_norm2;
    const double row_error = std::sqrt(row_error2), row_limit = 3 * unit * std::sqrt(row_norm2) + 1e-6;
    if (row_error / row_limit > worst_ratio) {
      worst_ratio = row_error / row_limit;
      worst_row = row;
      worst_row_error = row_error;
      worst_row_limit = row_limit;
    }
  }

  criteria.push_back(misplaced.criterion("o non-finite", shape, out, &reference.o, ""));
  criteria.push_back(not_zero.criterion("o empty rows", shape, out, nullptr, "+0"));
  const double norm = std::sqrt(norm2), error = std::sqrt(error2);
  const auto where = [&](std::string detail) { return compared > 0 ? detail : out.empty() ? "nothing to compare" : "nothing finite to compare"; };
  criteria.push_back(at_most("o norm", error, unit * norm, where(norm > 0 ? "relative " + number(error / norm) : "the reference is 0")));
  if (!options.random_inputs) {
    criteria.push_back(skipped("o rows", "the inputs are not random"));
    criteria.push_back(skipped("o largest", "the inputs are not random"));
    return;
  }
  criteria.push_back(at_most("o rows", worst_row_error, worst_row_limit, where(rows > 0 ? place(worst_row, sizes.lse_shape()) : "")));
  if (!plain)
    criteria.push_back({"o largest", Verdict::fail, 0, 0, "the plain attention to compare with is missing"});
  else if (plain->shape() != shape)
    criteria.push_back({"o largest", Verdict::fail, 0, 0, "plain has the shape " + to_string(plain->shape())});
  else if (finite_plain == 0)
    criteria.push_back(skipped("o largest", out.empty() ? "nothing to compare" : "plain is nowhere finite"));
  else
    criteria.push_back(at_most("o largest", largest, 2 * plain_largest + 1e-5,
                               place(worst_element, shape) + ", plain " + number(plain_largest)));
}

void compare_lse(const HostTensor &lse, const AttentionReference &reference, std::vector<Criterion> &criteria) {
  const Shape shape = reference.sizes.lse_shape();
  const std::vector<double> out = lse.to_f64();
  Misplaced misplaced;
  double worst_ratio = -1, worst_error = 0, worst_limit = 1e-4;
  std::int64_t worst_row = -1;
  for (std::int64_t row = 0; row < reference.sizes.rows(); ++row) {
    const double value = out[std::size_t(row)], expected = reference.lse[std::size_t(row)];
    if (reference.out_of_range[std::size_t(row)] && std::isnan(value))
      continue;
    if (!same_kind(value, expected)) {
      misplaced.add(row);
      continue;
    }
    if (!std::isfinite(expected))
      continue;
    const double error = std::abs(value - expected), limit = 1e-4 + 0x1p-20 * reference.logit_bound[std::size_t(row)];
    if (error / limit > worst_ratio) {
      worst_ratio = error / limit;
      worst_error = error;
      worst_limit = limit;
      worst_row = row;
    }
  }
  criteria.push_back(misplaced.criterion("lse non-finite", shape, out, &reference.lse, ""));
  criteria.push_back(at_most("lse error", worst_error, worst_limit, worst_row >= 0 ? place(worst_row, shape) : out.empty() ? "nothing to compare" : "nothing finite to compare"));
}

} // namespace

double accuracy_unit(DType dtype) { return dtype == DType::f16 ? 1e-3 : dtype == DType::bf16 ? 8e-3 : 2e-5; }

AccuracyReport compare_attention(const HostTensor *o, const HostTensor *lse, const AttentionReference &reference,
                                 const HostTensor *plain, DType dtype, const AccuracyOptions &options) {
  AccuracyReport report;
  report.criteria.push_back(form("o form", o, dtype, reference.sizes.o_shape()));
  if (report.criteria.back().verdict == Verdict::pass)
    compare_o(*o, reference, plain, dtype, options, report.criteria);
  if (!options.has_lse && !lse) {
    report.criteria.push_back(skipped("lse form", "the program has no LSE"));
    return report;
  }
  report.criteria.push_back(form("lse form", lse, DType::f32, reference.sizes.lse_shape()));
  if (report.criteria.back().verdict == Verdict::pass)
    compare_lse(*lse, reference, report.criteria);
  return report;
}

bool AccuracyReport::passed() const {
  return !criteria.empty() &&
         std::none_of(criteria.begin(), criteria.end(), [](const Criterion &c) { return c.verdict == Verdict::fail; });
}

const Criterion *AccuracyReport::find(const std::string &name) const {
  for (const Criterion &criterion : criteria)
    if (criterion.name == name)
      return &criterion;
  return nullptr;
}

std::string AccuracyReport::to_string() const {
  std::string text;
  for (const Criterion &criterion : criteria) {
    char line[128];
    const bool textual = criterion.verdict == Verdict::skipped || (criterion.measured == 0 && criterion.limit == 0);
    const char *verdict = criterion.verdict == Verdict::pass ? "ok" : criterion.verdict == Verdict::fail ? "FAIL" : "skipped";
    if (textual)
      std::snprintf(line, sizeof line, "  %-7s  %-15s", verdict, criterion.name.c_str());
    else
      std::snprintf(line, sizeof line, "  %-7s  %-15s %-10.3g limit %-10.3g", verdict, criterion.name.c_str(), criterion.measured,
                    criterion.limit);
    text += line;
    text += (criterion.detail.empty() ? "" : "  ") + criterion.detail + "\n";
  }
  return text;
}

} // namespace tilefold::support
