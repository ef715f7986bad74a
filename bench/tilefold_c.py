# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C interface of the Tilefold runtime (runtime/tilefold.h) on PyTorch tensors, by ctypes."""
import ctypes as C
import json

import torch

_DTYPES = {torch.float16: 1, torch.bfloat16: 2, torch.float32: 3, torch.float64: 4, torch.int32: 9, torch.int64: 10}


class _Tensor(C.Structure):
    _fields_ = [("name", C.c_char_p), ("data", C.c_void_p), ("dtype", C.c_int), ("rank", C.c_int32),
                ("sizes", C.POINTER(C.c_int64)), ("strides", C.POINTER(C.c_int64))]


class _Scalar(C.Structure):
    _fields_ = [("name", C.c_char_p), ("dtype", C.c_int), ("floating", C.c_double), ("integer", C.c_int64)]


class _Arguments(C.Structure):
    _fields_ = [("tensors", C.POINTER(_Tensor)), ("tensor_count", C.c_size_t),
                ("scalars", C.POINTER(_Scalar)), ("scalar_count", C.c_size_t)]


class _Device(C.Structure):
    _fields_ = [("major", C.c_int32), ("minor", C.c_int32), ("multiprocessors", C.c_int32), ("max_shared", C.c_int32)]


class _Prepare(C.Structure):
    _fields_ = [("device", C.c_int), ("workspace", C.c_void_p), ("workspace_bytes", C.c_uint64)]


class Error(RuntimeError):
    pass


class Library:
    """libtilefold.so."""

    def __init__(self, path):
        self._lib = lib = C.CDLL(path)
        for name in ("last_error", "version"):
            getattr(lib, "tilefold_" + name).restype = C.c_char_p
        lib.tilefold_launch.argtypes = [C.c_void_p, C.c_void_p]
        lib.tilefold_workspace_init.argtypes = [C.c_void_p, C.c_void_p]
        lib.tilefold_free.argtypes = [C.c_void_p]
        lib.tilefold_artifact_destroy.argtypes = [C.c_void_p]
        lib.tilefold_call_destroy.argtypes = [C.c_void_p]
        self.version = lib.tilefold_version().decode()

    def check(self, status):
        if status:
            raise Error(self._lib.tilefold_last_error().decode())

    def text(self, function, *arguments):
        out = C.c_void_p()
        self.check(function(*arguments, C.byref(out)))
        text = C.string_at(out).decode()
        self._lib.tilefold_free(out)
        return text

    def device(self, ordinal=0):
        device = _Device()
        self.check(self._lib.tilefold_device_query(ordinal, C.byref(device)))
        return device


class Artifact:
    def __init__(self, library, path):
        self.library, self.path = library, path
        with open(path, "rb") as file:
            self.hash = file.read(40)[24:].hex()
        self._handle = C.c_void_p()
        library.check(library._lib.tilefold_artifact_open(path.encode(), C.byref(self._handle)))
        self.manifest = json.loads(library.text(library._lib.tilefold_artifact_json, self._handle, 0))
        self.scalars = {a["name"]: a["dtype"] for a in self.manifest["arguments"] if a["kind"] == "scalar"}

    def __del__(self):
        if getattr(self, "_handle", None):
            self.library._lib.tilefold_artifact_destroy(self._handle)

    def jit_log(self, device=0):
        return self.library.text(self.library._lib.tilefold_jit_log, self._handle, device)


class Call:
    """A prepared call; keeps its tensors and its workspace alive. `call()` launches on PyTorch's current stream."""

    def __init__(self, artifact, tensors, scalars=None):
        lib, self.artifact, self._tensors = artifact.library._lib, artifact, tensors
        device = artifact.library.device(next(iter(tensors.values())).device.index or 0)
        self._keep = []
        array = (_Tensor * len(tensors))()
        for slot, (name, t) in zip(array, tensors.items()):
            sizes, strides = (C.c_int64 * t.dim())(*t.shape), (C.c_int64 * t.dim())(*t.stride())
            self._keep += [sizes, strides]
            slot.name, slot.data, slot.dtype, slot.rank = name.encode(), t.data_ptr(), _DTYPES[t.dtype], t.dim()
            slot.sizes, slot.strides = sizes, strides
        given = {n: x for n, x in (scalars or {}).items() if x is not None}
        numbers = (_Scalar * max(1, len(given)))()
        for slot, (name, x) in zip(numbers, given.items()):
            slot.name, slot.dtype = name.encode(), {"f32": 3, "i32": 9, "i64": 10}[artifact.scalars[name]]
            slot.floating, slot.integer = float(x), int(x)
        arguments = _Arguments(array, len(tensors), numbers, len(given))
        check, bytes_needed = artifact.library.check, C.c_uint64()
        check(lib.tilefold_workspace_size(artifact._handle, C.byref(device), C.byref(arguments), C.byref(bytes_needed)))
        where = next(iter(tensors.values())).device
        # NaN in every float: what a kernel does not write before it reads shows.
        self.workspace = torch.full((max(256, bytes_needed.value),), 255, dtype=torch.uint8, device=where)
        self.plan = json.loads(artifact.library.text(lib.tilefold_plan_json, artifact._handle, C.byref(device), C.byref(arguments)))
        self._handle = C.c_void_p()
        check(lib.tilefold_call_create(C.byref(self._handle)))
        options = _Prepare(where.index or 0, self.workspace.data_ptr(), self.workspace.numel())
        check(lib.tilefold_prepare(artifact._handle, C.byref(arguments), C.byref(options), self._handle))
        check(lib.tilefold_workspace_init(self._handle, torch.cuda.current_stream().cuda_stream))
        self._launch = lib.tilefold_launch

    def __del__(self):
        if getattr(self, "_handle", None):
            self.artifact.library._lib.tilefold_call_destroy(self._handle)

    def __call__(self):
        status = self._launch(self._handle, torch.cuda.current_stream().cuda_stream)
        if status:
            self.artifact.library.check(status)
