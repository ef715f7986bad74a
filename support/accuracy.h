// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accuracy rule: when outputs of attention count as right. Every comparison is written so that NaN fails it.
#pragma once

#include "support/host_tensor.h"
#include "support/reference.h"

#include <optional>
#include <string>
#include <vector>

namespace tilefold::support {

struct AccuracyOptions {
  /// u of the rule, relative to the norm of the reference. Absent: 1e-3 for f16, 8e-3 for bf16, 2e-5 for f32 outputs. Named
  /// options with a looser rule (a single TF32 product: 2e-3) set it.
  std::optional<double> unit;
  /// The inputs are random, so that the rows' and the largest error's criteria hold too; these need `plain`.
  bool random_inputs = true;
  /// False only for a program that has no LSE; its pointer must then be null.
  bool has_lse = true;
};

/// One criterion of the rule. A criterion that could not be measured has failed.
struct Criterion {
  enum class Verdict { pass, fail, skipped };
  std::string name;
  Verdict verdict = Verdict::fail;
  double measured = 0, limit = 0; ///< the pair at the worst place
  std::string detail;             ///< where the worst place is, or why it failed or was skipped
};

struct AccuracyReport {
  std::vector<Criterion> criteria;
  /// There are criteria, and none failed.
  bool passed() const;
  const Criterion *find(const std::string &name) const;
  /// One line for each criterion: verdict, name, measured, limit, place.
  std::string to_string() const;
};

/// u of the accuracy rule for outputs of `dtype`.
double accuracy_unit(DType dtype);

/// Compares `o` (of type `dtype`) and `lse` (f32) with attention in fp64. Null stands for an output that is missing, which
/// fails; so do a wrong shape or dtype. `plain` may be null where inputs are not random. Criteria, in this order:
///   "o form"              there, dtype and shape as they should be
///   "o non-finite"        count of elements where NaN, +inf and -inf do not stand as in the reference; limit 0
///   "o empty rows"        count of elements of rows without keys that are not +0; limit 0
///   "o norm"              norm(e) <= u norm(ref)
///   "o rows"              norm(e[i]) <= 3 u norm(ref[i]) + 1e-6
///   "o largest"           max|e| <= 2 max|e_plain| + 1e-5, over the elements where plain is finite
///   "lse form", "lse non-finite", and
///   "lse error"           |LSE - ref| <= 1e-4 + 2^-20 * the row's logit bound
/// Elements that are not finite in the reference are judged by the placement criteria alone. A row whose logits leave the
/// range in which fp32 is trusted may be NaN throughout, O and LSE each.
AccuracyReport compare_attention(const HostTensor *o, const HostTensor *lse, const AttentionReference &reference,
                                 const HostTensor *plain, DType dtype, const AccuracyOptions &options = {});

} // namespace tilefold::support
