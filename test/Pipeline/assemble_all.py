#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every program x head dimension x element type x mask to PTX and assembles it for sm_90; some of them for the
other architectures too, and programs with variants for all of these.

The programs for reading, which ptxas takes longest for, are spared half of that unless --all is given: each type and each mask at
every head dimension, but each type with each mask at every other one.

A spilled register beyond KNOWN_SPILLS, a C75xx message of ptxas or a failure to compile is an error. Prints one line per
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
# Beside those that every test goes through. Of a head dim between multiples of 16 only loads and stores differ, which two programs show.
PADDED = {72: ["fa2", "decode"]}
FOR_READING = ["fa1", "fa1-rows"]
# Two pairs of type and mask, and the other two.
PAIRS = [[("f16", False), ("bf16", True)], [("f16", True), ("bf16", False)]]
# Fragments, swizzles and address arithmetic are the same for all head dims; what differs is how many registers there are.
OTHER_ARCHS = {("fa1", 256): ["sm_80"], ("fa1-rows", 128): ["sm_80"], ("fa2", 64): ["sm_80", "sm_89", "sm_120"],
               ("fa2", 128): ["sm_80"], ("fa2", 256): ["sm_80"], ("decode", 128): ["sm_80", "sm_120"]}
VARIANT_HEAD_DIMS = [64, 128]
# What spills today, as an upper bound in bytes, stores and loads together: (program, head dim, arch): bytes.
KNOWN_SPILLS = {
    # One number a thread, the distance between its query and a stretch's first key: kept outside of the loop over the stretch's blocks.
    ("fa2-with-softcap_alibi", 128, "sm_90"): 64,
    ("fa1-rows-with-softcap_alibi", 128, "sm_90"): 64,
    ("fa2-with-alibi", 128, "sm_90"): 64,
    ("fa2-with-distance", 128, "sm_90"): 64,
}


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
    tool, program, head_dim, dtype, causal, archs = configuration
    label = f"{program} d{head_dim} {dtype}{' causal' if causal else ''}"
    stem = os.path.join(folder, label.replace(" ", "_"))
    command = [tool, "compile", program, "--head-dim", str(head_dim), "--dtype", dtype, "--target", options.target,
               "--emit", "ptx", "--out", stem + ".ptx"] + (["--causal"] if causal else [])
    start = time.monotonic()
    compiled = subprocess.run(command, capture_output=True, text=True)
    seconds = time.monotonic() - start
    if compiled.returncode:
        return [f"{label}: does not compile\n{compiled.stderr.strip()}"], [label]
    lines, errors = [f"{label}: {seconds:.2f} s"], []
    for arch in archs:
        assembled = subprocess.run([ptxas, "-v", f"-arch={arch}", stem + ".ptx", "-o", stem + ".cubin"],
                                   capture_output=True, text=True)
        report = assembled.stdout + assembled.stderr
        if assembled.returncode:
            lines.append(f"{label} {arch}: does not assemble\n{report.strip()}")
            errors.append(f"{label} {arch}")
            continue
        for message in re.findall(r".*C75\d\d.*|.*Potential Performance Loss.*", report):
            lines.append(f"{label} {arch}: {message.strip()}")
            errors.append(f"{label} {arch}")
        for name, registers, spills in kernels_of(report):
            lines.append(f"{label} {arch}: {name}: {registers} registers, {spills} bytes spilled")
            if spills > KNOWN_SPILLS.get((program, head_dim, arch), 0):
                errors.append(f"{label} {arch} {name}: {spills} bytes spilled")
    return lines, errors


def words_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def configurations(options):
    """(tool, program, head dim, dtype, causal, architectures), the slowest first."""
    head_dims = options.head_dims or [*map(int, words_of(options.variants, "head-dims")), *PADDED]
    for (turn, head_dim), program in itertools.product(enumerate(sorted(head_dims, reverse=True)), options.only):
        if program not in PADDED.get(head_dim, PROGRAMS):
            continue
        spared = program in FOR_READING and not options.all
        first = (turn + PROGRAMS.index(program)) % 2
        for number, (dtype, causal) in enumerate(PAIRS[first] if spared else PAIRS[0] + PAIRS[1]):
            others = OTHER_ARCHS.get((program, head_dim), []) if number == 0 else []
            yield options.tilefold, program, head_dim, dtype, causal, [options.arch, *others]
    for head_dim, program in itertools.product(sorted(VARIANT_HEAD_DIMS, reverse=True), words_of(options.variants, "list")):
        if head_dim in head_dims and program.split("-with-")[0] in options.only:
            yield options.variants, program, head_dim, "f16", False, [options.arch]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilefold", required=True, help="the command-line tool")
    parser.add_argument("--variants", required=True, help="tilefold-variants, the tests' tool")
    parser.add_argument("--target", default="sm_80", help="what PTX is made for")
    parser.add_argument("--arch", default="sm_90", help="what ptxas assembles everything for")
    parser.add_argument("--only", nargs="*", default=PROGRAMS, choices=PROGRAMS, help="programs")
    parser.add_argument("--head-dims", nargs="*", type=int, help="default: those of the tests")
    parser.add_argument("--all", action="store_true", help="spare nothing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    ptxas = find_ptxas()
    if not ptxas:
        print("skipped: no ptxas")
        return 77
    errors = []
    work = list(configurations(options))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for lines, bad in pool.map(lambda configuration: check(options, ptxas, folder, configuration), work):
            print("\n".join(lines), flush=True)
            errors += bad
    print(f"{len(work)} configurations, {len(errors)} errors" + "".join(f"\n  {error}" for error in errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
