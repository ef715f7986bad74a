// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEFOLD_TILE_STAGING_OPS_TD
#define TILEFOLD_TILE_STAGING_OPS_TD

include "lib/Dialect/Tile/TileOpBase.td"

def ConvertLayoutOp : TileOp<"convert_layout", [Pure]> {
  let summary = "The same tile held by other threads or registers";
  let description = [{
    Preconditions: none. Postcondition: equal elements. A register permutation where the two layouts agree on threads,
    otherwise an exchange through shared memory.

    Example: `%y = tile.convert_layout %x : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #a>`

    Errors: shapes or element types that differ.
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def AllocOp : TileOp<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "A shared-memory buffer";
  let description = [{
    Preconditions: none. Postcondition: storage that lives as long as the kernel; its contents are undefined until written.

    Example: `%ring = tile.alloc : !tile.buffer<2x64x128xf16, <3, 0>>`

    Errors: those of the type: a rank other than 2 or 3, an extent of 0, elements that are no numbers of whole bytes, a swizzle
    that leaves its rows.
  }];
  let results = (outs Tile_Buffer:$buffer);
  let assemblyFormat = "attr-dict `:` qualified(type($buffer))";
}

def SlotOp : TileOp<"slot", [Pure]> {
  let summary = "One tile of a ring";
  let description = [{
    Preconditions: 0 <= index < slots. Postcondition: tile `index` of the ring, the same storage.

    Example: `%k = tile.slot %ring [%i] : !tile.buffer<2x64x128xf16, <3, 0>> -> !tile.buffer<64x128xf16, <3, 0>>`

    Errors: a buffer that is not a ring (rank 3); a result that is not one of its slots.
  }];
  let arguments = (ins Tile_Buffer:$ring, I32:$index);
  let results = (outs Tile_Buffer:$slot);
  let assemblyFormat = "$ring `[` $index `]` attr-dict `:` qualified(type($ring)) `->` qualified(type($slot))";
  let hasVerifier = 1;
}

def CopyAsyncOp : TileOp<"copy_async", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Starts copying a tile from global to shared memory";
  let description = [{
    Preconditions: the view's last dimension is contiguous, its address and other strides are multiples of 16 bytes.
    Postcondition: after the copy's group is waited for and a barrier passed, the buffer holds what `tile.load` would
    have read, zero outside the view.

    Example: `tile.copy_async %kh [%j, %c0] to %slot : !tile.view<2xf16>, !tile.buffer<64x128xf16, <3, 0>>`

    Errors: ranks or element types that differ.
  }];
  let arguments = (ins Tile_View:$view, Variadic<I32>:$offsets, Tile_Buffer:$buffer);
  let assemblyFormat = "$view `[` $offsets `]` `to` $buffer attr-dict `:` qualified(type($view)) `,` qualified(type($buffer))";
  let hasVerifier = 1;
}

def CopyOp : TileOp<"copy", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Copies a tile from global to shared memory through registers, changing its elements on the way";
  let description = [{
    Works for any strides and addresses. The body, elementwise operations on one element, says what is stored for it; an
    empty one copies. Unlike a load, elementwise operations and a write, it never holds the whole tile in registers.

    Preconditions: none on the offsets. Postconditions: after a barrier the buffer holds body(x) for every element x that
    `tile.load` would have read, zero outside the view included.

    Example:

    ```mlir
    tile.copy %vh [%j, %c0] to %slot : !tile.view<2xf16>, !tile.buffer<64x128xf16, <3, 0>> {
    ^bb0(%x: f16):
      %y = arith.select %finite, %x, %zero : f16
      tile.yield %y : f16
    }
    ```

    Errors: ranks that differ; a body that does not take the view's element type and yield the buffer's.
  }];
  let arguments = (ins Tile_View:$view, Variadic<I32>:$offsets, Tile_Buffer:$buffer);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = [{
    $view `[` $offsets `]` `to` $buffer attr-dict `:` qualified(type($view)) `,` qualified(type($buffer)) ($body^)?
  }];
  let hasVerifier = 1;
}

def YieldOp : TileOp<"yield", [Pure, Terminator, HasParent<"CopyOp">]> {
  let summary = "The element that a copy stores";
  let description = [{
    Preconditions: it ends the body of a `tile.copy`. Postcondition: its operand is stored in place of the element that the
    body was given.

    Example: `tile.yield %y : f16`

    Errors: an operation other than `tile.copy` around it. A value that is not of the buffer's element type is the copy's error.
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def CommitCopiesOp : TileOp<"commit_copies", [MemoryEffects<[MemWrite]>]> {
  let summary = "Closes the group of the copies started since the last commit";
  let description = [{
    Preconditions: none. Postcondition: those copies, perhaps none, are one group for `tile.wait_copies`.

    Example: `tile.commit_copies`

    Errors: none.
  }];
  let assemblyFormat = "attr-dict";
}

def WaitCopiesOp : TileOp<"wait_copies", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until at most `pending` copy groups of this thread are in flight";
  let description = [{
    Preconditions: `pending` is not negative. Postcondition: the older groups of this thread are complete. Other threads'
    copies are covered only after a barrier.

    Example: `tile.wait_copies 1`

    Errors: a negative `pending`.
  }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

def BarrierOp : TileOp<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Every thread of the instance arrives before any goes on; orders shared and global memory";
  let description = [{
    Preconditions: all threads of the instance reach it. Postcondition: each sees what the others wrote before it.

    Example: `tile.barrier`

    Errors: none. That a branch around it is uniform is what whoever inserts it has to see to.
  }];
  let assemblyFormat = "attr-dict";
}

def ReadOp : TileOp<"read", [MemoryEffects<[MemRead]>]> {
  let summary = "Reads a tile from shared memory";
  let description = [{
    Preconditions: what is read was written and a barrier passed. Postcondition: the buffer's elements.

    Example: `%a = tile.read %slot : !tile.buffer<64x128xf16, <3, 0>> -> tensor<64x128xf16, #a>`

    Errors: shapes or element types that differ.
  }];
  let arguments = (ins Tile_Buffer:$buffer);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$buffer attr-dict `:` qualified(type($buffer)) `->` type($result)";
  let hasVerifier = 1;
}

def WriteOp : TileOp<"write", [MemoryEffects<[MemWrite]>]> {
  let summary = "Writes a tile to shared memory";
  let description = [{
    Preconditions: nobody still reads the buffer. Postcondition: the buffer holds the tile's elements.

    Example: `tile.write %v, %slot : tensor<64x128xf16, #b>, !tile.buffer<64x128xf16, <3, 0>>`

    Errors: shapes or element types that differ.
  }];
  let arguments = (ins Tile_Tensor:$value, Tile_Buffer:$buffer);
  let assemblyFormat = "$value `,` $buffer attr-dict `:` type($value) `,` qualified(type($buffer))";
  let hasVerifier = 1;
}

#endif
