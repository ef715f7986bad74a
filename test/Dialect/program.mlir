// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s | tilefold-opt | FileCheck %s
// RUN: tilefold-opt %s --mlir-print-op-generic | tilefold-opt | FileCheck %s

// CHECK-LABEL: tile.program @host
// CHECK-SAME:    %[[Q:.*]]: !tile.view<2xf16> {tile.name = "q", tile.role = "input"}
// CHECK-SAME:    %[[O:.*]]: !tile.view<2xf16> {tile.name = "o", tile.role = "output"}
// CHECK-SAME:    %[[SCALE:.*]]: f32 {tile.default = 1.250000e-01 : f32, tile.name = "scale", tile.role = "scalar"}
tile.program @host(%q: !tile.view<2xf16> {tile.name = "q", tile.role = "input"},
                   %o: !tile.view<2xf16> {tile.name = "o", tile.role = "output"},
                   %scale: f32 {tile.name = "scale", tile.role = "scalar", tile.default = 0.125 : f32}) {
  // CHECK: %[[N:.*]] = tile.size %[[Q]], 0 : !tile.view<2xf16> -> i64
  %n = tile.size %q, 0 : !tile.view<2xf16> -> i64
  // CHECK: tile.stride %[[Q]], 1 : !tile.view<2xf16>
  %s = tile.stride %q, 1 : !tile.view<2xf16>
  // CHECK: tile.device_property "multiprocessor_count"
  %sms = tile.device_property "multiprocessor_count"
  %c1 = arith.constant 1 : i64
  // CHECK: tile.shape %[[O]][%[[N]], %{{.*}}] : !tile.view<2xf16>
  tile.shape %o [%n, %sms] : !tile.view<2xf16>
  %ok = arith.cmpi sge, %n, %c1 : i64
  // CHECK: tile.require %[[OK:.*]], "q", "at least {0} rows, got {1}"(%{{.*}}, %[[N]])
  tile.require %ok, "q", "at least {0} rows, got {1}" (%c1, %n)
  // CHECK: tile.require %[[OK]], "q", "at least one row"
  tile.require %ok, "q", "at least one row"
  // CHECK: %[[W:.*]] = tile.workspace "partial" any[%[[N]]] : !tile.view<1xf32>
  %w = tile.workspace "partial" any [%n] : !tile.view<1xf32>
  // CHECK: tile.workspace "semaphore" zero_once[%[[N]]] : !tile.view<1xi32>
  %z = tile.workspace "semaphore" zero_once [%n] : !tile.view<1xi32>
  // CHECK: tile.launch @kernel grid(%[[N]], %{{.*}}, %{{.*}}) (%[[Q]], %[[W]], %[[N]], %[[SCALE]]) : !tile.view<2xf16>, !tile.view<1xf32>, i64, f32
  tile.launch @kernel grid(%n, %c1, %c1) (%q, %w, %n, %scale) : !tile.view<2xf16>, !tile.view<1xf32>, i64, f32
  // CHECK: tile.launch @nothing grid(%[[N]], %{{.*}}, %{{.*}}) ()
  tile.launch @nothing grid(%n, %c1, %c1) ()
  // CHECK: tile.return
  tile.return
}

// CHECK-LABEL: tile.kernel @kernel
// CHECK-SAME:    attributes {schedule = #tile.schedule<warps = 4, stages = 2>}
tile.kernel @kernel(%q: !tile.view<2xf16>, %w: !tile.view<1xf32>, %n: i32, %scale: f32)
    attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  tile.return
}

// CHECK-LABEL: tile.kernel @nothing()
tile.kernel @nothing() {
  tile.return
}
