// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch looks for a kernel by its name, which is one that PTX can spell. Names like those that LLVM numbers stay as they are.
// RUN: tilefold-base-opt --emit-ptx %s | FileCheck %s
// RUN: sed 's/@other/@"a-b"/' %s | not tilefold-base-opt --emit-ptx 2>&1 | FileCheck %s --check-prefix=DASH
// RUN: sed 's/@other/@"a.b"/' %s | not tilefold-base-opt --emit-ptx 2>&1 | FileCheck %s --check-prefix=DOT
// RUN: sed 's/@other/@"0a"/' %s | not tilefold-base-opt --emit-ptx 2>&1 | FileCheck %s --check-prefix=DIGIT
// DASH: [[@LINE+9]]:3: error: expected a name of letters, digits, '_' and '$' for a kernel, got 'a-b'
// DOT: [[@LINE+8]]:3: error: expected a name of letters, digits, '_' and '$' for a kernel, got 'a.b'
// DIGIT: [[@LINE+7]]:3: error: expected a name of letters, digits, '_' and '$' for a kernel, got '0a'
gpu.module @kernels {
  // CHECK: .visible .entry __local_depot0(
  gpu.func @__local_depot0() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
  // CHECK: .visible .entry other(
  gpu.func @other() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
  // CHECK: .visible .entry a$__local_depot7(
  gpu.func @a$__local_depot7() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
