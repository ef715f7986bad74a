// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEFOLD_TRANSFORMS_PASSES_TD
#define TILEFOLD_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

//===-- arithmetic ------------------------------------------------------------------------------------------------===//

def HoistReciprocalsPass : Pass<"tile-hoist-reciprocals", "::tilefold::tile::KernelOp"> {
  let summary = "Divides once per row, or once per kernel, instead of once per element";
  let description = [{
    A division by a tile that only repeats a smaller one becomes a multiplication by the reciprocal of the smaller one.

    ```mlir
    %c = tile.expand %l, 1 : tensor<128xf32> -> tensor<128x1xf32>
    %b = tile.broadcast %c : tensor<128x1xf32> -> tensor<128x64xf32>
    %o = arith.divf %acc, %b : tensor<128x64xf32>
    ```
    becomes
    ```mlir
    %r = arith.divf %one, %l : tensor<128xf32>
    %c = tile.expand %r, 1 : tensor<128xf32> -> tensor<128x1xf32>
    %b = tile.broadcast %c : tensor<128x1xf32> -> tensor<128x64xf32>
    %o = arith.mulf %acc, %b : tensor<128x64xf32>
    ```

    The result is rounded twice: at most 1.5 ulp off instead of 0.5, far inside the accuracy rule. That holds for divisors
    of magnitude 2^-126 to 2^126; outside, the reciprocal overflows or is flushed to zero. A softmax's denominator is 1
    where a row is empty (C1, by select) and otherwise between 1 and 2^12 times the number of keys. f16 and bf16 are left
    alone, since the reciprocal would be rounded to their few bits.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

//===-- where and when --------------------------------------------------------------------------------------------===//

def ChooseSchedulePass : Pass<"tile-choose-schedule", "::tilefold::tile::KernelOp"> {
  let summary = "Decides how many warps run an instance and how deep its copy ring is";
  let description = [{
    Takes the fewest warps that can hold the accumulators of all products in registers, so that each warp owns as many
    rows as possible and reuses what it reads of the right operand. Kernels without products get four warps. A schedule
    that is already there stays, unless an option overrides it.

    ```mlir
    tile.kernel @fa2(...) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} { ... }
    ```
  }];
  let options = [
    Option<"warps", "warps", "int64_t", "0", "Warps of a block; 0 decides by the accumulators">,
    Option<"stages", "stages", "int64_t", "0", "Steps of copies in the ring, the one in use included; 0 means 2">];
}

def StageOperandsPass : Pass<"tile-stage-operands", "::tilefold::tile::KernelOp"> {
  let summary = "Brings the operands of products into shared memory";
  let description = [{
    A load that feeds a product becomes a copy to a swizzled buffer, from which the product reads its fragments. Where the
    guards promise alignment and the kernel does not store to the tensor, the copy is asynchronous; otherwise the tile
    passes through registers.

    ```mlir
    %k = tile.load %kh [%j, %c0] : !tile.view<2xf16> -> tensor<64x128xf16>
    %t = tile.transpose %k : tensor<64x128xf16> -> tensor<128x64xf16>
    %s = tile.dot %q, %t, %zero : ...
    ```
    becomes
    ```mlir
    %buffer = tile.alloc : !tile.buffer<64x128xf16, <3, 0>>
    tile.copy_async %kh [%j, %c0] to %buffer : ...
    tile.commit_copies
    tile.wait_copies 0
    tile.barrier
    %t = tile.transpose %buffer : ... -> !tile.buffer<128x64xf16, <3, 0>, transposed>
    %s = tile.dot %q, %t, %zero : ...
    ```

    Requires 16-bit operands and extents that are multiples of 16; refuses others with their extents.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PipelineCopiesPass : Pass<"tile-pipeline-copies", "::tilefold::tile::KernelOp"> {
  let summary = "Starts the copies of later steps while earlier ones are computed";
  let description = [{
    A staged loop's buffers become rings of `stages` slots. Before the loop the first stages - 1 steps are started; each
    step waits for its own slot, passes one barrier (which also tells that everyone has finished with the slot that is
    refilled next), starts the copies of step + stages - 1 and computes.

    ```mlir
    scf.for %j ... {
      tile.copy_async ... to %buffer
      tile.commit_copies
      tile.wait_copies 0
      tile.barrier
      ...
      tile.barrier
    }
    ```
    becomes
    ```mlir
    scf.for %j ... iter_args(%slot) {
      tile.wait_copies stages - 2
      tile.barrier
      scf.if %exists { tile.copy_async ... to %ring[%slot - 1] }
      tile.commit_copies
      ... %ring[%slot] ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def InsertBarriersPass : Pass<"tile-insert-barriers", "::tilefold::tile::KernelOp"> {
  let summary = "Makes an instance see its own stores in order";
  let description = [{
    Threads of an instance exchange data through a tensor that it both stores and loads (FlashAttention-1 re-reads what
    it wrote). A block barrier goes between a store and a later load or store of the same argument, and between a load
    and a later store.
  }];
}

def AssignLayoutsPass : Pass<"tile-assign-layouts", "::tilefold::tile::KernelOp"> {
  let summary = "Decides which register of which thread holds each element of every tile";
  let description = [{
    Starts at the products, whose accumulators have the layout of mma.m16n8k16, and spreads outward: elementwise
    operations keep a layout, a reduction drops a dimension of it, expanding adds one, a loop carries it. What no product
    reaches gets neighbouring elements in neighbouring threads, memory accesses first. Where a user needs another layout
    than its operand has, formulas of positions and constants are computed again in that layout; everything else goes
    through `tile.convert_layout`.

    ```mlir
    %p = arith.truncf %e : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
    %a = tile.convert_layout %p : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #left>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif
