// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEFOLD_TRANSFORMS_PASSES_TD
#define TILEFOLD_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

//===-- arithmetic ------------------------------------------------------------------------------------------------===//

def ExpToExp2Pass : Pass<"tile-exp-to-exp2", "::tilefold::tile::KernelOp"> {
  let summary = "Computes exponentials and logarithms in base 2, which the hardware has";
  let description = [{
    `exp(x)` becomes `exp2(log2e * x)` and `log(x)` becomes `ln2 * log2(x)` where they stand: of a softmax, the difference is taken
    first, then scaled (C12).

    With `fold-scale`, no element pays for a factor: all values that are connected to `x` by operations with f(c x, c y) = c f(x, y)
    change to base 2 together: differences, maxima, selects, reductions, broadcasts, values that a loop carries. Those operations
    stay as they are. log2e goes into constants and into the positive factor of the scores, which moves behind the maximum and the
    masks, so that an element costs a maximum, an fma and an exp2.

    ```mlir
    %c = tile.splat %scale : f32 -> tensor<64x64xf32>
    %m = scf.for ... iter_args(%m0 = %negative_infinity) {
      %s = arith.mulf %dot, %c : tensor<64x64xf32>
      %r = tile.reduce max %s, 1 : tensor<64x64xf32> -> tensor<64xf32>
      %m1 = arith.maximumf %m0, %r : tensor<64xf32>
      ...
      %e = arith.subf %s, %m1_repeated : tensor<64x64xf32>
      %p = math.exp %e : tensor<64x64xf32>
      %d = arith.subf %m0, %m1 : tensor<64xf32>
      %alpha = math.exp %d : tensor<64xf32>
    }
    %ln_l = math.log %l : tensor<64xf32>
    %lse = arith.addf %m, %ln_l : tensor<64xf32>
    ```
    becomes
    ```mlir
    %scale2 = arith.mulf %scale, %log2e : f32
    %m = scf.for ... iter_args(%m0 = %negative_infinity) {
      %r = tile.reduce max %dot, 1 : tensor<64x64xf32> -> tensor<64xf32>
      %c_row = tile.splat %scale2 : f32 -> tensor<64xf32>
      %cr = arith.mulf %r, %c_row : tensor<64xf32>
      %lowest = math.fma %r, %small, %minus_flt_max : tensor<64xf32>
      %r1 = arith.maximumf %cr, %lowest : tensor<64xf32>
      %m1 = arith.maximumf %m0, %r1 : tensor<64xf32>
      ...
      %c = tile.splat %scale2 : f32 -> tensor<64x64xf32>
      %e = math.fma %dot, %c, %minus_m1_repeated : tensor<64x64xf32>
      %p = math.exp2 %e : tensor<64x64xf32>
      %d = arith.subf %m0, %m1 : tensor<64xf32>
      %alpha = math.exp2 %d : tensor<64xf32>
    }
    %log2_l = math.log2 %l : tensor<64xf32>
    %lse2 = arith.addf %m, %log2_l : tensor<64xf32>
    %lse = arith.mulf %lse2, %ln2 : tensor<64xf32>
    ```
    Rounding is monotone, so c * max(x) is the same number as max(c * x), and M in the fma is the one in alpha and LSE. `%lowest`
    is -FLT_MAX, or -inf where the maximum is: a row whose maximum overflows in base 2 does not look like one that sees nothing.

    The change is all or nothing. Where a factor cannot move behind a maximum (a bias is added to the scaled scores: in base 2 each
    sum could overflow, by which a key would look invisible), where some value has no factor (a loaded bias), or leaves the kernel
    by itself (a stored maximum, which would be rounded apart from the l and acc that are relative to it), the exponentials of that
    group are rewritten where they stand. Only a sum with a logarithm, the LSE, is turned back. Constants are multiplied in double
    and rounded once, so that a headroom of 12 ln 2 becomes 12.

    Requires for `fold-scale`: a guard that keeps the scalars named in `positive` above 2^-126 and below 2^126, since
    -inf * 0 is a NaN. It is off by default because a scale may be zero or negative.
  }];
  let options = [
    Option<"foldScale", "fold-scale", "bool", /*default=*/"false", "Move positive factors of scores behind the maximum">,
    Option<"positive", "positive", "std::string", /*default=*/"\"scale\"",
           "Names of the scalar arguments, comma separated, that are guarded to be positive">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::tilefold::tile::TileDialect"];
}

def HoistReciprocalsPass : Pass<"tile-hoist-reciprocals", "::tilefold::tile::KernelOp"> {
  let summary = "Divides once per row, or once per kernel, instead of once per element";
  let description = [{
    A division by a constant, or by a tile that only repeats a smaller one, becomes a multiplication by the reciprocal.

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

//===-- masks and visibility --------------------------------------------------------------------------------------===//

def ExpandWeighPass : Pass<"tile-expand-weigh", "::tilefold::tile::KernelOp"> {
  let summary = "Makes weighted sums plain matrix products, checked once at the end";
  let description = [{
    Contracts C2 and C3: what is not visible is never observed, and what is visible and not finite is. A plain product
    breaks the first, since 0 * NaN is NaN, but only by results that are not finite. So the loop computes plain products,
    and only if something in the end is not finite, it runs again from the same initial values with exact ones.

    ```mlir
    %r:2 = scf.for ... iter_args(%l0 = %zero, %acc0 = %zeros) {
      %scaled = arith.mulf %acc0, %alpha : tensor<64x64xf32>
      %acc1 = tile.weigh %p, %seen, %v, %scaled : ...
      scf.yield %l1, %acc1
    }
    ```
    becomes
    ```mlir
    %r:2 = scf.for ... {
      %acc1 = tile.dot %p, %v, %scaled : ...
    }
    %magnitude = math.absf %r#1 : tensor<64x64xf32>
    %nonfinite = arith.cmpf uge, %magnitude, %infinity : tensor<64x64xf32>
    %bad = tile.any %nonfinite : tensor<64x64xi1>
    scf.if %bad {
      %marks:2 = scf.for ... iter_args(%l0 = %zero, %acc0 = %zeros) {
        %finite = arith.cmpf olt, %v_magnitude, %infinity
        %huge_seen = arith.select %seen, %huge, %zero    // bf16, 2^120 or 0
        %poison = arith.select %finite, %zero, %huge
        %acc1 = tile.dot %huge_seen, %poison, %acc0      // + inf where a visible value is not finite, + 0 elsewhere
      } {tile.cold}
      %again:2 = scf.for ... iter_args(%l0 = %zero, %acc0 = %marks#1) {
        %clean = arith.select %finite, %v, %zero
        %acc1 = tile.dot %p, %clean, %scaled             // what is visible and finite
      } {tile.cold}
      ...                                                // what stood behind the loop, with %again
    } else {
      ...                                                // the same with %r
    } {tile.cold}
    ```

    Two loops, each with no more values alive at a time than the one that they stand in for: one loop with both products
    would set the kernel's register count for a path that hardly ever runs. The marks come first, while there are no
    statistics to keep; then they are the accumulator of the second loop, whose rescaling leaves them infinite or makes
    them NaN. For the same reason all results come from the second run, the equal ones too, and the rest of the kernel, if
    it is short, stands in both branches: nothing of one run lives beside the other, and no register of one has to be
    where the other has it. Where a loop carries several products, or visibility depends on the accumulator, both
    products stand in one loop, the second on top of the first.

    Why the check may wait until the end: the accumulator passes only through sums, products and quotients from one
    iteration to the next, in which an inf or NaN never becomes finite again. So a finite result proves that every
    product was finite, hence that no value row held an inf or NaN, visible or not. The loop must have no stores, or it
    could not run twice. Where this does not hold (an accumulator that is loaded, rescaled by a select, or kept in
    memory) the product itself is checked and repeated.

    Weights of invisible keys must be 0 in the plain product. Nothing is added for exponentials of the score that
    visibility compares with -inf, which are 0, inf or NaN there; other weights are selected first.

    The branch and the loops in it carry `tile.cold`: they run on exceptional data only, and what makes code fast
    leaves them alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

def GuardMasksPass : Pass<"tile-guard-masks", "::tilefold::tile::KernelOp"> {
  let summary = "Skips masks in the blocks that need none";
  let description = [{
    Most blocks of an attention loop lie wholly inside the causal triangle, the window and the sequence. A select by a
    mask of comparisons of positions is put under a scalar condition on the bounds of those positions, from which it
    follows that the whole mask is true. The mask is computed in the other branch only.

    ```mlir
    scf.for %j = ... {
      %keys = arith.addi %j_splat, %iota : tensor<64xi32>          // repeated over rows
      %causal = arith.cmpi sge, %rows, %keys : tensor<128x64xi32>
      %t = arith.select %causal, %s, %fill : tensor<128x64xi1>, tensor<128x64xf32>
      %inside = arith.cmpi slt, %keys, %n_splat : tensor<128x64xi32>
      %u = arith.select %inside, %t, %fill : tensor<128x64xi1>, tensor<128x64xf32>
    ```
    becomes
    ```mlir
    scf.for %j = ... {
      %above = arith.cmpi slt, %j, %first_row_minus_62 : i64
      %within = arith.cmpi slt, %j, %n_minus_63 : i64
      %all = arith.andi %above, %within : i1
      %u = scf.if %all {
        scf.yield %s
      } else {
        ... iota, splats, comparisons, both selects
        scf.yield %masked
      }
    ```

    Understood are signed comparisons, equality, and, or and not of sums and differences of iota, splats of scalars,
    constants and their shapes; selects with one fill that directly follow each other share a branch. Masks that are true
    for every value of the scalars are removed; what is not understood (loaded masks, positions divided or multiplied by
    run-time values) stays. Conditions are computed in i64, so that a bound cannot wrap around where the positions did
    not; their loop-invariant parts are separate operations, for `loop-invariant-code-motion`.

    Masks outside loops run once and are left alone. Loops that carry `tile.cold` are treated like others: the branch keeps
    the positions that a mask is made of out of the registers of the product.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ContractProductsPass : Pass<"tile-contract-products", "::tilefold::tile::KernelOp"> {
  let summary = "Decides which products and sums are rounded once";
  let description = [{
    A product that only a sum reads becomes a fused multiply-add, if both carry the `contract` flag; then the flag goes, so
    that nobody below fuses anything else. A kernel may hold a loop twice (the second for data that is not finite), and a
    row that the exceptional data does not touch must come out of both with the same bits.

    ```mlir
    %t = arith.mulf %s, %c fastmath<contract> : tensor<128x64xf32>
    %x = arith.subf %t, %m fastmath<contract> : tensor<128x64xf32>
    ```
    becomes
    ```mlir
    %n = arith.negf %m : tensor<128x64xf32>
    %x = math.fma %s, %c, %n : tensor<128x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

//===-- where and when --------------------------------------------------------------------------------------------===//

def ChooseSchedulePass : Pass<"tile-choose-schedule", "::tilefold::tile::KernelOp"> {
  let summary = "Decides how many warps run an instance and how deep its copy ring is";
  let description = [{
    Takes the fewest warps that can hold the accumulators of all products in registers, so that each warp owns as many
    rows as possible and reuses what it reads of the right operand. Kernels without products get four warps. A schedule
    that is already there stays, unless an option overrides it; warps that do not share a product evenly are refused, as are
    counts that no block has.

    ```mlir
    tile.kernel @fa2(...) {
      ... tile.dot %q, %kt, %zero : ..., tensor<128x64xf32>
      ... tile.dot %p, %v, %acc : ..., tensor<128x128xf32>
    }
    ```
    becomes, for 128 x 192 accumulators are 192 registers a thread in four warps,
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
    it wrote), and one that it stores in two places, or in a loop whose steps write over each other, has to end as the last
    store left it. A block barrier goes between a store and a later load or store of the same argument, and between a load
    and a later store. A step of a loop follows another step, and what is behind a loop or branch follows all that is in it;
    a barrier that is already there counts. A store in a loop that moves on by its tile's extent, or stays in place, needs
    none for itself.

    ```mlir
    tile.store %t, %o [%i] : tensor<64xf32>, !tile.view<1xf32>
    %u = tile.load %o [%j] : !tile.view<1xf32> -> tensor<64xf32>
    %v = tile.load %o [%k] : !tile.view<1xf32> -> tensor<64xf32>
    tile.store %u, %o [%k] : tensor<64xf32>, !tile.view<1xf32>
    ```
    becomes
    ```mlir
    tile.store %t, %o [%i] : tensor<64xf32>, !tile.view<1xf32>
    tile.barrier
    %u = tile.load %o [%j] : !tile.view<1xf32> -> tensor<64xf32>
    %v = tile.load %o [%k] : !tile.view<1xf32> -> tensor<64xf32>
    tile.barrier
    tile.store %u, %o [%k] : tensor<64xf32>, !tile.view<1xf32>
    ```
  }];
}

def AssignLayoutsPass : Pass<"tile-assign-layouts", "::tilefold::tile::KernelOp"> {
  let summary = "Decides which register of which thread holds each element of every tile";
  let description = [{
    Starts at the products, whose accumulators have the layout of mma.m16n8k16, and spreads outward: elementwise
    operations keep a layout, a reduction drops a dimension of it, expanding adds one, a loop carries it. What no product
    reaches gets neighbouring elements in neighbouring threads, memory accesses first. Where a user needs another layout
    than its operand has, formulas of positions and constants are computed again in that layout; everything else goes
    through `tile.convert_layout`. Requires a schedule, whose warps share the tiles.

    ```mlir
    %s = tile.dot %a, %b, %zero : !tile.buffer<...>, !tile.buffer<...>, tensor<16x32xf32>
    %p = arith.truncf %s : tensor<16x32xf32> to tensor<16x32xf16>
    %o = tile.dot %p, %v, %acc : tensor<16x32xf16>, !tile.buffer<...>, tensor<16x32xf32>
    ```
    becomes, for two warps, which have half of the columns each but multiply whole rows,
    ```mlir
    %s = tile.dot %a, %b, %zero : !tile.buffer<...>, !tile.buffer<...>, tensor<16x32xf32, #acc>
    %p = arith.truncf %s : tensor<16x32xf32, #acc> to tensor<16x32xf16, #acc>
    %l = tile.convert_layout %p : tensor<16x32xf16, #acc> -> tensor<16x32xf16, #left>
    %o = tile.dot %l, %v, %acc : tensor<16x32xf16, #left>, !tile.buffer<...>, tensor<16x32xf32, #acc>
    ```
    Where each warp has whole rows, the accumulator's registers are those of the left operand, and nothing moves.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def LongestFirstPass : Pass<"tile-longest-first", "::tilefold::tile::KernelOp"> {
  let summary = "Starts instances with long loops before those with short ones";
  let description = [{
    A GPU starts instances in the order of the grid. Where later ones have more to do (under a causal mask the last queries see the
    most keys), the longest start when the machine runs empty, and all wait for them. So a position of the grid from which the
    trips of the kernel's loops rise counts down.

    ```mlir
    %i = tile.program_id 0
    %first = arith.muli %i, %c128 : i32
    %end = arith.addi %first, %c128 : i32
    scf.for %j = %c0 to %end step %c64 : i32 { ... }
    ```
    becomes
    ```mlir
    %i = tile.program_id 0 descending
    ```
    and the rest as it was.

    Only the order changes, which no result depends on. Loops in branches do not count: those for exceptional data stand there.
    Where trips rise in one loop and fall in another, or follow the position in a way that is not understood, nothing changes.
  }];
}

#endif
