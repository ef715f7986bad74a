#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: refuses.sh FILECHECK FILE COMMAND...
# The command must fail, and its errors must be those that the CHECK lines of FILE expect, and no others.
filecheck=$1 file=$2
shift 2
if output=$("$@" 2>&1); then
  echo "expected an error, but this succeeded: $*"
  exit 1
fi
printf '%s\n' "$output" | "$filecheck" --implicit-check-not=error: "$file"
