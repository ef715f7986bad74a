#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tanh as it is lowered for GPUs, on the simulator: a relative error of at most 2^-20, for every f16 times some scales.

    tanh_accuracy.py TILEFOLD_VARIANTS
"""
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

LIMIT = 2.0**-20
# Numbers between those of f16, and those at which the lowering changes from a polynomial to exponentials, whatever they are.
SCALES = (1.0, -1.0009765625, 0.71875, 1.3330078125)


def write(path, name, dtype, values):
    data = struct.pack(f"<{len(values)}e", *values)
    header = json.dumps({name: {"dtype": dtype, "shape": [len(values)], "data_offsets": [0, len(data)]}}).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + data)


def read(path, name):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    begin, end = header[name]["data_offsets"]
    assert header[name]["dtype"] == "F32", header[name]
    return struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])


def main():
    bits = list(range(0x0000, 0x7C00)) + list(range(0x8000, 0xFC00))  # all that are finite
    x = struct.unpack(f"<{len(bits)}e", struct.pack(f"<{len(bits)}H", *bits))
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "x.safetensors"), os.path.join(folder, "y.safetensors")
        write(source, "x", "F16", x)
        for scale in SCALES:
            subprocess.run([sys.argv[1], "run", "tanh", "--in", source, "--out", target, "--scalar", f"scale={scale}", "--on", "simulator"],
                           check=True)
            worst, where = 0.0, 0.0
            for value, result in zip(x, read(target, "y"), strict=True):
                expected = math.tanh(value * scale)  # exact in f64, and rounded once in f32: up to 2^-24 more
                error = abs(result - expected) / abs(expected) if expected else abs(result)
                if not error <= worst:
                    worst, where = error, value
            print(f"scale {scale}: relative error {worst:.3g} = 2^{math.log2(worst):.2f}, at x = {where}, limit 2^-20")
            failed |= not worst <= LIMIT
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
