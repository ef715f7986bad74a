// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilefold: the attention programs of the examples behind one command line.
#include "codegen/Tool/tool.h"
#include "examples/attention_programs.h"

int main(int argc, char **argv) { return tilefold::tool(argc, argv, tilefold::attention_programs()); }
