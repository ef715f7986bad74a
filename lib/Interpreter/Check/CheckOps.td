// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEFOLD_CHECK_OPS_TD
#define TILEFOLD_CHECK_OPS_TD

include "mlir/IR/OpBase.td"

def CheckDialect : Dialect {
  let name = "check";
  let cppNamespace = "::tilefold::check";
  let summary = "Assertions that the interpreter evaluates";
  let description = [{
    Operations that stand in a kernel beside what they check, so that the test of an operation is its operands, the
    operation, the expected value and a check. `tilefold-interpret` runs them; no lowering knows them.
  }];
}

class CheckOp<string opMnemonic> : Op<CheckDialect, opMnemonic, [SameTypeOperands]> {
  let arguments = (ins AnyType:$actual, AnyType:$expected);
}

def ExpectEqOp : CheckOp<"expect_eq"> {
  let summary = "Fails unless two values have the same bits";
  let description = [{
    Preconditions: both values have one type. Postcondition: where the bits of all elements agree, nothing happens; otherwise
    the run ends with an error that shows the first element that differs. Any NaN equals any other; +0 and -0 differ.

    Example: `check.expect_eq %sum, %expected : tensor<4xf32>`

    Errors: operands of different types.
  }];
  let assemblyFormat = "$actual `,` $expected attr-dict `:` type($actual)";
}

def ExpectAlmostEqOp : CheckOp<"expect_almost_eq"> {
  let summary = "Fails unless two values are close";
  let description = [{
    Preconditions: both values have one type. Postcondition: where all elements a, e satisfy |a - e| <= tolerance * max(1, |e|)
    and a NaN or an infinity stands where one is expected, nothing happens; otherwise the run ends with an error that shows the
    first element that does not.

    Example: `check.expect_almost_eq %exp, %expected within 1.0e-3 : tensor<4xf32>`

    Errors: operands of different types.
  }];
  let arguments = (ins AnyType:$actual, AnyType:$expected, DefaultValuedAttr<F64Attr, "1e-6">:$tolerance);
  let assemblyFormat = "$actual `,` $expected (`within` $tolerance^)? attr-dict `:` type($actual)";
}

#endif
