#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cases of micro-kernels on a GPU and keeps what they give, for the simulator to be compared with.

Two steps, since the machine with the compiler may have no GPU and the one with the GPU no compiler:

  record_micro_kernels.py compile --to build/ptx [--tool build/bin/tilefold-base-opt] [FILE.mlir ...]
  record_micro_kernels.py record --ptx build/ptx --to test/Simulator/recorded [FILE.mlir ...]

Files are those of test/Simulator/kernels if none are named. The first step writes NAME.ptx and NAME.kernels.json for each
NAME.mlir, and prints what ptxas has to say if there is one. The second writes NAME.json. Both formats, of cases and of
recordings, are described in codegen/Simulator/Case.h. Every case runs twice, and its outputs must be the same bits.

Python and the driver's library are enough on the machine with the GPU.
"""
import argparse
import base64
import ctypes
import json
import math
import multiprocessing
import os
import re
import shutil
import struct
import subprocess
import sys

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KERNELS = os.path.join(REPOSITORY, "test", "Simulator", "kernels")
SECONDS = 30  # a file's cases take a few seconds; a hang is a kernel that waits for ever


# ------------------------------------------------------------------------------------------------------------------- files
def stem(path):
    return os.path.splitext(os.path.basename(path))[0]


def all_files():
    return sorted(os.path.join(KERNELS, name) for name in os.listdir(KERNELS) if name.endswith((".mlir", ".cases.json")))


def cases_of(path):
    """The cases of a file: its CASE lines, or for a file of cases all of it."""
    with open(path) as file:
        text = file.read()
    if path.endswith(".mlir"):
        text = "\n".join(line[len("// CASE:"):] for line in text.splitlines() if line.startswith("// CASE:"))
    decoder, cases, at = json.JSONDecoder(), [], 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        cases += value if isinstance(value, list) else [value]
    for n, case in enumerate(cases):
        case.setdefault("name", str(n + 1))
    return cases


def kernels_of(text):
    """Name, threads and shared memory of each kernel in base IR."""
    kernels = {}
    for match in re.finditer(r"gpu\.func @(\w+)\((.*?)\{\n", text, re.S):
        header = match.group(2)
        threads = re.search(r"known_block_size = array<i32: (\d+)", header)
        shared = re.search(r"tilefold\.shared_bytes = (\d+)", header)
        kernels[match.group(1)] = {"block": int(threads.group(1)) if threads else 32,
                                   "shared": int(shared.group(1)) if shared else 0}
    return kernels


def source_of(path):
    """Base IR of a file: of NAME.cases.json that which its "script" writes."""
    if path.endswith(".mlir"):
        with open(path) as file:
            return file.read()
    name, *arguments = cases_of(path)[0]["script"]
    command = [sys.executable, os.path.join(KERNELS, name), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compile_files(options):
    os.makedirs(options.to, exist_ok=True)
    ptxas = shutil.which("ptxas", path=os.environ.get("PATH", "") + ":/usr/local/cuda/bin")
    for path in options.files:
        name = stem(path).removesuffix(".cases")
        source = source_of(path)
        with open(os.path.join(options.to, name + ".kernels.json"), "w") as file:
            json.dump(kernels_of(source), file)
        ptx = os.path.join(options.to, name + ".ptx")
        chip = cases_of(path)[0].get("target", "sm_90a")
        command = [options.tool, "--emit-ptx", "--no-lines", "--chip=" + chip, "-o", ptx]
        subprocess.run(command, input=source, check=True, text=True)
        if ptxas:
            subprocess.run([ptxas, "-arch=" + chip, ptx, "-o", os.devnull], check=True)


# ------------------------------------------------------------------------------------------------------------------ inputs
def mix(z):
    """splitmix64's output function."""
    low = (1 << 64) - 1
    z = (z + 0x9E3779B97F4A7C15) & low
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & low
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & low
    return z ^ z >> 31


FORMATS = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "f16": "e", "bf16": None, "i32": "i", "u32": "I", "f32": "f",
           "i64": "q", "u64": "Q", "f64": "d"}
BYTES = {type: struct.calcsize(format) if format else 2 for type, format in FORMATS.items()}


