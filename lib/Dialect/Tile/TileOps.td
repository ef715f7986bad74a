// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEFOLD_TILE_OPS_TD
#define TILEFOLD_TILE_OPS_TD

include "lib/Dialect/Tile/TileOpBase.td"

def ProgramIdOp : TileOp<"program_id", [Pure, HasParent<"KernelOp">]> {
  let summary = "The position of this instance in the grid";
  let description = [{
    Preconditions: none. Postcondition: 0 <= result < grid extent `dim`. With `descending`, a GPU starts the instances with
    the largest positions first; without, those with the smallest. Either is a matter of time alone.

    Example: `%i = tile.program_id 0`, `%j = tile.program_id 1 descending`

    Errors: `dim` outside 0..2.
  }];
  let arguments = (ins I64Attr:$dim, UnitAttr:$descending);
  let results = (outs I32:$result);
  let assemblyFormat = "$dim (`descending` $descending^)? attr-dict";
  let hasVerifier = 1;
}

def SliceOp : TileOp<"slice", [Pure]> {
  let summary = "Fixes some dimensions of a view";
  let description = [{
    Preconditions: 0 <= index < extent, for each fixed dimension. Postcondition: the view of the remaining dimensions.

    Example: `%kh = tile.slice %k [%b, %h] at [0, 1] : !tile.view<4xf16> -> !tile.view<2xf16>`

    Errors: a dimension outside the rank or out of order; as many indices as dimensions are required.
  }];
  let arguments = (ins Tile_View:$view, Variadic<I32>:$indices, DenseI64ArrayAttr:$dims);
  let results = (outs Tile_View:$result);
  let assemblyFormat = "$view `[` $indices `]` `at` $dims attr-dict `:` qualified(type($view)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NarrowOp : TileOp<"narrow", [Pure, AllTypesMatch<["view", "result"]>]> {
  let summary = "Restricts one dimension of a view to a range";
  let description = [{
    Preconditions: 0 <= offset, 0 <= size, offset + size <= extent. Postcondition: position 0 of `dim` is `offset`, its
    extent is `size`; loads beyond it read as padding and stores beyond it are dropped.

    Example: `%heads = tile.narrow %q, 0 [%first, %group] : !tile.view<2xf16>`

    Errors: `dim` outside the rank.
  }];
  let arguments = (ins Tile_View:$view, I64Attr:$dim, I32:$offset, I32:$size);
  let results = (outs Tile_View:$result);
  let assemblyFormat = "$view `,` $dim `[` $offset `,` $size `]` attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
}

def LoadOp : TileOp<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "Reads a tile from global memory";
  let description = [{
    Preconditions: none on the offsets; they may lie outside. Postcondition: element (i, j) is the view's element
    (offset0 + i, offset1 + j), or `pad` (zero if absent) where that lies outside the view.

    Example: `%q = tile.load %qh [%row, %c0] : !tile.view<2xf16> -> tensor<128x64xf16>`

    Errors: ranks or element types that differ.
  }];
  let arguments = (ins Tile_View:$view, Variadic<I32>:$offsets, OptionalAttr<TypedAttrInterface>:$pad);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$view `[` $offsets `]` (`pad` $pad^)? attr-dict `:` qualified(type($view)) `->` type($result)";
  let hasVerifier = 1;
}

def StoreOp : TileOp<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Writes a tile to global memory";
  let description = [{
    Preconditions: the view is of an output, an inout or a workspace; no other instance of the launch writes the same
    element. None on the offsets; they may lie outside. Postcondition: the view's element (offset0 + i, offset1 + j) is
    element (i, j) wherever that lies inside the view; nothing else is written. Later loads of this instance see it.

    Example: `tile.store %o, %oh [%row, %c0] : tensor<128x64xf16>, !tile.view<2xf16>`

    Errors: ranks or element types that differ; a view of an argument whose role is input.
  }];
  let arguments = (ins Tile_Tensor:$value, Tile_View:$view, Variadic<I32>:$offsets);
  let assemblyFormat = "$value `,` $view `[` $offsets `]` attr-dict `:` type($value) `,` qualified(type($view))";
  let hasVerifier = 1;
}

def DotOp : TileOp<"dot", [MemoryEffectsOpInterface, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Matrix product plus accumulator";
  let description = [{
    Preconditions: a is M x K, b is K x N, acc is M x N of f32. Postcondition: acc + a b, products and sums in fp32, K
    ascending in blocks of the hardware's width. From the staging passes on, a and b may be shared-memory buffers.

    Example: `%s = tile.dot %q, %kt, %zero : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>`

    Errors: shapes that do not chain; operands of different element types; an accumulator that is not f32.
  }];
  let arguments = (ins Tile_TensorOrBuffer:$a, Tile_TensorOrBuffer:$b, Tile_Tensor:$acc);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `,` type($acc)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    void getEffects(::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects);
  }];
}

