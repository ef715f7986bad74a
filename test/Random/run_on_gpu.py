#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs on a GPU: bit for bit what the interpreter made of them.

    tilefold-random write FOLDER FIRST LAST                   where they are compiled
    run_on_gpu.py --run PATH_OF_tilefold-run FOLDER           where the GPU is

Prints what differs and "N passed, N failed". Needs tilefold-run alone.
"""
import argparse
import concurrent.futures
import json
import pathlib
import struct
import subprocess
import sys


def read_tensors(path):
    """The raw elements of a safetensors file by name."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    return {name: data[8 + length + entry["data_offsets"][0] : 8 + length + entry["data_offsets"][1]] for name, entry in header.items()}


def run(tool, artifact):
    """What is wrong with a program; None if nothing is."""
    given, expected, out = (artifact.with_suffix(suffix) for suffix in (".in.safetensors", ".expected.safetensors", ".out.safetensors"))
    try:
        done = subprocess.run([tool, artifact, "--in", given, "--out", out], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "runs for more than 120 s"
    if done.returncode:
        return f"exit code {done.returncode}: {done.stderr.strip()[:300]}"
    wanted, got = read_tensors(expected), read_tensors(out)
    out.unlink()
    wrong = [name for name in wanted if got.get(name) != wanted[name]]
    return f"differs in {', '.join(wrong)}" if wrong else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--run", default="tilefold-run", help="the tool that runs artifacts")
    parser.add_argument("--jobs", type=int, default=8)
    options = parser.parse_args()
    artifacts = sorted(options.folder.glob("*.tfa"), key=lambda path: int(path.stem))
    if not artifacts:
        sys.exit(f"{options.folder}: expected artifacts of `tilefold-random write`, found none")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for artifact, wrong in zip(artifacts, pool.map(lambda a: run(options.run, a), artifacts)):
            if wrong:
                failed += 1
                print(f"seed {artifact.stem}: {wrong}", flush=True)
    print(f"{len(artifacts) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