def encode(values, type):
    """Numbers to the bytes of their type, rounded to nearest even."""
    if type == "bf16":  # to eight bits of significand first, so that nothing is rounded twice
        rounded = (math.ldexp(round(significand * 256), exponent - 8) for significand, exponent in map(math.frexp, values))
        return b"".join(struct.pack("<f", value)[2:] for value in rounded)
    return struct.pack(f"<{len(values)}{FORMATS[type]}", *values)


def elements(argument, type):
    if "values" in argument:
        def one(value):
            if isinstance(value, str) and value.startswith("0x"):
                return int(value, 16).to_bytes(BYTES[type], "little")
            return encode([float(value) if isinstance(value, str) else value], type)
        return b"".join(map(one, argument["values"]))
    count = argument["count"]
    if "fill" in argument:
        return encode([argument["fill"]], type) * count
    if "iota" in argument:
        start, step = argument["iota"]
        return encode([start + n * step for n in range(count)], type)
    random = [mix(argument.get("seed", 0) + n) for n in range(count)]
    if "integers" in argument:
        low, high = argument["integers"]
        return encode([low + number % (high - low + 1) for number in random], type)
    low, high = argument["uniform"]
    return encode([low + (number >> 40) * 2.0**-24 * (high - low) for number in random], type)


# -------------------------------------------------------------------------------------------------------------- the driver
class Driver:
    """The calls of libcuda that are needed."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, device)
        self.name = name.value.decode()

    def call(self, function, *arguments):
        status = getattr(self.library, function)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(status, ctypes.byref(text))
            raise RuntimeError(f"{function}: {(text.value or b'error ' + str(status).encode()).decode()}")

    def load(self, ptx):
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), ptx)
        return module

    def upload(self, data):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(len(data)))
        self.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
        return address

    def download(self, address, count):
        data = ctypes.create_string_buffer(count)
        self.call("cuMemcpyDtoH_v2", data, address, ctypes.c_size_t(count))
        return data.raw

    def tensor_map(self, address, type, argument):
        kinds = {"u8": 0, "i8": 0, "u16": 1, "i16": 1, "u32": 2, "i32": 3, "u64": 4, "i64": 5, "f16": 6, "f32": 7, "f64": 8,
                 "bf16": 9}
        dims, box = argument["dims"], argument["box"]
        strides = argument.get("strides")
        if strides is None:
            strides, bytes = [], BYTES[type]
            for extent in dims[:-1]:
                bytes *= extent
                strides.append(bytes)
        swizzle = {0: 0, 32: 1, 64: 2, 128: 3}[argument.get("swizzle", 0)]
        storage = ctypes.create_string_buffer(128 + 64)
        at = (ctypes.addressof(storage) + 63) // 64 * 64
        u64, u32 = (lambda v: (ctypes.c_uint64 * max(1, len(v)))(*v)), (lambda v: (ctypes.c_uint32 * len(v))(*v))
        base = ctypes.c_void_p(address.value + argument.get("offset", 0))
        self.call("cuTensorMapEncodeTiled", ctypes.c_void_p(at), kinds[type], len(dims), base, u64(dims), u64(strides),
                  u32(box), u32([1] * len(dims)), 0, swizzle, 0, 0)
        return storage, at

    def launch(self, module, kernel, grid, block, shared, parameters):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, kernel.encode())
        self.call("cuFuncSetAttribute", function, 8, shared)  # the most dynamic shared memory
        pointers = (ctypes.c_void_p * max(1, len(parameters)))(*parameters)
        self.call("cuLaunchKernel", function, grid, 1, 1, block, 1, 1, shared, None, pointers, None)
        self.call("cuCtxSynchronize")

    def version(self):
        try:
            with open("/proc/driver/nvidia/version") as file:
                return re.search(r"\b\d+\.\d+(\.\d+)?\b", file.read()).group(0)
        except (OSError, AttributeError):
            number = ctypes.c_int()
            self.call("cuDriverGetVersion", ctypes.byref(number))
            return f"CUDA {number.value // 1000}.{number.value % 1000 // 10}"


def run_case(driver, module, kernels, case):
    """The bytes of each output, by the array's name."""
    kernel = case.get("kernel") or next(iter(kernels))
    arguments = case["arguments"]
    arrays, keep, places = {}, [], []
    for n, argument in enumerate(arguments):
        for kind in ("in", "inout", "out"):
            if kind in argument:
                type = argument[kind]
                data = elements(argument, type) if kind != "out" else b"\xff" * (argument["count"] * BYTES[type])
                name = argument.get("name", f"argument {n}")
                arrays[name] = arrays[n] = (driver.upload(data), type, len(data), kind, name)
    for n, argument in enumerate(arguments):
        if n in arrays:
            value = arrays[n][0]
        elif "map" in argument:
            address, type, *_ = arrays[argument["map"]]
            storage, at = driver.tensor_map(address, type, argument)
            keep.append(storage)
            places.append(at)
            continue
        else:
            type, number = next(item for item in argument.items() if item[0] in ("i32", "i64", "f32"))
            value = {"i32": ctypes.c_int32, "i64": ctypes.c_int64, "f32": ctypes.c_float}[type](number)
        keep.append(value)
        places.append(ctypes.addressof(value))
    driver.launch(module, kernel, case.get("grid", 1), case.get("block", kernels[kernel]["block"]),
                  case.get("shared", kernels[kernel]["shared"]), places)
    return {name: driver.download(address, count) for key, (address, _, count, kind, name) in arrays.items()
            if isinstance(key, int) and kind != "in"}


