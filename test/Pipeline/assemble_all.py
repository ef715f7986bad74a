#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every program x head dimension x element type x mask to PTX and assembles it.

A spilled register, a C75xx message of ptxas or a failure to compile is an error. Prints one line per
kernel, and how long each compilation took. Exits with 77 (skipped, for ctest) where there is no ptxas.
"""
import argparse
import concurrent.futures
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAMS = ["fa1", "fa1-rows", "fa2", "decode"]
HEAD_DIMS = [32, 64, 80, 96, 128, 256]
DTYPES = ["f16", "bf16"]


def find_ptxas():
    chosen = os.environ.get("TILEFOLD_PTXAS")
    return chosen or shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")


def kernels_of(report):
    """(name, registers, bytes spilled) of each kernel in the output of ptxas -v."""
    result = []
    for part in re.split(r"Compiling entry function", report)[1:]:
        name = re.search(r"'([^']+)'", part).group(1)
        registers = int(re.search(r"Used (\d+) registers", part).group(1))
        spills = sum(int(n) for n in re.findall(r"(\d+) bytes spill", part))
        result.append((name, registers, spills))
    return result


def check(options, ptxas, folder, configuration):
    """Lines to print and the errors of one configuration."""
    program, head_dim, dtype, causal = configuration
    label = f"{program} d{head_dim} {dtype}{' causal' if causal else ''}"
    stem = os.path.join(folder, label.replace(" ", "_"))
    command = [options.tilefold, "compile", program, "--head-dim", str(head_dim), "--dtype", dtype, "--target", options.target,
               "--emit", "ptx", "--out", stem + ".ptx"] + (["--causal"] if causal else [])
    start = time.monotonic()
    compiled = subprocess.run(command, capture_output=True, text=True)
    seconds = time.monotonic() - start
    if compiled.returncode:
        return [f"{label}: does not compile\n{compiled.stderr.strip()}"], [label]
    assembled = subprocess.run([ptxas, "-v", f"-arch={options.arch}", stem + ".ptx", "-o", stem + ".cubin"],
                               capture_output=True, text=True)
    report = assembled.stdout + assembled.stderr
    if assembled.returncode:
        return [f"{label}: does not assemble\n{report.strip()}"], [label]
    lines, errors = [], []
    for message in re.findall(r".*C75\d\d.*|.*Potential Performance Loss.*", report):
        lines.append(f"{label}: {message.strip()}")
        errors.append(label)
    for name, registers, spills in kernels_of(report):
        lines.append(f"{label}: {name}: {registers} registers, {spills} bytes spilled, {seconds:.2f} s")
        if spills:
            errors.append(f"{label} {name}")
    return lines, errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilefold", required=True, help="the command-line tool")
    parser.add_argument("--target", default="sm_80", help="what PTX is made for")
    parser.add_argument("--arch", default="sm_90", help="what ptxas assembles for")
    parser.add_argument("--only", nargs="*", default=PROGRAMS, choices=PROGRAMS, help="programs")
    parser.add_argument("--head-dims", nargs="*", type=int, default=HEAD_DIMS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    ptxas = find_ptxas()
    if not ptxas:
        print("skipped: no ptxas")
        return 77
    errors = []
    work = list(itertools.product(options.only, options.head_dims, DTYPES, [False, True]))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for lines, bad in pool.map(lambda configuration: check(options, ptxas, folder, configuration), work):
            print("\n".join(lines), flush=True)
            errors += bad
    print(f"{len(work)} configurations, {len(errors)} errors" + "".join(f"\n  {error}" for error in errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
