// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-base-opt %s --pass-pipeline='builtin.module(gpu.module(check-base))' -split-input-file -verify-diagnostics

gpu.module @kernels {
  gpu.func @exponential(%x: f32) kernel {
    // expected-error @+1 {{'math.exp2' is not part of the base level; use ptx.ex2}}
    %0 = math.exp2 %x : f32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @several(%x: f32) kernel {
    // expected-error @+1 {{'math.tanh' is not part of the base level}}
    %0 = math.tanh %x : f32
    // expected-error @+1 {{'math.log' is not part of the base level; use ptx.lg2}}
    %1 = math.log %x : f32
    // expected-error @+1 {{'arith.remf' is not part of the base level}}
    %2 = arith.remf %0, %1 : f32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @assembly(%x: i32) kernel {
    // expected-error @+1 {{'llvm.inline_asm' is not part of the base level; add an operation to the ptx dialect}}
    llvm.inline_asm has_side_effects "trap;", "" : () -> ()
    gpu.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @helper()
  gpu.func @call() kernel {
    // expected-error @+1 {{'llvm.call' is not part of the base level}}
    llvm.call @helper() : () -> ()
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @fine(%x: f32, %y: f32) kernel {
    %0 = math.absf %x : f32
    %1 = math.fma %0, %x, %y : f32
    %2 = math.sqrt %1 : f32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @shape(%x: f32) kernel {
    // expected-error @+1 {{type 'vector<2x2xf32>' is not part of the base level, expected a number, a 1-D vector or an LLVM type}}
    %0 = vector.broadcast %x : f32 to vector<2x2xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @memory(%x: vector<4xi1>) kernel {
    // expected-error @+1 {{'vector.step' is not part of the base level}}
    %0 = vector.step : vector<4xindex>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @ordered(%p: !llvm.ptr<1>, %x: i32) kernel {
    // expected-error @+1 {{'llvm.atomicrmw' with the order acq_rel is not part of the base level, expected monotonic; an llvm.fence before or after it orders}}
    %0 = llvm.atomicrmw add %p, %x syncscope("device") acq_rel : !llvm.ptr<1>, i32
    %1 = llvm.atomicrmw add %p, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @asserting(%x: i1) kernel {
    // expected-error @+1 {{'cf.assert' is not part of the base level}}
    cf.assert %x, "calls a library"
    gpu.return
  }
}
