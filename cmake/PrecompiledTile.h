// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nearly every translation unit of lib/ and dsl/ includes anyway. Sources still include what they use.
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/TypeSwitch.h"
#include <functional>
#include <map>
#include <string>
#include <vector>
