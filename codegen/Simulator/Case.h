// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A case: one launch of one kernel of a base module with all that it takes and gives. `tilefold-simulate FILE.mlir` runs
// cases on the simulator; `scripts/record_micro_kernels.py` runs the same ones on a GPU and keeps the outputs.
//
// A case is a JSON object. It stands in the module's file, in lines that begin with `// CASE:`. What follows that prefix,
// all such lines of a file joined by newlines, is a sequence of JSON objects, each a case:
//
//   // RUN: tilefold-simulate %s | FileCheck %s
//   // CASE: {"block": 32, "arguments": [{"name": "x", "in": "f32", "iota": [0, 1], "count": 32},
//   // CASE:                             {"name": "y", "out": "f32", "count": 32}, {"i32": 7}]}
//   // CHECK: y = [0, 2, 4, 6,
//   gpu.module @m { gpu.func @double(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %n: i32) kernel { ... } }
//
// `--case FILE.json` reads cases from a file of their own instead (a sequence of objects, or one array of them).
//
// Keys of a case; all but `arguments` may be left out:
//   "name"       for messages and recordings; default "1", "2", ... by position
//   "kernel"     default: the only kernel of the module
//   "grid"       blocks along x, default 1
//   "block"      threads along x; default: the kernel's known_block_size, else 32
//   "cluster"    blocks of a cluster along x; default: the kernel's nvvm.cluster_dim, else 1
//   "shared"     bytes of dynamic shared memory; default: the kernel's tilefold.shared_bytes, else 0
//   "target"     the chip that a recorder compiles for, default "sm_90a"
//   "script"     what writes the module, where it is no file: for a recorder
//   "arguments"  one object for each parameter of the kernel, in order
//
// An argument is one of
//   {"i32": 7}, {"i64": 7}, {"f32": 0.5}      a scalar
//   {"in": TYPE, ELEMENTS}                    an array in global memory that the kernel only reads
//   {"inout": TYPE, ELEMENTS}                 one that it reads and writes; printed
//   {"out": TYPE, "count": N}                 one that it writes; filled with 0xff bytes; printed
//   {"map": ARRAY, ...}                       a tensor map of TMA over an array argument
// and an array or map may have a "name" (default "argument N", from 0).
//
// TYPE is one of i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64. ELEMENTS is one of
//   "values": [1, 2.5, "nan", "-inf", "0x7fc0"]    numbers, or bits in hexadecimal
//   "fill": 1.0, "count": N
//   "iota": [START, STEP], "count": N              START + n * STEP
//   "integers": [LOW, HIGH], "seed": S, "count": N LOW + mix(S + n) mod (HIGH - LOW + 1)
//   "uniform": [LOW, HIGH], "seed": S, "count": N  LOW + (mix(S + n) >> 40) * 2^-24 * (HIGH - LOW), in f64
//   "file": "raw.bin"                              little-endian elements; relative to the file of the case
// Numbers are rounded to TYPE to nearest even. n counts elements from 0, S is 0 if left out. mix is splitmix64's output
// function on 64 bits: z = x + 0x9e3779b97f4a7c15; z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
// z = (z ^ z >> 27) * 0x94d049bb133111eb; z ^ z >> 31.
//
// A map: "map" names the array (its "name", or its position as a number). "dims": extents in elements, innermost first;
// "strides": bytes from one element to the next of dims 1 and up, default dense; "box": extents of what one copy moves;
// "swizzle": 0 (default), 32, 64 or 128; "offset": bytes from the array's begin, default 0. Elements outside are zeros. The
// parameter is `!llvm.ptr {ptx.tensor_map}`, or `!llvm.ptr<1>`, a pointer to the map in global memory.
//
// Of an output: "row": N prints N elements a line (default: all in one), "hex": true prints bits, "show": false nothing,
// "file": "out.bin" (of an "out") writes the raw elements there too, under --out-dir. Against a recording the bits must
// agree, unless there is "within": X (absolute, f64 arithmetic) or "ulp": N (of TYPE).
//
// A recording is checked with `--recorded FILE.json`, which then prints one line for each case instead of the outputs:
//   {"device": "NVIDIA H200", "driver": "...", "commit": "...", "command": "...",
//    "cases": {NAME: {"outputs": {ARRAY: BYTES}}}}
// where BYTES are the raw little-endian elements in base64.
#pragma once
#include "codegen/Simulator/Machine/Kernel.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilefold::sim {

enum class ElementType { I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64 };
unsigned byteSize(ElementType type);

/// A tensor map over an array argument.
struct MapOptions {
  unsigned array = 0;                  ///< position of the argument
  std::vector<uint64_t> dims, strides; ///< innermost first; strides in bytes, of dims 1 and up
  std::vector<uint32_t> box;
  unsigned swizzle = 0;
  uint64_t offset = 0;
};

struct CaseArgument {
  enum class Kind { Scalar, In, InOut, Out, Map } kind = Kind::Scalar;
  std::string name;
  ElementType type = ElementType::I32;
  std::vector<uint8_t> bytes; ///< the scalar, or the elements
  MapOptions map;
  // How an output is shown and compared.
  unsigned row = 0;
  bool hex = false, show = true;
  std::string file;
  std::optional<double> within;
  std::optional<unsigned> ulp;

  bool isArray() const { return kind == Kind::In || kind == Kind::InOut || kind == Kind::Out; }
  bool isOutput() const { return kind == Kind::InOut || kind == Kind::Out; }
};

struct Case {
  std::string name, kernel, target = "sm_90a";
  uint32_t grid = 1;
  std::optional<uint32_t> block, cluster, shared;
  std::vector<CaseArgument> arguments;
};

/// The cases of a file: of the `// CASE:` lines of a module, or of a JSON file. Errors name the case and the key.
/// Paths of files in it are relative to `folder`.
llvm::Expected<std::vector<Case>> parseCases(llvm::StringRef text, llvm::StringRef folder);
/// The text after the `// CASE:` prefixes of a module.
std::string caseLines(llvm::StringRef module);

/// "y = [1, 2, 3]", or a line for each row.
std::string printArray(const CaseArgument &argument);

/// What is wrong with an output against recorded bytes; empty if nothing is.
std::string compareArray(const CaseArgument &argument, llvm::ArrayRef<uint8_t> recorded);

} // namespace tilefold::sim
