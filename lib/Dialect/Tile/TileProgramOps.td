// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEFOLD_TILE_PROGRAM_OPS_TD
#define TILEFOLD_TILE_PROGRAM_OPS_TD

include "lib/Dialect/Tile/TileOpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"

class TileFunctionOp<string opMnemonic> : TileOp<opMnemonic, [FunctionOpInterface, IsolatedFromAbove, Symbol]> {
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::TypeRange":$inputs)>];
  code functionDeclarations = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    /// The public name of argument `index`, which launches and errors speak of; empty if it has none.
    ::llvm::StringRef getArgumentName(unsigned index);
    /// "input", "output", "inout", "workspace" or "scalar".
    ::llvm::StringRef getArgumentRole(unsigned index);
    /// Appends an argument with its name and role; returns the new block argument.
    ::mlir::BlockArgument addArgument(::mlir::Type type, ::llvm::StringRef name, ::llvm::StringRef role, ::mlir::Location loc);
  }];
  let extraClassDeclaration = functionDeclarations;
}

def ProgramOp : TileFunctionOp<"program"> {
  let summary = "The host side of a program: formulas, checks, workspaces and launches";
  let description = [{
    Preconditions: arguments are views, f32 or i32; each carries `tile.name`, and `tile.role`: input, output or inout of a
    view, scalar of a scalar, which may have a `tile.default`. The body is one block of pure i64 arithmetic, `tile.require`,
    `tile.shape`, `tile.workspace` and `tile.launch`, ended by `tile.return`. No workspace has the name of an argument or of
    another workspace. Formulas are as small as artifacts can hold them (lib/Dialect/Tile/Formulas.h).

    Postconditions: a call checks its arguments first, then makes the workspaces, then launches in the order of the text;
    if a check fails, nothing has been launched. The interpreter runs a program, `explain` reads it, and the manifest of an
    artifact is its translation.

    Example:

    ```mlir
    tile.program @scale(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input"},
                        %y: !tile.view<1xf32> {tile.name = "y", tile.role = "output"}) {
      %n = tile.size %x, 0 : !tile.view<1xf32> -> i64
      %c128 = arith.constant 128 : i64
      %c1 = arith.constant 1 : i64
      %blocks = arith.ceildivsi %n, %c128 : i64
      tile.launch @scale_kernel grid(%blocks, %c1, %c1) (%x, %y) : !tile.view<1xf32>, !tile.view<1xf32>
      tile.return
    }
    ```

    Errors: an argument of another type, without `tile.name` or with a role that its type does not have; a name given twice;
    an operation that has no host formula; a formula that is nested too deeply or too large, or formulas that are together; a
    requirement on an argument that there is not; a body of several blocks.
  }];
}

