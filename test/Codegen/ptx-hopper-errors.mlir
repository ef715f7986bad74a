// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-base-opt %s -split-input-file -verify-diagnostics

gpu.module @kernels {
  gpu.func @element(%a: i64, %b: i64) kernel {
    // expected-error @+1 {{'ptx.wgmma' op expected elements of f16 or bf16, but got 'f32'}}
    %0 = ptx.wgmma f32 %a, %b : i64 -> vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @step(%a: i64, %b: i64) kernel {
    // expected-error @+1 {{'ptx.wgmma' op expected N, twice the accumulator's length, to be a multiple of 8 up to 256, but got 12}}
    %0 = ptx.wgmma f16 %a, %b : i64 -> vector<6xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @wide(%a: i64, %b: i64) kernel {
    // expected-error @+1 {{'ptx.wgmma' op expected N, twice the accumulator's length, to be a multiple of 8 up to 256, but got 264}}
    %0 = ptx.wgmma f16 %a, %b : i64 -> vector<132xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @fragment(%a: vector<4xi32>, %b: i64) kernel {
    // expected-error @+1 {{'ptx.wgmma' op expected a descriptor as transposed A, but got a fragment in registers}}
    %0 = ptx.wgmma f16 %a, %b transpose_a : vector<4xi32> -> vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @scale(%a: i64, %b: i64, %p: i1) kernel {
    // expected-error @+1 {{'ptx.wgmma' op expected an accumulator with scale_d}}
    %0 = ptx.wgmma f16 %a, %b scale_d %p : i64 -> vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @address(%a: !llvm.ptr<3>, %b: i64) kernel {
    // expected-error @+1 {{operand #0 must be 64-bit signless integer or vector<4xi32>, but got '!llvm.ptr<3>'}}
    %0 = "ptx.wgmma"(%a, %b) {element = f16, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (!llvm.ptr<3>, i64) -> vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @accumulator(%a: i64, %b: i64, %c: vector<8xf32>) kernel {
    // expected-error @+1 {{'ptx.wgmma' op failed to verify that the accumulator has the result's type}}
    %0 = "ptx.wgmma"(%a, %b, %c) {element = f16, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (i64, i64, vector<8xf32>) -> vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @fenced(%a: vector<2xi32>) kernel {
    // expected-error @+1 {{'values' must be variadic of a 1-D vector of f32 or vector<4xi32>, but got 'vector<2xi32>'}}
    %0 = ptx.wgmma_fence %a : vector<2xi32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @fences(%a: vector<4xi32>) kernel {
    // expected-error @+1 {{'ptx.wgmma_fence' op failed to verify that results have the types of the values}}
    %0 = "ptx.wgmma_fence"(%a) : (vector<4xi32>) -> vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @pending(%c: vector<4xf32>) kernel {
    // expected-error @+1 {{attribute 'pending' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
    %0 = ptx.wgmma_wait -1 %c : vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @waited(%a: vector<4xi32>) kernel {
    // expected-error @+1 {{'accumulators' must be variadic of a 1-D vector of f32, but got 'vector<4xi32>'}}
    %0 = ptx.wgmma_wait 0 %a : vector<4xi32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @waits(%a: vector<4xf32>) kernel {
    // expected-error @+1 {{'ptx.wgmma_wait' op failed to verify that results have the types of the accumulators}}
    "ptx.wgmma_wait"(%a) {pending = 0 : i32, operandSegmentSizes = array<i32: 1, 0>} : (vector<4xf32>) -> ()
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @barrier(%a: !llvm.ptr<1>, %parity: i32) kernel {
    // expected-error @+1 {{operand #0 must be LLVM pointer in address space 3, but got '!llvm.ptr<1>'}}
    ptx.mbarrier_wait %a, %parity : !llvm.ptr<1>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @parity(%a: !llvm.ptr<3>, %parity: i1) kernel {
    // expected-error @+1 {{operand #1 must be 32-bit signless integer, but got 'i1'}}
    "ptx.mbarrier_wait"(%a, %parity) : (!llvm.ptr<3>, i1) -> ()
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{expected !llvm.ptr as tensor map, but argument 0 is '!llvm.ptr<1>'}}
  gpu.func @map(%a: !llvm.ptr<1> {ptx.tensor_map}) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{unknown attribute "ptx.tensormap" of an argument, expected 'ptx.tensor_map'}}
  gpu.func @unknown(%a: !llvm.ptr {ptx.tensormap}) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @fences_nothing() kernel {
    // expected-error @+1 {{'ptx.wgmma_fence' op expected a value; nvvm.wgmma.fence.aligned is the fence without any}}
    "ptx.wgmma_fence"() : () -> ()
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @waits_for_nothing() kernel {
    // expected-error @+1 {{'ptx.wgmma_wait' op expected an accumulator; nvvm.wgmma.wait.group.sync.aligned is the wait without any}}
    "ptx.wgmma_wait"() {pending = 0 : i32, operandSegmentSizes = array<i32: 0, 0>} : () -> ()
    gpu.return
  }
}
