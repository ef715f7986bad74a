// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <string>

/// Parses and verifies a module and prints it again; the error's text if that fails. In a file of its own because this
/// needs the compiler's headers, and the tests of the language must not.
std::string round_trip(const std::string &text);
