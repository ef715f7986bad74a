// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What right outputs pass, and above all what wrong ones must fail.
#include "support/accuracy.h"

#include "support/random.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace tilefold::support;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

/// A causal problem with empty rows (7 queries more than keys), its reference, and outputs that are the reference rounded.
class Accuracy : public testing::TestWithParam<DType> {
 protected:
  Accuracy() { build(); }

  void build(double value_at_key_2 = 0.25) {
    q_ = normal_tensor(GetParam(), {2, 2, 40, 16}, 1, 0);
    k_ = normal_tensor(GetParam(), {2, 2, 33, 16}, 1, 1);
    v_ = normal_tensor(GetParam(), {2, 2, 33, 16}, 1, 2);
    v_.set(v_.at({1, 1, 2, 5}), value_at_key_2);
    AttentionOptions options;
    options.causal = true;
    reference_ = std::move(*reference_attention(q_, k_, v_, options));
    plain_ = *plain_attention(q_, k_, v_, options);
    o_ = make_tensor(GetParam(), reference_.sizes.o_shape(), [&](std::int64_t n) { return reference_.o[std::size_t(n)]; });
    lse_ = make_tensor(DType::f32, reference_.sizes.lse_shape(), [&](std::int64_t n) { return reference_.lse[std::size_t(n)]; });
  }
  AccuracyReport compare(const AccuracyOptions &options = {}) const {
    return compare_attention(&o_, &lse_, reference_, &plain_, GetParam(), options);
  }
  /// Fails, with this criterion among those that do.
  void expect_failure(const std::string &criterion, const AccuracyOptions &options = {}) const {
    const AccuracyReport report = compare(options);
    EXPECT_FALSE(report.passed()) << report.to_string();
    ASSERT_NE(report.find(criterion), nullptr) << report.to_string();
    EXPECT_EQ(report.find(criterion)->verdict, Criterion::Verdict::fail) << report.to_string();
  }
  double unit() const { return accuracy_unit(GetParam()); }

  HostTensor q_, k_, v_, plain_, o_, lse_;
  AttentionReference reference_;
  static constexpr std::int64_t row = 3 * 40 + 20; // of batch 1, head 1: sees keys 0 to 13
};

TEST_P(Accuracy, RoundedReferencePasses) {
  const AccuracyReport report = compare();
  EXPECT_TRUE(report.passed()) << report.to_string();
  EXPECT_EQ(report.criteria.size(), 9u);
  for (const Criterion &criterion : report.criteria)
    EXPECT_EQ(criterion.verdict, Criterion::Verdict::pass) << criterion.name;
}

TEST_P(Accuracy, PlainPassesItsOwnCriterion) {
  o_ = plain_;
  EXPECT_EQ(compare().find("o largest")->verdict, Criterion::Verdict::pass);
}

TEST_P(Accuracy, NothingComparedIsNotPassed) { EXPECT_FALSE(AccuracyReport().passed()); }

TEST_P(Accuracy, MissingOutputsFail) {
  EXPECT_FALSE(compare_attention(nullptr, &lse_, reference_, &plain_, GetParam()).passed());
  EXPECT_FALSE(compare_attention(&o_, nullptr, reference_, &plain_, GetParam()).passed());
  EXPECT_FALSE(compare_attention(&o_, &lse_, reference_, nullptr, GetParam()).passed());
  AccuracyOptions options;
  options.has_lse = false;
  EXPECT_TRUE(compare_attention(&o_, nullptr, reference_, &plain_, GetParam(), options).passed());
  lse_.set(5 * 8, nan); // an LSE that is there is judged, whatever the options say
  EXPECT_FALSE(compare_attention(&o_, &lse_, reference_, &plain_, GetParam(), options).passed());
}

TEST_P(Accuracy, WrongFormFails) {
  const HostTensor o = o_, lse = lse_;
  o_ = HostTensor(GetParam(), {2, 2, 40, 15});
  expect_failure("o form");
  o_ = HostTensor(GetParam(), {2, 40, 2, 16});
  expect_failure("o form");
  o_ = HostTensor(GetParam(), {0});
  expect_failure("o form");
  o_ = HostTensor(GetParam() == DType::f32 ? DType::f16 : DType::f32, o.shape());
  expect_failure("o form");
  o_ = o;
  lse_ = HostTensor(DType::f32, {2, 2, 40, 1});
  expect_failure("lse form");
  lse_ = HostTensor(DType::f16, lse.shape());
  expect_failure("lse form");
  lse_ = lse;
  plain_ = HostTensor(GetParam(), {2, 2, 40, 15});
  expect_failure("o largest");
}

