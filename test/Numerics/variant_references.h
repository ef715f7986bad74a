// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variants that tests compile for a GPU (variants.h), as attention in fp64 knows them. Apart from their kernels, since the
// GPU suite's runner has the names alone and links no compiler.
#pragma once

#include "support/reference.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

namespace tilefold::numerics {

/// ALiBi's slopes are those of this many heads.
inline constexpr int alibi_heads = 4;

/// What one row's scores are lowered by. The largest float there is would be -inf once scores are kept in base 2.
inline constexpr float huge_bias = std::numeric_limits<float>::max();

/// ALiBi as the score function of a reference.
inline std::function<double(double, const support::LogitPosition &)> alibi_reference(int heads) {
  return [=](double s, const support::LogitPosition &p) { return s - std::exp2(-8.0 / heads * double(p.h + 1)) * double(p.iq - p.j); };
}

inline support::AttentionOptions causal_reference() {
  support::AttentionOptions options;
  options.causal = true;
  return options;
}

/// Those of variants.h, and attention without one that is compiled in another way: blocks of 16 x 16, other depths of the ring.
inline constexpr std::string_view variant_names[] = {"softcap",  "window",     "causal_window", "alibi",        "softcap_alibi", "distance",
                                                     "first_rows", "huge_bias", "small_blocks",  "one_stage", "three_stages"};

/// What the variant of that name computes; nothing if there is none. The empty name is attention without a variant.
inline std::optional<support::AttentionOptions> variant_reference(std::string_view name) {
  support::AttentionOptions options;
  if (name.empty() || name == "small_blocks" || name == "one_stage" || name == "three_stages")
    return options;
  if (name == "softcap")
    options.softcap = 5;
  else if (name == "window")
    options.window_left = 40, options.window_right = 9;
  else if (name == "causal_window")
    options.causal = true, options.window_left = 23;
  else if (name == "alibi")
    options.score = alibi_reference(alibi_heads);
  else if (name == "softcap_alibi")
    options.softcap = 30, options.score = alibi_reference(alibi_heads);
  else if (name == "distance")
    options.score = [](double s, const support::LogitPosition &p) { return s - double(p.iq - p.j); };
  else if (name == "first_rows")
    options.visible = [](const support::LogitPosition &p) { return p.i < 4; };
  else if (name == "huge_bias")
    options.score = [](double s, const support::LogitPosition &p) { return p.i == 2 ? s - double(huge_bias) : s; };
  else
    return std::nullopt;
  return options;
}

} // namespace tilefold::numerics
