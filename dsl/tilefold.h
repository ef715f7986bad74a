// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/attention.h"
#include "dsl/trace.h"

/// The whole language. A kernel is a value with `void operator()(Program &p) const`.
