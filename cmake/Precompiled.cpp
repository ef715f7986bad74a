// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries a precompiled header; see Precompiled.h and PrecompiledTile.h.
