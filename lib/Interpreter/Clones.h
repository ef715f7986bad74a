// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// TILEFOLD_CLONES on a function compiles it for the vector units of newer CPUs too; the best one is chosen when the program
// is loaded. Contraction is off in this library, so that all versions give the same bits. (Sanitizers run before the choice
// can be made.)
#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&      \
    !defined(__SANITIZE_THREAD__)
#define TILEFOLD_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TILEFOLD_CLONES
#endif
