// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "mlir/IR/Value.h"

namespace tilefold::tile {

/// How one integer scalar follows another. A rising one may stay the same for a while.
enum class Trend { Constant, Rising, Falling, Unknown };

/// Of -x, where x has this trend.
Trend reversed(Trend trend);

/// Of x + y, max(x, y) and whatever else rises with both.
Trend joined(Trend x, Trend y);

/// How `value` follows `source`, from how it is computed. Overflow is left aside: good for choices of speed, not for proofs.
Trend getTrend(mlir::Value value, mlir::Value source);

} // namespace tilefold::tile
