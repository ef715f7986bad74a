// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not tilefold-base-opt --mutate-base %s 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: not tilefold-base-opt --mutate-base=index=1 %s 2>&1 | FileCheck %s --check-prefix=INDEX

// NEITHER: mutate-base-errors.mlir:[[# @LINE + 2]]:1: error: mutate-base: expected a mutant's index or 'list'
// INDEX: error: mutate-base: expected an index below the number of mutants, 1, got 1
gpu.module @m {
  gpu.func @k() kernel {
    nvvm.barrier0
    gpu.return
  }
}
