#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every program's generated code on the simulator: right by fp64, and nothing found.

    run_programs.py TILEFOLD TILEFOLD_VARIANTS

Each case is one `run ... --on simulator --check` of the programs, or of those with a variant. A negative scale breaks a guard
of the fast alternative, so it runs the general one. Some cases run a hundred orders of events, which must all give the same
bits.
"""
import argparse
import concurrent.futures
import itertools
import os
import subprocess
import sys

PROGRAMS = ("fa1", "fa1-rows", "fa2", "decode")
# B, Hq/Hkv, Sq, Sk, D: whole blocks; ragged, grouped; more keys than queries and fewer; one key; none.
SHAPES = ("1,1/1,128,128,64", "1,2/1,70,131,64", "1,3/1,5,200,32", "2,1/1,130,65,80", "1,1/1,17,1,128", "1,2/2,9,0,64")
# Head dims that tiles do not have: rows of whole 16-byte chunks, and (33) of none.
HEAD_DIMS = (72, 88, 120, 33)
# C14: two stretches of keys, of one split too.
LONG_ROWS = ("fa1", "fa1-rows --causal", "fa2", "decode", "decode --splits 1")
DECODE = ("1,4/2,1,700,64 --splits 3", "2,8/1,1,260,128 --splits 128", "1,5/1,2,129,96")


def cases():
    # The code is the same for both targets, as yet; each runs all of it, in one type and with one mask.
    for program, shape in itertools.product(PROGRAMS, SHAPES):
        yield f"{program} --random {shape} --target sm_80"
        yield f"{program} --random {shape} --target sm_90 --causal --dtype bf16 --completion random"
    for shape in DECODE:
        yield f"decode --random {shape}"
        yield f"decode --random {shape} --causal --completion random"
    for program in PROGRAMS:
        yield f"{program} --random 1,2/1,70,131,64 --scale -0.1"
        yield f"{program} --random 1,2/1,70,131,64 --scale -0.1 --causal --completion random"
        for head_dim in (96, 256):
            yield f"{program} --random 1,1/1,40,75,{head_dim}"
        shape = "1,4/2,1,300,64" if program == "decode" else "1,2/1,70,131,64"
        yield f"{program} --random {shape} --seeds 100 --completion random"
        yield f"{program} --random {shape} --seeds 100 --causal --dtype bf16"
    for program, head_dim in itertools.product(PROGRAMS, HEAD_DIMS):
        yield f"{program} --random 1,2/1,20,40,{head_dim}"
        yield f"{program} --random 1,2/1,20,40,{head_dim} --causal --dtype bf16 --completion random"
    for program in LONG_ROWS:
        yield f"{program} --random 1,1/1,5,66000,32"


def variant_cases(programs):
    """Two key blocks, the second of one key (A18: what a softcap makes of padding); fewer queries than keys; the other way."""
    for program in programs:
        if program.endswith("-with-huge_bias"):
            continue  # the rounding of a log-sum of 1e38 is beyond what --check allows
        queries = 4 if program.startswith("decode") else 70
        yield f"{program} --random 1,4/2,{queries},65,64"
        yield f"{program} --random 1,4/1,{queries},131,128 --causal --dtype bf16 --completion random --target sm_90"
        yield f"{program} --random 1,4/2,40,37,64 --scale -0.1 --completion random"
    # G14: two products in a chain, of one fragment each.
    yield "fa2-with-small_blocks --random 1,4/2,16,16,16"
    yield "fa2-with-small_blocks --random 1,4/2,70,131,16 --causal --dtype bf16"


def run(case):
    command = [*case, "--on", "simulator", "--check", "--threads", "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    return command, done


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tilefold")
    parser.add_argument("variants")
    options = parser.parse_args()
    listed = subprocess.run([options.variants, "list"], capture_output=True, text=True, check=True).stdout.split()
    work = [[options.tilefold, "run", *case.split()] for case in cases()]
    work += [[options.variants, "run", *case.split()] for case in variant_cases(listed)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for command, done in pool.map(run, work):
            if done.returncode:
                failed += 1
                print(f"FAILED ({done.returncode}): {' '.join(command)}\n{done.stdout}{done.stderr}")
    print(f"{len(work) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
