// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-base-opt %s -split-input-file -verify-diagnostics

gpu.module @kernels {
  gpu.func @half(%x: f16) kernel {
    // expected-error @+1 {{operand #0 must be f32 or a 1-D vector of f32, but got 'f16'}}
    %0 = "ptx.ex2"(%x) : (f16) -> f16
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @matrix(%x: vector<2x2xf32>) kernel {
    // expected-error @+1 {{operand #0 must be f32 or a 1-D vector of f32, but got 'vector<2x2xf32>'}}
    %0 = "ptx.lg2"(%x) : (vector<2x2xf32>) -> vector<2x2xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @mixed(%x: f32) kernel {
    // expected-error @+1 {{requires the same type for all operands and results}}
    %0 = "ptx.rcp"(%x) : (f32) -> vector<2xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @count(%x: i32) kernel {
    // expected-error @+1 {{operand #0 must be 1-bit signless integer, but got 'i32'}}
    %0 = "ptx.barrier_or"(%x) : (i32) -> i1
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @global() kernel {
    // expected-error @+1 {{result #0 must be LLVM pointer in address space 3, but got '!llvm.ptr<1>'}}
    %0 = "ptx.dynamic_shared"() : () -> !llvm.ptr<1>
    gpu.return
  }
}