def record_file(path, options, queue):
    """In a process of its own: a kernel that fails takes the context with it."""
    try:
        name = stem(path).removesuffix(".cases")
        driver = Driver()
        with open(os.path.join(options.ptx, name + ".ptx"), "rb") as file:
            module = driver.load(file.read() + b"\0")
        with open(os.path.join(options.ptx, name + ".kernels.json")) as file:
            kernels = json.load(file)
        recorded = {}
        for case in cases_of(path):
            try:
                outputs = run_case(driver, module, kernels, case)
                again = run_case(driver, module, kernels, case)
            except RuntimeError as error:
                raise RuntimeError(f"case '{case['name']}': {error}") from error
            if outputs != again:
                raise RuntimeError(f"case '{case['name']}' gives other bits when run again")
            recorded[case["name"]] = {"outputs": {key: base64.b64encode(data).decode() for key, data in outputs.items()}}
        result = {"device": driver.name, "driver": driver.version(), "commit": options.commit,
                  "command": f"scripts/record_micro_kernels.py record {name}", "cases": recorded}
        with open(os.path.join(options.to, name + ".json"), "w") as file:
            json.dump(result, file, indent=1)
            file.write("\n")
        queue.put(f"{name}: {len(recorded)} cases")
    except Exception as error:  # whatever it was, it concerns this file only
        queue.put(f"{stem(path)}: error: {error}")


def record_files(options):
    os.makedirs(options.to, exist_ok=True)
    bad = 0
    for path in options.files:
        queue = multiprocessing.Queue()
        process = multiprocessing.Process(target=record_file, args=(path, options, queue))
        process.start()
        try:
            message = queue.get(timeout=SECONDS)
        except Exception:
            message = f"{stem(path)}: error: no answer after {SECONDS} seconds"
            process.kill()
        process.join(10)
        print(message, flush=True)
        bad += ": error: " in message
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    step = steps.add_parser("compile", help="base IR to PTX")
    step.add_argument("--to", required=True, help="folder for PTX")
    step.add_argument("--tool", default=os.path.join(REPOSITORY, "build", "bin", "tilefold-base-opt"))
    step = steps.add_parser("record", help="PTX on the GPU, outputs to files")
    step.add_argument("--ptx", required=True, help="folder of the first step")
    step.add_argument("--to", required=True, help="folder for recordings")
    step.add_argument("--commit", default="unknown", help="of the sources, for the record")
    for step in steps.choices.values():
        step.add_argument("files", nargs="*")
    options = parser.parse_args()
    options.files = options.files or all_files()
    return compile_files(options) if options.step == "compile" else record_files(options)


if __name__ == "__main__":
    sys.exit(main())
