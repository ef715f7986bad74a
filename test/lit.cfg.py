# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How lit runs the text tests: tools of this build first, then LLVM's FileCheck and not."""
import glob
import os
import shutil

import lit.formats

config.name = "Tilefold"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Runtime", "Support", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tilefold_build, "test")

# Without CUDA variables: the compiler must not need a toolkit, and a test must not find one by accident.
for name in list(config.environment):
    if name.startswith("CUDA_"):
        del config.environment[name]
config.environment["PATH"] = os.pathsep.join([config.tilefold_bin, config.llvm_tools_dir, os.environ.get("PATH", "")])

config.substitutions.append(("%source", config.tilefold_source))
config.substitutions.append(("%examples", os.path.join(config.tilefold_source, "examples")))

# `REQUIRES: ptxas` and `REQUIRES: tilefold-opt` (any tool of build/bin, by its name).
for tool in glob.glob(os.path.join(config.tilefold_bin, "*")):
    config.available_features.add(os.path.basename(tool))
ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