def KernelOp : TileFunctionOp<"kernel"> {
  let summary = "What one program instance computes";
  let description = [{
    Preconditions: arguments are views, f32 or i32 and mirror the operands of its launches (host i64 values arrive as i32).
    The body is one block ended by `tile.return`. Views are arguments, or taken from them by `tile.slice` and `tile.narrow`.
    `schedule`, if present, says how many warps run an instance and how deep its copy ring is.

    Postconditions: each instance of a launch runs the body once, with its own `tile.program_id`. Instances run in any order
    and at the same time; none sees what another one of the launch stores.

    Example:

    ```mlir
    tile.kernel @scale_kernel(%x: !tile.view<1xf32>, %y: !tile.view<1xf32>) {
      %i = tile.program_id 0
      %c128 = arith.constant 128 : i32
      %first = arith.muli %i, %c128 : i32
      %t = tile.load %x [%first] : !tile.view<1xf32> -> tensor<128xf32>
      %twice = arith.addf %t, %t : tensor<128xf32>
      tile.store %twice, %y [%first] : tensor<128xf32>, !tile.view<1xf32>
      tile.return
    }
    ```

    Errors: an argument of a type that no launch can pass; a body of several blocks; a view that another operation gives; a loop
    whose constant step is not positive.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
                       OptionalAttr<ScheduleAttr>:$schedule);
}

def ReturnOp : TileOp<"return", [Pure, Terminator, ParentOneOf<["ProgramOp", "KernelOp"]>]> {
  let summary = "Ends a program or a kernel";
  let description = [{
    Preconditions: it is the last operation of a program or a kernel. Postconditions: none.

    Example: `tile.return`

    Errors: an operation that is neither a program nor a kernel around it.
  }];
  let assemblyFormat = "attr-dict";
}

def SizeOp : TileOp<"size", [Pure]> {
  let summary = "An extent of a view";
  let description = [{
    Preconditions: none. Postcondition: the number of elements of dimension `dim`; i32 in a kernel, i64 in a program.

    Example: `%n = tile.size %k, 2 : !tile.view<4xf16> -> i32`

    Errors: `dim` outside the view's rank.
  }];
  let arguments = (ins Tile_View:$view, I64Attr:$dim);
  let results = (outs AnyTypeOf<[I32, I64]>:$result);
  let assemblyFormat = "$view `,` $dim attr-dict `:` qualified(type($view)) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def StrideOp : TileOp<"stride", [Pure]> {
  let summary = "A stride of a view, in elements";
  let description = [{
    Preconditions: none. Postcondition: the distance of neighbours along `dim`, in elements; may be 0 or negative.

    Example: `%s = tile.stride %k, 2 : !tile.view<4xf16>`

    Errors: `dim` outside the view's rank.
  }];
  let arguments = (ins Tile_View:$view, I64Attr:$dim);
  let results = (outs I64:$result);
  let assemblyFormat = "$view `,` $dim attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def DevicePropertyOp : TileOp<"device_property", [Pure]> {
  let summary = "A property of the device that a program is launched on";
  let description = [{
    Preconditions: none. Postcondition: `multiprocessor_count`, the only property so far: the number of SMs. The interpreter
    answers 1.

    Example: `%sms = tile.device_property "multiprocessor_count"`

    Errors: an unknown property.
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs I64:$result);
  let assemblyFormat = "$name attr-dict";
  let hasVerifier = 1;
}

def ShapeOp : TileOp<"shape", [HasParent<"ProgramOp">]> {
  let summary = "States the shape that an argument must have";
  let description = [{
    Preconditions: the extents do not depend on the argument's own sizes. Postcondition: a call whose argument has another
    shape fails before anything is launched; tools allocate outputs by it.

    Example: `tile.shape %lse [%b, %h, %n] : !tile.view<3xf32>`

    Errors: as many extents as the view has dimensions are required; a constant extent that is negative.
  }];
  let arguments = (ins Tile_View:$view, Variadic<I64>:$extents);
  let assemblyFormat = "$view `[` $extents `]` attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
}

def RequireOp : TileOp<"require", [HasParent<"ProgramOp">]> {
  let summary = "An argument check";
  let description = [{
    Preconditions: `argument` is one of the program's. Postcondition: if `condition` is false the call fails before anything is
    launched; the error names `argument` and says what was `expected`, where `{0}`, `{1}`, ... stand for `values`.

    Example: `tile.require %ok, "k", "heads that divide q's {0}, got {1}" (%hq, %hkv)`

    Errors: a condition that is not i1; values that are not i64; an argument that the program does not have.
  }];
  let arguments = (ins I1:$condition, StrAttr:$argument, StrAttr:$expected, Variadic<I64>:$values);
  let assemblyFormat = "$condition `,` $argument `,` $expected (`(` $values^ `)`)? attr-dict";
  let hasCanonicalizer = 1;
}

def WorkspaceOp : TileOp<"workspace", [HasParent<"ProgramOp">]> {
  let summary = "Scratch global memory that the caller provides";
  let description = [{
    Preconditions: the extents are not negative. Postcondition: contiguous, row-major, 256-byte aligned. `any`: contents are
    irrelevant. `zero_once`: zero before the first launch and left zero by every launch.

    Example: `%part = tile.workspace "partial_o" any [%b, %h, %splits, %d] : !tile.view<4xf32>`

    Errors: as many extents as the view has dimensions are required; a constant extent that is negative; the name of an
    argument or of another workspace.
  }];
  let arguments = (ins StrAttr:$name, WorkspaceInit:$init, Variadic<I64>:$extents);
  let results = (outs Tile_View:$view);
  let assemblyFormat = "$name $init `[` $extents `]` attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
}

def LaunchOp : TileOp<"launch", [HasParent<"ProgramOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Launches a kernel over a grid of instances";
  let description = [{
    Preconditions: the extents are not negative; an i64 operand binds to an i32 argument and must fit. Postcondition: launches
    run in program order; each sees what the earlier ones stored. A grid with a zero extent launches nothing. Operands bind
    to the kernel's arguments in order.

    Example: `tile.launch @combine grid(%rows, %c1, %c1) (%part, %o) : !tile.view<4xf32>, !tile.view<4xf16>`

    Errors: an unknown kernel; operands that do not match its arguments; a constant extent that is negative; an input of the
    program for an argument that the kernel stores to.
  }];
  let hasVerifier = 1;
  let arguments = (ins FlatSymbolRefAttr:$kernel, I64:$x, I64:$y, I64:$z, Variadic<AnyType>:$inputs);
  let assemblyFormat = [{
    $kernel `grid` `(` $x `,` $y `,` $z `)` `(` $inputs `)` attr-dict (`:` qualified(type($inputs))^)?
  }];
}

#endif
