// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEFOLD_TILE_TO_BASE_PASSES_TD
#define TILEFOLD_TILE_TO_BASE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTileToBasePass : Pass<"convert-tile-to-base", "::mlir::ModuleOp"> {
  let summary = "Lowers kernels whose tiles have layouts to what one thread does";
  let description = [{
    Every `tile.kernel` becomes a `gpu.func` of a `gpu.module`; the programs, whose manifest has been written, go.
    Nothing of the tile dialect remains: tiles are vectors of the elements that a thread holds, views are a pointer,
    extents and strides, buffers are offsets into dynamic shared memory. The function takes the three extents of the grid
    and then the kernel's arguments; `tilefold.shared_bytes` on it says how much shared memory a launch provides.

    ```mlir
    tile.kernel @add(%x: !tile.view<1xf32>, ...) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
      %t = tile.load %x [%i] : !tile.view<1xf32> -> tensor<1024xf32, #layout>
    ```
    becomes
    ```mlir
    gpu.module @kernels {
      gpu.func @add(%gx: i32, %gy: i32, %gz: i32, %x: !llvm.ptr<1>, %n: i32, %stride: i64, ...) kernel
          attributes {known_block_size = array<i32: 128, 1, 1>, tilefold.shared_bytes = 0 : i64} {
        %t = ... : vector<8xf32>
    ```

    Requires layouts on all tiles (`--tile-assign-layouts`) and buffers behind the operands of products
    (`--tile-stage-operands`). Errors name the operation that has no lowering.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::tilefold::ptx::PtxDialect"];
}

#endif
