// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variants by name: what the tests run on the interpreter, the simulator and GPUs. Their fp64 is in variant_references.h.
#pragma once

#include "dsl/tilefold.h"
#include "test/Numerics/variant_references.h"

#include <string>
#include <vector>

namespace tilefold::numerics {

struct NamedVariant {
  std::string name;
  Variant variant;
};

inline std::vector<NamedVariant> named_variants() {
  auto distance = [](Tile<f32, 2> s, const At &at) { return s - cast<f32>(at.q - at.k); };
  auto first_rows = [](const At &at) { return at.i < 4 && at.k >= 0; };
  auto huge = [](Tile<f32, 2> s, const At &at) { return where(at.i == 2 && at.k >= 0, s - huge_bias, s); };
  return {{"softcap", softcap(5)},
          {"window", sliding_window(40, 9)},
          {"causal_window", window_of(24) & causal()},
          {"alibi", alibi(alibi_heads)},
          {"softcap_alibi", softcap(30) & alibi(alibi_heads)},
          {"distance", {.score = distance}},
          {"first_rows", {.keep = first_rows}},
          {"huge_bias", {.score = huge}}};
}

} // namespace tilefold::numerics
