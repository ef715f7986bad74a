// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The head dims that every program is tested with, on the interpreter, through ptxas and on GPUs: those of the models in use. Others
// (33, 72, 88: no multiples of 16) only where they differ.
#pragma once

namespace tilefold::numerics {

inline constexpr int head_dims[] = {32, 64, 80, 96, 128, 256};

} // namespace tilefold::numerics
