#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes FlashAttention-2's forward pass for sm_90a in base IR: TMA, warp specialisation, asynchronous products.

  fa2_hopper.py [--head-dim 64] [--block-n 64] [--consumers 2] [--no-turns] > fa2_hopper.mlir

The simulator's largest Hopper kernel, and a pattern for the compiler: what it emits for sm_90a looks like this.

  fa2(map of Q, map of K, map of V, O, S, scale * log2(e), tiles, Q, K, V)

Q, K, V are there for the maps alone, the kernel does not touch them. They and O are [heads, S, D] in f16, dense, with D = 64
or 128; S is a multiple of block_m = 64 * consumers and of block_n (there is no masking here); tiles = heads * S / block_m.
Maps: dims [D, heads * S], box [64, block_m] for Q and [64, block_n] for K and V, 128-byte swizzle. Any grid will do: block c
works on tiles c, c + grid, ...

Warpgroup 0 is the producer: one thread of it issues TMA copies, into a ring of two stages for K and V, and runs ahead into
the next tile. Each other warpgroup owns 64 rows of Q. For key block j it issues S = Q K_j^T, then O += P V_{j-1} while that
runs, and takes the softmax of S while the second product runs. Named barriers let consumers take turns in issuing.

Accumulator fragment of m64nN: register 4 c + 2 r + e of a thread holds row lane / 4 + 8 r of its warp's 16 and column
8 c + 2 (lane % 4) + e. The fragment of A for 16 columns is eight such registers, rounded and packed in pairs.
"""
import argparse

STAGES = 2
ROW_BYTES = 128      # of a sub-tile of 64 columns in f16: one period of the swizzle
ATOM_BYTES = 1024    # eight such rows
REGISTERS = {2: (24, 240), 3: (32, 160)}  # producer, consumer; by consumers


class Writer:
    """Lines of IR; `constants` come first in the kernel."""

    def __init__(self):
        self.lines, self.constants, self.count = [], {}, 0

    def do(self, text):
        self.lines.append(text)

    def let(self, text, name=None):
        self.count += 1
        name = name or f"%{self.count}"
        self.lines.append(f"{name} = {text}")
        return name

    def const(self, value, type="i32"):
        name = f"%c{value}_{type}".replace("-", "m")
        self.constants[name] = f"{name} = arith.constant {value} : {type}"
        return name

    # i32 arithmetic; a Python number is a constant
    def i32(self, value):
        return self.const(value) if isinstance(value, int) else value

    def op(self, name, a, b, type="i32"):
        return self.let(f"arith.{name} {self.i32(a)}, {self.i32(b)} : {type}")

    def add(self, a, b):
        return self.op("addi", a, b)

    def mul(self, a, b):
        return self.op("muli", a, b)


class Kernel(Writer):
    def __init__(self, head_dim, block_n, consumers, turns):
        super().__init__()
        self.d, self.n, self.consumers, self.turns = head_dim, block_n, consumers, turns
        self.m = 64 * consumers
        self.scores, self.outputs = block_n // 2, head_dim // 2  # accumulator registers of a thread
        self.s_type, self.o_type = f"vector<{self.scores}xf32>", f"vector<{self.outputs}xf32>"
        self.p_type = f"vector<{self.scores // 2}xi32>"
        self.kv_bytes = block_n * head_dim * 2
        # Shared memory, from an address aligned to ATOM_BYTES.
        self.k_at = self.m * head_dim * 2
        self.v_at = self.k_at + STAGES * self.kv_bytes
        self.barriers_at = self.v_at + STAGES * self.kv_bytes
        self.q_full, self.q_free = 0, 8
        self.k_full, self.k_free, self.v_full, self.v_free = (16 + 8 * STAGES * i for i in range(4))
        self.shared_bytes = self.barriers_at + 16 + 8 * STAGES * 4 + ATOM_BYTES

    # ------------------------------------------------------------------------------------------------- memory and barriers
    def pointer(self, offset, dynamic=None):
        """%shared + offset (+ dynamic, an i32)."""
        base = "%shared"
        if dynamic:
            base = self.let(f"llvm.getelementptr {base}[{dynamic}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8")
        return self.let(f"llvm.getelementptr {base}[{offset}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8")

    def barrier(self, which, stage=None):
        return self.pointer(self.barriers_at + which, self.mul(stage, 8) if stage else None)

    def wait(self, barrier, parity):
        self.do(f"ptx.mbarrier_wait {barrier}, {parity} : !llvm.ptr<3>")

    def arrive_as_leader(self, barrier):
        self.do("scf.if %leader {")
        self.let(f"nvvm.mbarrier.arrive {barrier} : !llvm.ptr<3> -> i64")
        self.do("}")

    def load(self, full, bytes, map, offset, dynamic, rows, first_row):
        """Copies a tile of `rows` rows, sub-tile by sub-tile of 64 columns."""
        self.do(f"nvvm.mbarrier.arrive.expect_tx {full}, {self.i32(bytes)} : !llvm.ptr<3>, i32")
        for sub in range(self.d // 64):
            target = self.pointer(offset + sub * rows * ROW_BYTES, dynamic)
            target = self.let(f"llvm.addrspacecast {target} : !llvm.ptr<3> to !llvm.ptr<7>")
            self.do(f"nvvm.cp.async.bulk.tensor.shared.cluster.global {target}, {map}, {full}, "
                    f"box[{self.i32(sub * 64)}, {first_row}] : !llvm.ptr<7>, !llvm.ptr")

    def next_stage(self, stage, parity):
        after = self.add(stage, 1)
        wraps = self.let(f"arith.cmpi eq, {after}, {self.i32(STAGES)} : i32")
        flipped = self.op("xori", parity, 1)
        return (self.let(f"arith.select {wraps}, {self.i32(0)}, {after} : i32"),
                self.let(f"arith.select {wraps}, {flipped}, {parity} : i32"))

    # ------------------------------------------------------------------------------------------------------------- products
    def descriptor(self, address, leading_bytes):
        """Of a swizzled tile: address, leading and stride offset in units of 16 bytes; the swizzle (128 bytes) on top."""
        low = self.op("shrui", self.op("andi", address, (1 << 18) - 1), 4)
        bits = 1 << 62 | (ATOM_BYTES >> 4) << 32 | (leading_bytes >> 4) << 16
        return self.op("ori", self.let(f"arith.extui {low} : i32 to i64"), self.const(bits, "i64"), "i64")

    def moved(self, descriptor, bytes):
        return self.op("addi", descriptor, self.const(bytes >> 4, "i64"), "i64")

    def at_stage(self, descriptor, stage):
        units = self.let(f"arith.extui {self.mul(stage, self.kv_bytes >> 4)} : i32 to i64")
        return self.op("addi", descriptor, units, "i64")

    def commit(self):
        self.do("nvvm.wgmma.commit.group.sync.aligned")

    def score_product(self, q, k):
        """S = Q K^T, both K-major; the first product overwrites."""
        self.do("nvvm.wgmma.fence.aligned")
        s = None
        for step in range(self.d // 16):
            sub, inner = divmod(step, 4)  # 16 columns are 32 bytes of a row
            a = self.moved(q, sub * self.m * ROW_BYTES + inner * 32)
            b = self.moved(k, sub * self.n * ROW_BYTES + inner * 32)
            s = self.let(f"ptx.wgmma f16 {a}, {b}{', ' + s if s else ''} : i64 -> {self.s_type}")
        self.commit()
        return s

    def fragments(self, p):
        return [self.let(f"vector.extract_strided_slice {p} {{offsets = [{4 * i}], sizes = [4], strides = [1]}} : "
                         f"{self.p_type} to vector<4xi32>") for i in range(self.n // 16)]

    def output_product(self, o, p, v):
        """O += P V, P from registers, V with d contiguous. Returns the accumulator and the fragments in flight."""
        fragments = self.fragments(p)
        results = self.names(1 + len(fragments))
        self.do(f"{', '.join(results)} = ptx.wgmma_fence {', '.join([o] + fragments)} : "
                f"{', '.join([self.o_type] + ['vector<4xi32>'] * len(fragments))}")
        o, fragments = results[0], results[1:]
        for step, fragment in enumerate(fragments):
            b = self.moved(v, step * 16 * ROW_BYTES)
            o = self.let(f"ptx.wgmma f16 {fragment}, {b}, {o} transpose_b : vector<4xi32> -> {self.o_type}")
        self.commit()
        return o, fragments

    def wait_products(self, pending, accumulator, type, in_flight=()):
        held = f" in_flight({', '.join(in_flight)} : {', '.join(['vector<4xi32>'] * len(in_flight))})" if in_flight else ""
        return self.let(f"ptx.wgmma_wait {pending} {accumulator}{held} : {type}")

    def names(self, count):
        self.count += count
        return [f"%{i}" for i in range(self.count - count + 1, self.count + 1)]

    def shuffle(self, kind, value, lane, type, name=None):
        """Over a whole warp."""
        operands = f"{self.i32(-1)}, {value}, {self.i32(lane)}, {self.i32(31)}"
        return self.let(f"nvvm.shfl.sync {kind} {operands} : {type} -> {type}", name)

    # ------------------------------------------------------------------------------------------------------------- softmax
    def rows_of(self, pair, length):
        """A vector<2xf32>, one number for each row of the thread, spread over an accumulator's registers."""
        order = ", ".join(str(i // 2 % 2) for i in range(length))
        return self.let(f"vector.shuffle {pair}, {pair} [{order}] : vector<2xf32>, vector<2xf32>")

    def row_reduction(self, operation, s):
        """Over the thread's own registers: a vector<2xf32>. Four running chains a row, then their tree."""
        part = lambda value, first, size, of: self.let(
            f"vector.extract_strided_slice {value} {{offsets = [{first}], sizes = [{size}], strides = [1]}} : "
            f"vector<{of}xf32> to vector<{size}xf32>")
        chains = part(s, 0, 8, self.scores)
        for first in range(8, self.scores, 8):
            chains = self.let(f"arith.{operation} {chains}, {part(s, first, 8, self.scores)} : vector<8xf32>")
        four = self.let(f"arith.{operation} {part(chains, 0, 4, 8)}, {part(chains, 4, 4, 8)} : vector<4xf32>")
        even, odd = (self.let(f"vector.shuffle {four}, {four} [{e}, {e + 2}] : vector<4xf32>, vector<4xf32>")
                     for e in (0, 1))
        return self.let(f"arith.{operation} {even}, {odd} : vector<2xf32>")

    def quad_reduction(self, operation, pair):
        """Over the four lanes that share the rows."""
        rows = []
        for r in (0, 1):
            x = self.let(f"vector.extract {pair}[{r}] : f32 from vector<2xf32>")
            for lanes in (2, 1):
                other = self.shuffle("bfly", x, lanes, "f32")
                x = self.let(f"arith.{operation} {x}, {other} : f32")
            rows.append(x)
        return self.let(f"vector.from_elements {', '.join(rows)} : vector<2xf32>")

    def softmax(self, s, m=None, l=None):
        """-> P packed, maximum, sum of this thread's columns, factor of what was summed before (None in the first block).

        The maximum is that of scale * s, rounded; P and the factor use the same one, so that its rounding cancels.
        """
        top = self.quad_reduction("maxnumf", self.row_reduction("maxnumf", s))
        top = self.let(f"arith.mulf {top}, %scales : vector<2xf32>")
        factor = None
        if m:
            top = self.let(f"arith.maxnumf {top}, {m} : vector<2xf32>")
            factor = self.let(f"ptx.ex2 {self.let(f'arith.subf {m}, {top} : vector<2xf32>')} : vector<2xf32>")
        negative = self.rows_of(self.let(f"arith.negf {top} : vector<2xf32>"), self.scores)
        p = self.let(f"ptx.ex2 {self.let(f'math.fma {s}, %scores_scale, {negative} : {self.s_type}')} : {self.s_type}")
        total = self.row_reduction("addf", p)
        if l:
            total = self.let(f"math.fma {l}, {factor}, {total} : vector<2xf32>")
        return self.pack(p, self.scores), top, total, factor

    def pack(self, x, length):
        halves = self.let(f"arith.truncf {x} : vector<{length}xf32> to vector<{length}xf16>")
        return self.let(f"vector.bitcast {halves} : vector<{length}xf16> to vector<{length // 2}xi32>")

    # ------------------------------------------------------------------------------------------------------------- the roles
    def producer(self):
        self.do(f"nvvm.setmaxregister decrease {REGISTERS[self.consumers][0]}")
        self.do("scf.if %first_thread {")
        carried = ["%tile_stage", "%tile_parity", "%q_parity"]
        out = self.names(3)
        self.do(f"{', '.join(out)} = scf.for %tile = %cta to %tiles step %ncta iter_args(%tile_stage = {self.i32(0)}, "
                f"%tile_parity = {self.i32(1)}, %q_parity = {self.i32(1)}) -> (i32, i32, i32) : i32 {{")
        head_row, q_row = self.tile_rows("%tile")
        self.wait(self.barrier(self.q_free), "%q_parity")
        self.load(self.barrier(self.q_full), self.m * self.d * 2, "%map_q", 0, None, self.m, q_row)
        q_next = self.op("xori", "%q_parity", 1)
        self.do(f"%next_stage, %next_parity = scf.for %j = {self.i32(0)} to %blocks step {self.i32(1)} iter_args("
                f"%stage = %tile_stage, %parity = %tile_parity) -> (i32, i32) : i32 {{")
        row = self.add(self.mul("%j", self.n), head_row)
        data = self.mul("%stage", self.kv_bytes)
        for free, full, map, at in ((self.k_free, self.k_full, "%map_k", self.k_at),
                                    (self.v_free, self.v_full, "%map_v", self.v_at)):
            self.wait(self.barrier(free, "%stage"), "%parity")
            self.load(self.barrier(full, "%stage"), self.kv_bytes, map, at, data, self.n, row)
        stage, parity = self.next_stage("%stage", "%parity")
        self.do(f"scf.yield {stage}, {parity} : i32, i32\n}}")
        self.do(f"scf.yield %next_stage, %next_parity, {q_next} : i32, i32, i32\n}}\n}}")

    def tile_rows(self, tile):
        """First row of the tile's head, first row of the tile."""
        head = self.op("divui", tile, "%row_blocks")
        head_row = self.mul(head, "%seq")
        return head_row, self.add(self.mul(self.op("remui", tile, "%row_blocks"), self.m), head_row)

    def take_turn(self):
        if self.turns:
            self.do(f"nvvm.barrier id = %my_turn number_of_threads = {self.i32(256)}")

    def pass_turn(self):
        if self.turns:
            self.do(f"nvvm.barrier.arrive id = %next_turn number_of_threads = {self.i32(256)}")

    def consumer(self):
        self.do(f"nvvm.setmaxregister increase {REGISTERS[self.consumers][1]}")
        self.do(f"%me = arith.subi %group, {self.i32(1)} : i32")
        self.do(f"%thread = arith.andi %tid, {self.i32(127)} : i32")
        self.do(f"%leader = arith.cmpi eq, %thread, {self.i32(0)} : i32")
        self.do("%my_turn = arith.addi %me, %c1_i32 : i32")
        last = self.let(f"arith.cmpi eq, %my_turn, {self.i32(self.consumers)} : i32")
        self.do(f"%next_turn = arith.addi {self.let(f'arith.select {last}, {self.i32(0)}, %my_turn : i32')}, %c1_i32 : i32")
        if self.turns:  # the last consumer gives the first one its first turn
            self.do(f"scf.if {last} {{\nnvvm.barrier.arrive id = {self.i32(1)} number_of_threads = {self.i32(256)}\n}}")
        q = self.descriptor(self.add("%base", self.mul("%me", 64 * ROW_BYTES)), 16)
        k = self.descriptor(self.add("%base", self.k_at), 16)
        v = self.descriptor(self.add("%base", self.v_at), self.n * ROW_BYTES)
        out = self.names(3)
        self.do(f"{', '.join(out)} = scf.for %tile = %cta to %tiles step %ncta iter_args(%stage0 = {self.i32(0)}, "
                f"%parity0 = {self.i32(0)}, %q_parity = {self.i32(0)}) -> (i32, i32, i32) : i32 {{")
        _, q_row = self.tile_rows("%tile")

        # The first key block alone.
        self.wait(self.barrier(self.q_full), "%q_parity")
        self.wait(self.barrier(self.k_full, "%stage0"), "%parity0")
        self.take_turn()
        s = self.score_product(q, self.at_stage(k, "%stage0"))
        self.pass_turn()
        s = self.wait_products(0, s, self.s_type)
        self.arrive_as_leader(self.barrier(self.k_free, "%stage0"))
        stage1, parity1 = self.next_stage("%stage0", "%parity0")
        p, m, l, _ = self.softmax(s)

        # Scores of block j, output of block j - 1.
        pair = "vector<2xf32>"
        types = f"i32, i32, i32, i32, {self.o_type}, {self.p_type}, {pair}, {pair}"
        self.do(f"%last:8 = scf.for %j = {self.i32(1)} to %blocks step {self.i32(1)} iter_args(%k_stage = {stage1}, "
                f"%k_parity = {parity1}, %v_stage = %stage0, %v_parity = %parity0, %o = %no_output, %p = {p}, %m = {m}, "
                f"%l = {l}) -> ({types}) : i32 {{")
        self.wait(self.barrier(self.k_full, "%k_stage"), "%k_parity")
        self.take_turn()
        s = self.score_product(q, self.at_stage(k, "%k_stage"))
        self.wait(self.barrier(self.v_full, "%v_stage"), "%v_parity")
        o, in_flight = self.output_product("%o", "%p", self.at_stage(v, "%v_stage"))
        self.pass_turn()
        s = self.wait_products(1, s, self.s_type)
        self.arrive_as_leader(self.barrier(self.k_free, "%k_stage"))
        p, m, l, factor = self.softmax(s, "%m", "%l")
        o = self.wait_products(0, o, self.o_type, in_flight)
        self.arrive_as_leader(self.barrier(self.v_free, "%v_stage"))
        o = self.let(f"arith.mulf {o}, {self.rows_of(factor, self.outputs)} : {self.o_type}")
        stage, parity = self.next_stage("%k_stage", "%k_parity")
        self.do(f"scf.yield {stage}, {parity}, %k_stage, %k_parity, {o}, {p}, {m}, {l} : {types}\n}}")

        # The output of the last block.
        self.arrive_as_leader(self.barrier(self.q_free))
        self.wait(self.barrier(self.v_full, "%last#2"), "%last#3")
        o, in_flight = self.output_product("%last#4", "%last#5", self.at_stage(v, "%last#2"))
        o = self.wait_products(0, o, self.o_type, in_flight)
        self.arrive_as_leader(self.barrier(self.v_free, "%last#2"))
        self.store(o, self.quad_reduction("addf", "%last#7"), q_row)
        flipped = self.op("xori", "%q_parity", 1)
        self.do(f"scf.yield %last#0, %last#1, {flipped} : i32, i32, i32\n}}")

    # ------------------------------------------------------------------------------------------------------------- epilogue
    def store(self, o, total, q_row):
        """O / sum. A thread holds two columns of every eight; a transpose over the quad makes 16-byte stores of them."""
        inverse = self.rows_of(self.let(f"ptx.rcp {total} : vector<2xf32>"), self.outputs)
        packed = self.pack(self.let(f"arith.mulf {o}, {inverse} : {self.o_type}"), self.outputs)
        lane = self.op("andi", "%thread", 31)
        row = self.add(self.mul(self.op("shrui", "%thread", 5), 16), self.op("shrui", lane, 2))
        row = self.add(self.add(row, self.mul("%me", 64)), q_row)
        place = self.op("andi", lane, 3)
        odd = self.let(f"arith.trunci {place} : i32 to i1")
        high = self.let(f"arith.trunci {self.op('shrui', place, 1)} : i32 to i1")
        column = self.mul(place, 8)
        for r in (0, 1):
            start = self.let(f"arith.extui {self.add(self.mul(self.add(row, 8 * r), self.d), column)} : i32 to i64")
            for group in range(self.d // 32):
                words = [self.let(f"vector.extract {packed}[{2 * c + r}] : i32 from vector<{self.outputs // 2}xi32>")
                         for c in range(4 * group, 4 * group + 4)]
                vector = self.let(f"vector.from_elements {', '.join(self.transpose_quad(words, odd, high))} : vector<4xi32>")
                at = self.op("addi", start, self.const(32 * group, "i64"), "i64")
                pointer = self.let(f"llvm.getelementptr %out[{at}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16")
                self.do(f"llvm.store {vector}, {pointer} {{alignment = 16 : i64}} : vector<4xi32>, !llvm.ptr<1>")

    def transpose_quad(self, words, odd, high):
        """Lane q of a quad ends with word q of lanes 0 to 3, in order."""
        for condition, distance in ((odd, 1), (high, 2)):
            words = list(words)
            for i in range(4):
                if i & distance:
                    continue
                j = i + distance
                give = self.let(f"arith.select {condition}, {words[i]}, {words[j]} : i32")
                got = self.shuffle("bfly", give, distance, "i32")
                words[i], words[j] = (self.let(f"arith.select {condition}, {got}, {words[i]} : i32"),
                                      self.let(f"arith.select {condition}, {words[j]}, {got} : i32"))
        return words

    def write(self):
        self.const(1)
        self.do("%tid = nvvm.read.ptx.sreg.tid.x : i32")
        self.do("%cta = nvvm.read.ptx.sreg.ctaid.x : i32")
        self.do("%ncta = nvvm.read.ptx.sreg.nctaid.x : i32")
        self.do("%dynamic = ptx.dynamic_shared : !llvm.ptr<3>")
        self.do("%unaligned = llvm.ptrtoint %dynamic : !llvm.ptr<3> to i32")
        self.do(f"%base = arith.andi {self.add('%unaligned', ATOM_BYTES - 1)}, {self.i32(-ATOM_BYTES)} : i32")
        self.do("%shared = llvm.inttoptr %base : i32 to !llvm.ptr<3>")
        self.do(f"%row_blocks = arith.divui %seq, {self.i32(self.m)} : i32")
        self.do(f"%blocks = arith.divui %seq, {self.i32(self.n)} : i32")
        self.do("%scales = vector.broadcast %scale : f32 to vector<2xf32>")
        self.do(f"%scores_scale = vector.broadcast %scale : f32 to {self.s_type}")
        self.do(f"%no_output = arith.constant dense<0.0> : {self.o_type}")
        # Through a shuffle, so that ptxas knows that it is the same in all of a warp.
        self.shuffle("idx", self.op("shrui", "%tid", 7), 0, "i32", "%group")
        self.do(f"%first_thread = arith.cmpi eq, %tid, {self.i32(0)} : i32")
        self.do("scf.if %first_thread {")
        rings = ((self.k_full, 1), (self.k_free, self.consumers), (self.v_full, 1), (self.v_free, self.consumers))
        single = [(self.q_full, 1), (self.q_free, self.consumers)]
        for which, count in single + [(first + 8 * stage, count) for first, count in rings for stage in range(STAGES)]:
            self.do(f"nvvm.mbarrier.init {self.barrier(which)}, {self.i32(count)} : !llvm.ptr<3>, i32")
        self.do("nvvm.fence.mbarrier.init\n}")
        self.do("nvvm.barrier0")
        self.do(f"%is_producer = arith.cmpi eq, %group, {self.i32(0)} : i32")
        self.do("scf.if %is_producer {")
        self.producer()
        self.do("} else {")
        self.consumer()
        self.do("}")

        threads = 128 * (self.consumers + 1)
        yield "gpu.module @kernels {"
        maps = ", ".join(f"%map_{x}: !llvm.ptr {{ptx.tensor_map}}" for x in "qkv")
        arrays = ", ".join(f"%{x}: !llvm.ptr<1>" for x in "qkv")
        yield f"gpu.func @fa2({maps}, %out: !llvm.ptr<1>, %seq: i32, %scale: f32, %tiles: i32, {arrays}) kernel"
        yield (f"attributes {{known_block_size = array<i32: {threads}, 1, 1>, nvvm.minctasm = 1 : i32, "
               f"tilefold.shared_bytes = {self.shared_bytes} : i64}} {{")
        yield from self.constants.values()
        yield from self.lines
        yield "gpu.return\n}\n}"


def main():
    parser = argparse.ArgumentParser(description="writes FA2 for sm_90a in base IR")
    parser.add_argument("--head-dim", type=int, default=64, choices=(64, 128))
    parser.add_argument("--block-n", type=int, default=64, choices=range(16, 257, 16))
    parser.add_argument("--consumers", type=int, default=2, choices=sorted(REGISTERS))
    parser.add_argument("--no-turns", action="store_true", help="consumers issue products as they come")
    options = parser.parse_args()
    print("\n".join(Kernel(options.head_dim, options.block_n, options.consumers, not options.no_turns).write()))


if __name__ == "__main__":
    main()
