// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that nobody wrote: products, reductions, loops, branches, loads and stores, drawn from a seed. Elements are small
// integers and every value is bounded while the program is drawn, so that no sum rounds: whoever runs it gets the same bits, in
// whatever order it adds.
#pragma once
#include "dsl/tilefold.h"
#include "support/host_tensor.h"

#include <map>
#include <string>

namespace tilefold::random {

/// The program of a seed; the same one wherever it is traced. Its inputs are `a` and `b` [slices, rows, columns] of f16 or bf16 and
/// `c` of f32, and it writes outputs and workspaces of both.
struct RandomProgram {
  unsigned seed = 0;

  void operator()(Program &p) const;
  /// Integers from -2 to 2.
  std::map<std::string, support::HostTensor> inputs() const;
};

} // namespace tilefold::random
