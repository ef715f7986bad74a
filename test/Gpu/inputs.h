// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/reference.h"
#include "test/Gpu/cases.h"

#include <memory>

namespace tilefold::gpu_suite {

/// Dense tensors; where a layout shares memory along a dimension, the values are the same along it.
struct AttentionInputs {
  support::HostTensor q, k, v;
};

AttentionInputs make_inputs(const AttentionCase &test, int head_dim, support::DType dtype, Fill fill, std::uint64_t seed);

/// Inputs of a case and what attention gives for them.
struct Expected {
  AttentionInputs inputs;
  support::AttentionReference reference;
  std::optional<support::HostTensor> plain; ///< for random inputs
};

support::Result<std::shared_ptr<const Expected>> expect(const AttentionCase &test, int head_dim, support::DType dtype, bool causal,
                                                        const std::string &variant);

} // namespace tilefold::gpu_suite
