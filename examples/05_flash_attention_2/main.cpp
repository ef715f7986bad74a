// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/attention_programs.h"

int main(int argc, char **argv) { return tilefold::tool(argc, argv, {tilefold::fa2()}); }