TEST_P(Accuracy, UnwrittenOutputsFail) {
  o_.poison();
  expect_failure("o non-finite");
  build();
  lse_.poison();
  expect_failure("lse non-finite");
  build();
  o_ = HostTensor(GetParam(), o_.shape());
  expect_failure("o norm");
  build();
  lse_ = HostTensor(DType::f32, lse_.shape());
  expect_failure("lse error");
}

TEST_P(Accuracy, OneNonFiniteElementFails) {
  const HostTensor o = o_, lse = lse_;
  for (double value : {nan, inf, -inf}) {
    o_.set(row * 16 + 3, value);
    expect_failure("o non-finite");
    o_ = o;
    lse_.set(row, value);
    expect_failure("lse non-finite");
    lse_ = lse;
  }
}

TEST_P(Accuracy, EmptyRowsAreExact) {
  const HostTensor o = o_, lse = lse_;
  ASSERT_TRUE(reference_.empty[0]);
  o_.set(3, 1e-7);
  expect_failure("o empty rows");
  o_.set(3, -0.0);
  expect_failure("o empty rows");
  o_.set(3, nan);
  expect_failure("o non-finite");
  o_ = o;
  for (double value : {nan, inf, -3e38, 0.0}) {
    lse_.set(0, value);
    expect_failure("lse non-finite");
  }
  lse_ = lse;
  EXPECT_TRUE(compare().passed());
}

TEST_P(Accuracy, ErrorAllOverFails) {
  for (std::int64_t n = 0; n < o_.count(); ++n)
    o_.set(n, reference_.o[std::size_t(n)] * (1 + 2.5 * unit()));
  expect_failure("o norm");
  EXPECT_EQ(compare().find("o rows")->verdict, Criterion::Verdict::pass); // 2.5 u is within 3 u, so the norm alone sees it
}

TEST_P(Accuracy, OneWrongRowFails) {
  for (std::int64_t c = 0; c < 16; ++c)
    o_.set(row * 16 + c, reference_.o[std::size_t(row * 16 + c)] * (1 + 6 * unit()));
  expect_failure("o rows");
  const Criterion rows = *compare().find("o rows");
  double norm2 = 0;
  for (std::int64_t c = 0; c < 16; ++c)
    norm2 += reference_.o[std::size_t(row * 16 + c)] * reference_.o[std::size_t(row * 16 + c)];
  EXPECT_NEAR(rows.limit, 3 * unit() * std::sqrt(norm2) + 1e-6, 1e-12);
  EXPECT_NE(rows.detail.find("[1, 1, 20]"), std::string::npos) << rows.detail;
  EXPECT_EQ(compare().find("o norm")->verdict, Criterion::Verdict::pass); // diluted by the others
  AccuracyOptions options;
  options.random_inputs = false;
  EXPECT_TRUE(compare(options).passed()) << "of inputs that are not random, the norm alone is asked";
}

TEST_P(Accuracy, OneWrongElementFails) {
  double plain_error = 0;
  for (std::int64_t n = 0; n < plain_.count(); ++n)
    plain_error = std::max(plain_error, std::abs(plain_.get(n) - reference_.o[std::size_t(n)]));
  const double limit = compare().find("o largest")->limit;
  EXPECT_DOUBLE_EQ(limit, 2 * plain_error + 1e-5);
  o_.set(row * 16 + 3, reference_.o[std::size_t(row * 16 + 3)] + 1.3 * limit);
  expect_failure("o largest");
  const Criterion largest = *compare().find("o largest");
  EXPECT_NE(largest.detail.find("[1, 1, 20, 3]"), std::string::npos) << largest.detail;
}

TEST_P(Accuracy, LseTolerance) {
  const double limit = 1e-4 + 0x1p-20 * reference_.logit_bound[row];
  lse_.set(row, reference_.lse[row] + 0.9 * limit);
  EXPECT_TRUE(compare().passed()) << compare().to_string();
  lse_.set(row, reference_.lse[row] - 1.1 * limit);
  expect_failure("lse error");
  lse_.set(row, reference_.lse[row] / std::log(2.0)); // base 2
  expect_failure("lse error");
}