def WeighOp : TileOp<"weigh", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "A weighted sum of rows in which invisible rows take no part";
  let description = [{
    Preconditions: weights is M x N, visible is M x N of i1, values is N x D, acc is M x D of f32. Postcondition: row i of
    the result is acc[i] plus the sum over the j with visible[i, j] of weights[i, j] * values[j]. A row of `values` that
    row i does not see changes no bit of row i, whatever it holds (NaN times zero would not be zero in `tile.dot`); a
    non-finite values[j, c] makes column c non-finite in exactly the rows that see j, even where the weight is zero.

    Example: `%o = tile.weigh %p, %seen, %v, %acc : tensor<64x128xf16>, tensor<64x128xi1>, tensor<128x64xf16>, tensor<64x64xf32>`

    Errors: shapes that do not chain; weights and values of different element types; an accumulator that is not f32.
  }];
  let arguments = (ins Tile_Tensor:$weights, Tile_Tensor:$visible, Tile_Tensor:$values, Tile_Tensor:$acc);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $weights `,` $visible `,` $values `,` $acc attr-dict
    `:` type($weights) `,` type($visible) `,` type($values) `,` type($acc)
  }];
  let hasVerifier = 1;
}

def ReduceOp : TileOp<"reduce", [Pure]> {
  let summary = "Combines the elements along one dimension";
  let description = [{
    Preconditions: the extent of `dim` is at least 1. Postcondition: the sum, maximum or minimum along `dim`; a NaN wins
    over everything, and +0 is greater than -0. Reducing rank 1 gives a scalar. Elements of f16 and bf16 are added in f32, and
    the sum is rounded once. The order of a sum is fixed by the layout, hence the same on every run.

    Example: `%m = tile.reduce max %s, 1 : tensor<128x64xf32> -> tensor<128xf32>`

    Errors: `dim` outside the rank; an extent of 0; a result that does not have the remaining shape.
  }];
  let arguments = (ins ReduceKind:$kind, Tile_Tensor:$source, I64Attr:$dim);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kind $source `,` $dim attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ExpandOp : TileOp<"expand", [Pure]> {
  let summary = "Inserts a dimension of extent one";
  let description = [{
    Preconditions: none. Postcondition: the same elements in the same order, in a shape with a 1 at `dim`.

    Example: `%c = tile.expand %m, 1 : tensor<128xf32> -> tensor<128x1xf32>`

    Errors: `dim` outside 0..rank; a result of another shape.
  }];
  let arguments = (ins Tile_Tensor:$source, I64Attr:$dim);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source `,` $dim attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def BroadcastOp : TileOp<"broadcast", [Pure]> {
  let summary = "Repeats dimensions of extent one";
  let description = [{
    Preconditions: none. Postcondition: element (i, j) is the source's element (i, j), with 0 for each index whose extent
    is one in the source.

    Example: `%b = tile.broadcast %c : tensor<128x1xf32> -> tensor<128x64xf32>`

    Errors: a dimension that is neither 1 nor the result's.
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TransposeOp : TileOp<"transpose", [Pure]> {
  let summary = "Exchanges the two dimensions of a tile";
  let description = [{
    Preconditions: none. Postcondition: element (i, j) is the source's element (j, i). Of a buffer, a view of the same
    storage.

    Example: `%kt = tile.transpose %k : tensor<64x128xf16> -> tensor<128x64xf16>`

    Errors: a rank other than two; a result of another shape.
  }];
  let arguments = (ins Tile_TensorOrBuffer:$source);
  let results = (outs Tile_TensorOrBuffer:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def IotaOp : TileOp<"iota", [Pure]> {
  let summary = "0, 1, 2, ...";
  let description = [{
    Preconditions: none. Postcondition: element i is i.

    Example: `%i = tile.iota : tensor<128xi32>`

    Errors: a rank other than one; elements other than i32.
  }];
  let results = (outs Tile_Positions:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def SplatOp : TileOp<"splat", [Pure]> {
  let summary = "A tile whose elements are all one scalar";
  let description = [{
    Preconditions: none. Postcondition: every element is the scalar.

    Example: `%t = tile.splat %x : f32 -> tensor<128x64xf32>`

    Errors: a scalar of another element type.
  }];
  let arguments = (ins AnyType:$scalar);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$scalar attr-dict `:` type($scalar) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def AnyOp : TileOp<"any", [Pure]> {
  let summary = "Whether any element is true";
  let description = [{
    Preconditions: none. Postcondition: one answer for the whole instance, so that every thread takes the same branch on it.

    Example: `%bad = tile.any %nonfinite : tensor<128x64xi1>`

    Errors: an element type other than i1.
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs I1:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