TEST_P(Accuracy, PoisonedColumn) {
  build(inf);
  const std::int64_t element = row * 16 + 5;
  ASSERT_TRUE(reference_.is_poisoned(element));
  for (double value : {nan, inf, -inf}) { // any kind
    o_.set(element, value);
    EXPECT_TRUE(compare().passed()) << compare().to_string();
  }
  o_.set(element, 0.25);
  expect_failure("o non-finite");
  build(inf);
  o_.set(row * 16 + 6, nan); // the column beside it
  expect_failure("o non-finite");
}

TEST_P(Accuracy, NaNRowMustBeNaN) {
  q_.set(q_.at({1, 1, 20, 0}), nan);
  AttentionOptions attention;
  attention.causal = true;
  reference_ = std::move(*reference_attention(q_, k_, v_, attention));
  expect_failure("o non-finite");
  expect_failure("lse non-finite");
  for (std::int64_t c = 0; c < 16; ++c)
    o_.set(row * 16 + c, nan);
  lse_.set(row, nan);
  EXPECT_TRUE(compare().passed()) << compare().to_string();
  o_.set(row * 16, inf);
  expect_failure("o non-finite");
}

TEST_P(Accuracy, OutOfRangeRowIsRightOrNaN) {
  reference_.out_of_range[row] = 1;
  EXPECT_TRUE(compare().passed());
  for (std::int64_t c = 0; c < 16; ++c)
    o_.set(row * 16 + c, nan);
  lse_.set(row, nan);
  EXPECT_TRUE(compare().passed()) << compare().to_string();
  o_.set(row * 16 + 3, reference_.o[row * 16 + 3]); // half NaN is neither
  expect_failure("o non-finite");
  for (std::int64_t c = 0; c < 16; ++c)
    o_.set(row * 16 + c, 2 + reference_.o[row * 16 + c]); // another finite value
  expect_failure("o rows");
}

TEST_P(Accuracy, PlainThatIsNotFinite) {
  plain_.set(row * 16 + 3, inf); // one element: left out
  EXPECT_TRUE(compare().passed());
  plain_.poison();
  const AccuracyReport report = compare();
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(report.find("o largest")->verdict, Criterion::Verdict::skipped);
}

TEST_P(Accuracy, UnitOfNamedOptions) {
  for (std::int64_t n = 0; n < o_.count(); ++n)
    o_.set(n, reference_.o[std::size_t(n)] * (1 + 2.5 * unit()));
  AccuracyOptions options;
  options.random_inputs = false;
  options.unit = 10 * unit();
  EXPECT_TRUE(compare(options).passed());
  options.unit = nan;
  expect_failure("o norm", options);
}

TEST_P(Accuracy, ReportNamesWhatFailed) {
  o_.set(row * 16 + 3, nan);
  const std::string text = compare().to_string();
  EXPECT_NE(text.find("FAIL     o non-finite"), std::string::npos) << text;
  EXPECT_NE(text.find("[1, 1, 20, 3]"), std::string::npos) << text;
  EXPECT_NE(text.find("ok       lse error"), std::string::npos) << text;
}

TEST_P(Accuracy, ReportSaysWhereNothingIsCompared) {
  o_.poison(); // to NaNs with a sign
  const std::string text = compare().to_string();
  EXPECT_NE(text.find("at [0, 0, 0, 0]: nan, expected"), std::string::npos) << text;
  EXPECT_EQ(text.find("-nan"), std::string::npos) << text;
  EXPECT_NE(text.find("o norm           nothing finite to compare"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(, Accuracy, testing::Values(DType::f16, DType::bf16, DType::f32),
                         [](const auto &info) { return std::string(name(info.param)); });

TEST(AccuracyEmpty, NoRows) {
  const HostTensor q(DType::f16, {1, 2, 0, 8}), k(DType::f16, {1, 2, 5, 8});
  const auto reference = reference_attention(q, k, k);
  const auto plain = plain_attention(q, k, k);
  const HostTensor o(DType::f16, {1, 2, 0, 8}), lse(DType::f32, {1, 2, 0});
  const AccuracyReport report = compare_attention(&o, &lse, *reference, &*plain, DType::f16);
  EXPECT_TRUE(report.passed());
  for (const char *name : {"o norm", "o rows", "o largest", "lse error"})
    EXPECT_EQ(report.find(name)->detail, "nothing to compare") << name;
}

} // namespace
