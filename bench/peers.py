#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time what a user would pick instead, on one GPU, in one run.

  prefill   PyTorch SDPA (FlashAttention-2 backend, cuDNN backend), a tuned Triton FlashAttention-2 kernel
  decode    the same SDPA backends, a tuned Triton Flash-Decoding pair (split + combine)
  variants  PyTorch FlexAttention, compiled, block masks built outside the timing
  limits    what this card and this harness can do at all

  python3 peers.py JOB [--quick] [--dtype fp16|bf16] [--json FILE]

Method.  Each candidate of a shape is captured in a CUDA graph.  Rounds then time all of them in turn, the order rotated
from round to round, so that power and clocks fall on everyone alike; within a round the median of event timings of
replays, each after the L2 cache was emptied by reading (writing would leave dirty lines to be written back inside the
timing).  A row gives the median over rounds and the spread; compare candidates by the median of their per-round ratios.
The first peer is timed twice: the ratio of its two series is the noise floor of the shape.  Inputs are random normal.
Every candidate's output is compared with the first one's, and a sample of its rows with attention in fp64; a wrong one is an
error, not a time.

Rows: one JSON object per line, e.g.
  {"job": "prefill", "b": 4, "hq": 16, "hkv": 16, "sq": 4096, "sk": 4096, "d": 128, "causal": false,
   "dtype": "fp16", "peer": "cudnn", "ms": 0.866, "spread": 0.02, "tflops": 634.5, "rounds": [...]}
"""
import argparse
import json
import math
import sys

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch.nn.attention import SDPBackend, sdpa_kernel
from triton.testing import do_bench
from triton.tools.tensor_descriptor import TensorDescriptor

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}


def _empty_l2(cache):
    cache.sum()


triton.runtime.driver.active.clear_cache = _empty_l2


def capture(fn):
    """fn as a CUDA graph, so that no host time is in a replay."""
    fn()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        fn()
    return graph.replay


def median_ms(fn, rep=60):
    return do_bench(capture(fn), warmup=25, rep=rep, return_mode="median")


def rounds_ms(replays, rounds=5, rep=60):
    """name -> list of one median a round; the order rotates."""
    names, times = list(replays), {n: [] for n in replays}
    for r in range(rounds):
        k = r % len(names)
        for n in names[k:] + names[:k]:
            times[n].append(do_bench(replays[n], warmup=20, rep=rep, return_mode="median"))
    return times


# ----------------------------------------------------------------- shapes
def prefill_shapes(quick):
    """The FlashAttention papers' grid: 16k tokens, hidden size 2048."""
    dims = [128] if quick else [64, 128, 256]
    seqs = [4096, 1024, 16384] if quick else [4096, 512, 1024, 2048, 8192, 16384]
    for d in dims:
        for causal in (False, True):
            for s in seqs:
                h = 2048 // d
                yield dict(b=max(1, 16384 // s), hq=h, hkv=h, sq=s, sk=s, d=d, causal=causal)


def decode_shapes(quick):
    """One new token against a KV cache, grouped-query heads."""
    groups = [(32, 8), (64, 8)] if quick else [(32, 32), (32, 8), (64, 8), (16, 1)]
    for hq, hkv in groups:
        for b in ((1, 16) if quick else (1, 4, 16, 64)):
            for sk in ((65536, 4096) if quick else (16384, 1024, 4096, 65536, 131072)):
                if b * hkv * sk * 128 * 2 * 2 > 40e9:
                    continue
                yield dict(b=b, hq=hq, hkv=hkv, sq=1, sk=sk, d=128, causal=False)


def flops(s):
    full = 4.0 * s["b"] * s["hq"] * s["sq"] * s["sk"] * s["d"]
    return full / 2 if s["causal"] else full


def kv_bytes(s):
    return 2.0 * 2 * s["b"] * s["hkv"] * s["sk"] * s["d"]


# ----------------------------------------------------------------- Triton prefill
def _bind_blocks(nargs):
    m, n, d = nargs["BM"], nargs["BN"], nargs["D"]
    nargs["dq"].block_shape = [m, d]
    nargs["do"].block_shape = [m, d]
    nargs["dk"].block_shape = [n, d]
    nargs["dv"].block_shape = [n, d]


# A causal block of columns must not be wider than the rows' block: the loop bounds are multiples of BM.
# Triton 3.6 fails to compile this kernel with warp_specialize on Hopper, so it is not among the choices.
PREFILL_CONFIGS = [
    triton.Config({"BM": m, "BN": n}, num_stages=st, num_warps=w, pre_hook=_bind_blocks)
    for m, n, w, st in ((64, 32, 4, 3), (64, 64, 4, 2), (64, 64, 4, 3), (128, 64, 4, 3), (128, 64, 8, 2), (128, 64, 8, 3),
                        (128, 64, 8, 4), (128, 128, 8, 2), (128, 128, 8, 3))
]


@triton.jit
def _prefill_range(acc, m_i, l_i, q, dk, dv, base, lo, hi, start_m, qk_scale,
                   BM: tl.constexpr, BN: tl.constexpr, MASK: tl.constexpr):
    rows = start_m * BM + tl.arange(0, BM)
    cols = tl.arange(0, BN)
    for n in tl.range(lo, hi, BN):
        k = dk.load([base + n, 0])
        s = tl.dot(q, k.T)
        if MASK:
            s = tl.where(rows[:, None] >= (n + cols)[None, :], s, -1.0e9)
        m_new = tl.maximum(m_i, tl.max(s, 1) * qk_scale)
        p = tl.math.exp2(s * qk_scale - m_new[:, None])
        a = tl.math.exp2(m_i - m_new)
        l_i = l_i * a + tl.sum(p, 1)
        acc = acc * a[:, None]
        v = dv.load([base + n, 0])
        acc = tl.dot(p.to(v.dtype), v, acc)
        m_i = m_new
    return acc, m_i, l_i


@triton.autotune(configs=PREFILL_CONFIGS, key=["D", "CAUSAL", "S"])
@triton.jit
def _triton_prefill(dq, dk, dv, do, lse, qk_scale, S, D: tl.constexpr, CAUSAL: tl.constexpr,
                    BM: tl.constexpr, BN: tl.constexpr):
    start_m = tl.program_id(0)
    if CAUSAL:  # longest programs first
        start_m = tl.num_programs(0) - 1 - start_m
    bh = tl.program_id(1)
    base = bh * S
    m_i = tl.full([BM], float("-inf"), tl.float32)
    l_i = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    q = dq.load([base + start_m * BM, 0])
    if CAUSAL:
        acc, m_i, l_i = _prefill_range(acc, m_i, l_i, q, dk, dv, base, 0, start_m * BM, start_m,
                                       qk_scale, BM, BN, False)
        acc, m_i, l_i = _prefill_range(acc, m_i, l_i, q, dk, dv, base, start_m * BM, (start_m + 1) * BM,
                                       start_m, qk_scale, BM, BN, True)
    else:
        acc, m_i, l_i = _prefill_range(acc, m_i, l_i, q, dk, dv, base, 0, S, start_m, qk_scale,
                                       BM, BN, False)
    tl.store(lse + base + start_m * BM + tl.arange(0, BM), m_i + tl.math.log2(l_i))
    do.store([base + start_m * BM, 0], (acc / l_i[:, None]).to(do.dtype))


def triton_prefill(q, k, v, causal):
    b, h, s, d = q.shape
    o = torch.empty_like(q)
    lse = torch.empty(b * h * s, device=q.device, dtype=torch.float32)
    desc = [TensorDescriptor(t.view(-1, d), [b * h * s, d], [d, 1], [64, d]) for t in (q, k, v, o)]
    grid = lambda c: (triton.cdiv(s, c["BM"]), b * h)
    scale = 1.4426950408889634 / math.sqrt(d)

    def run():
        _triton_prefill[grid](*desc, lse, scale, s, D=d, CAUSAL=causal)
        return o
    return run


# ----------------------------------------------------------------- Triton decode
@triton.autotune(configs=[triton.Config({"BN": n}, num_stages=st, num_warps=w)
                          for n in (64, 128) for st in (2, 3, 4) for w in (4, 8)],
                 key=["G", "S"])
@triton.jit
def _triton_split(q, k, v, part, part_lse, qk_scale, S, PER, NSPLIT, HKV: tl.constexpr, G: tl.constexpr,
                  GP: tl.constexpr, D: tl.constexpr, BN: tl.constexpr):
    bh = tl.program_id(0)
    sp = tl.program_id(1)
    b = bh // HKV
    hk = bh % HKV
    g = tl.arange(0, GP)
    d = tl.arange(0, D)
    qrow = (b * HKV + hk) * G + g
    qt = tl.load(q + qrow[:, None] * D + d[None, :], mask=g[:, None] < G, other=0.0)
    lo = sp * PER
    hi = tl.minimum(lo + PER, S)
    kb = k + bh.to(tl.int64) * S * D
    vb = v + bh.to(tl.int64) * S * D
    m_i = tl.full([GP], float("-inf"), tl.float32)
    l_i = tl.zeros([GP], tl.float32)
    acc = tl.zeros([GP, D], tl.float32)
    n = tl.arange(0, BN)
    for s0 in range(lo, hi, BN):
        inb = (s0 + n) < hi
        kt = tl.load(kb + (s0 + n)[:, None] * D + d[None, :], mask=inb[:, None], other=0.0)
        s = tl.dot(qt, kt.T) * qk_scale
        s = tl.where(inb[None, :], s, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(s, 1))
        p = tl.math.exp2(s - m_new[:, None])
        a = tl.math.exp2(m_i - m_new)
        l_i = l_i * a + tl.sum(p, 1)
        vt = tl.load(vb + (s0 + n)[:, None] * D + d[None, :], mask=inb[:, None], other=0.0)
        acc = acc * a[:, None] + tl.dot(p.to(vt.dtype), vt)
        m_i = m_new
    row = qrow * NSPLIT + sp
    tl.store(part + row[:, None] * D + d[None, :], acc / l_i[:, None], mask=g[:, None] < G)
    tl.store(part_lse + row, m_i + tl.math.log2(l_i), mask=g < G)


@triton.jit
def _triton_combine(part, part_lse, o, NSPLIT, NP: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0)
    s = tl.arange(0, NP)
    d = tl.arange(0, D)
    lse = tl.load(part_lse + row * NSPLIT + s, mask=s < NSPLIT, other=float("-inf"))
    w = tl.math.exp2(lse - tl.max(lse, 0))
    w = w / tl.sum(w, 0)
    x = tl.load(part + (row * NSPLIT + s)[:, None] * D + d[None, :], mask=(s < NSPLIT)[:, None], other=0.0)
    tl.store(o + row * D + d, tl.sum(x * w[:, None], 0).to(o.dtype.element_ty))


def triton_decode(q, k, v, nsplit):
    b, hq, _, d = q.shape
    hkv, s = k.shape[1], k.shape[2]
    g = hq // hkv
    per = triton.cdiv(triton.cdiv(s, nsplit), 64) * 64
    nsplit = triton.cdiv(s, per)
    part = torch.empty(b * hq * nsplit, d, device=q.device, dtype=torch.float32)
    plse = torch.empty(b * hq * nsplit, device=q.device, dtype=torch.float32)
    o = torch.empty_like(q)
    scale = 1.4426950408889634 / math.sqrt(d)

    def run():
        _triton_split[(b * hkv, nsplit)](q, k, v, part, plse, scale, s, per, nsplit, HKV=hkv, G=g,
                                         GP=max(16, triton.next_power_of_2(g)), D=d)
        _triton_combine[(b * hq,)](part, plse, o, nsplit, NP=triton.next_power_of_2(nsplit), D=d)
        return o
    return run


# ----------------------------------------------------------------- SDPA
def sdpa(q, k, v, causal, backend):
    def run():
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal,
                                                  enable_gqa=q.shape[1] != k.shape[1])
    return run


def peers_for(s, q, k, v, sms):
    yield "fa2", sdpa(q, k, v, s["causal"], SDPBackend.FLASH_ATTENTION)
    yield "cudnn", sdpa(q, k, v, s["causal"], SDPBackend.CUDNN_ATTENTION)
    if s["sq"] > 1:
        yield "triton", triton_prefill(q, k, v, s["causal"])
        return
    base = s["b"] * s["hkv"]
    for n in sorted({min(max(1, w * sms // base, e), max(1, s["sk"] // c))
                     for w in (1, 2) for c in (64, 256) for e in (1, 2, 4)}):
        yield "triton_splits%d" % n, triton_decode(q, k, v, n)


def exact_rows(s, q, k, v, count=48):
    """A sample of output rows in fp64: (indices, rows).  The first and the last row of a head are always among them."""
    gen = torch.Generator().manual_seed(3)
    pick = lambda n: torch.randint(0, n, (count,), generator=gen)
    at = torch.stack([pick(s["b"]), pick(s["hq"]), pick(s["sq"])], 1)
    at[0, 2], at[1, 2], at[2] = 0, s["sq"] - 1, torch.tensor([s["b"] - 1, s["hq"] - 1, s["sq"] - 1])
    out = []
    for b, h, i in at.tolist():
        g = h // (s["hq"] // s["hkv"])
        n = s["sk"] - s["sq"] + i + 1 if s["causal"] else s["sk"]
        p = torch.softmax(k[b, g, :n].double() @ q[b, h, i].double() / math.sqrt(s["d"]), 0)
        out.append(p @ v[b, g, :n].double())
    return at.to(q.device), torch.stack(out)


def check_exact(out, exact, unit):
    """The accuracy rule on the sampled rows: norm(e) <= u norm(ref), and 3 u for each row."""
    at, ref = exact
    e = out[at[:, 0], at[:, 1], at[:, 2]].double() - ref
    whole = float(e.norm() / ref.norm())
    worst = float(((e.norm(dim=1) - 1e-6) / ref.norm(dim=1)).max())
    if not (whole <= unit and worst <= 3 * unit):
        raise ValueError("wrong result against fp64: %.2g over all sampled rows, %.2g in one" % (whole, worst))
    return whole


def measure(rows, candidates, job, s, dtype, exact=None, rounds=None, rep=None):
    """Check every candidate against the first and against `exact`, then time all of them in rotating rounds; fills rows."""
    tol, ref, replays, by_name = {"fp16": 2e-3, "bf16": 1.6e-2}[dtype], None, {}, {}
    for name, fn in candidates:
        row = by_name[name] = dict(job=job, dtype=dtype, peer=name, **s)
        rows.append(row)
        try:
            out = fn()
            row.update(getattr(fn, "facts", {}))  # what a candidate wants to have said about itself
            if exact is not None:
                row["rel_err_vs_fp64"] = check_exact(out, exact, tol / 2)
            out = out.float()
            if ref is None:
                ref = out.clone()
            row["rel_err_vs_first"] = float((out - ref).norm() / ref.norm())
            if not row["rel_err_vs_first"] < tol:
                raise ValueError("wrong result")
            replays[name] = capture(fn)
        except Exception as e:  # a peer that does not take the shape is a row, not a crash
            row["error"] = (type(e).__name__ + ": " + str(e)).splitlines()[0][:160]
    if not replays:
        return rows
    first = next(iter(replays))
    replays[first + "_again"] = replays[first]
    by_name[first + "_again"] = dict(job=job, dtype=dtype, peer=first + "_again", **s)
    rows.append(by_name[first + "_again"])
    default = (3, 40) if s["sq"] == 1 else (5, 60)
    for name, t in rounds_ms(replays, rounds or default[0], rep or default[1]).items():
        row, mid = by_name[name], sorted(t)[len(t) // 2]
        row.update(ms=mid, spread=(max(t) - min(t)) / mid, rounds=[round(x, 5) for x in t], tflops=flops(s) / mid * 1e-9)
        if s["sq"] == 1:
            row["gbps"] = kv_bytes(s) / mid * 1e-6
    return rows


def run_shape(job, s, dtype, sms, extra=None, peers=None, rounds=None, rep=None):
    """`extra(s, q, k, v)` yields further candidates; `peers`: only those."""
    gen = torch.Generator(device="cuda").manual_seed(7)
    mk = lambda h, n: torch.randn(s["b"], h, n, s["d"], device="cuda", dtype=DTYPES[dtype], generator=gen)
    q, k, v = mk(s["hq"], s["sq"]), mk(s["hkv"], s["sk"]), mk(s["hkv"], s["sk"])
    candidates = [c for c in peers_for(s, q, k, v, sms) if peers is None or c[0].split("_")[0] in peers]
    return measure([], candidates + list(extra(s, q, k, v) if extra else []), job, s, dtype, exact_rows(s, q, k, v), rounds, rep)


# ----------------------------------------------------------------- FlexAttention
def variants(dtype):
    """Stock variants at batch 2, 16 heads, 8k, head dim 128; FLOPs count what is visible."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    flex = torch.compile(flex_attention, dynamic=False)
    b, h, n, d = 2, 16, 8192, 128
    q, k, v = (torch.randn(b, h, n, d, device="cuda", dtype=DTYPES[dtype]) for _ in range(3))
    slopes = torch.exp2(-8.0 * torch.arange(1, h + 1, device="cuda") / h)
    doc = torch.sort(torch.randint(0, 12, (n,), device="cuda")).values
    causal = lambda b, h, i, j: i >= j
    cases = {
        "full": (None, None),
        "causal": (None, causal),
        "window1024": (None, lambda b, h, i, j: (i >= j) & (i - j < 1024)),
        "softcap50_causal": (lambda s, b, h, i, j: 50.0 * torch.tanh(s / 50.0), causal),
        "alibi_causal": (lambda s, b, h, i, j: s - slopes[h] * (i - j), causal),
        "prefix1024": (None, lambda b, h, i, j: (i >= j) | (j < 1024)),
        "documents_causal": (None, lambda b, h, i, j: (i >= j) & (doc[i] == doc[j])),
    }
    i = torch.arange(n, device="cuda")[:, None]
    j = torch.arange(n, device="cuda")[None, :]
    rows = []
    for name, (score, mask) in cases.items():
        block = create_block_mask(mask, None, None, n, n, device="cuda") if mask else None
        seen = float(mask(0, 0, i, j).sum()) if mask else float(n) * n
        row = dict(job="variants", dtype=dtype, peer="flex", variant=name, b=b, hq=h, hkv=h, sq=n, sk=n, d=d, visible=seen)
        try:
            t = sorted(rounds_ms({name: capture(lambda: flex(q, k, v, score_mod=score, block_mask=block))})[name])
            row.update(ms=t[len(t) // 2], spread=(t[-1] - t[0]) / t[len(t) // 2], tflops=4.0 * b * h * d * seen / t[len(t) // 2] * 1e-9)
        except Exception as e:
            row["error"] = (type(e).__name__ + ": " + str(e)).splitlines()[0][:160]
        rows.append(row)
    return rows


@triton.jit
def _touch(x):
    tl.store(x, 1.0)


@triton.jit
def _read_only(x, out, n, PER: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    acc = tl.zeros([B], tl.float32)
    for i in range(PER):
        acc += tl.load(x + (pid * PER + i) * B + tl.arange(0, B))
    tl.store(out + pid, tl.sum(acc, 0))


def limits():
    """The two ceilings of this card: memory bandwidth and matrix rate."""
    rows = []
    one = torch.zeros(1, device="cuda")
    for n in (1, 2):  # what a replay of n nearly empty kernels takes in this harness: the floor of every small row
        def empty():
            for _ in range(n):
                _touch[(1,)](one)
        rows.append(dict(job="limits", what="replay_floor_us_%d_kernels" % n, value=median_ms(empty) * 1e3))
    a = torch.empty(4 << 30, dtype=torch.uint8, device="cuda").random_()
    c = torch.empty_like(a)
    ms = do_bench(lambda: c.copy_(a), return_mode="median")  # not as a graph: its copy node is slower
    rows.append(dict(job="limits", what="copy_gbps", value=2 * a.numel() / ms * 1e-6))
    x = torch.randn(1 << 30, device="cuda")
    for per, b in ((8, 4096), (16, 2048), (32, 2048), (16, 8192)):
        n = x.numel() // (per * b)
        out = torch.empty(n, device="cuda")
        ms = median_ms(lambda: _read_only[(n,)](x, out, x.numel(), PER=per, B=b))
        rows.append(dict(job="limits", what="read_gbps_%dx%d" % (per, b), value=x.numel() * 4 / ms * 1e-6))
    for mb in (4, 16, 64, 256, 512, 1024):  # the floor of a kernel that must read so much once, L2 cleared: best of a few shapes
        best = 1e9
        for b in (1024, 2048, 4096):
            for per in (1, 2, 4, 8, 16, 32):
                n = (mb << 18) // (per * b)
                if not 32 <= n <= 65535:
                    continue
                out = torch.empty(n, device="cuda")
                best = min(best, median_ms(lambda: _read_only[(n,)](x, out, x.numel(), PER=per, B=b), rep=30))
        rows.append(dict(job="limits", what="read_once_us_%dMB" % mb, value=best * 1e3))
    del a, c, x
    for n in (8192, 16384):
        p, r = (torch.randn(n, n, device="cuda", dtype=torch.float16) for _ in range(2))
        ms = median_ms(lambda: p @ r, rep=200)
        rows.append(dict(job="limits", what="matmul_tflops_%d" % n, value=2.0 * n ** 3 / ms * 1e-9))
    return rows


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("job", choices=["prefill", "decode", "variants", "limits"])
    ap.add_argument("--quick", action="store_true", help="few shapes, head dim 128 only")
    ap.add_argument("--dtype", default="fp16", choices=sorted(DTYPES))
    ap.add_argument("--json", help="also write the rows here, one JSON object a line")
    a = ap.parse_args()
    out = open(a.json, "w") if a.json else None
    sms = torch.cuda.get_device_properties(0).multi_processor_count

    def emit(rows):
        for r in rows:
            line = json.dumps(r)
            print(line, flush=True)
            if out:
                print(line, file=out, flush=True)
    emit([dict(job="about", torch=torch.__version__, triton=triton.__version__, cudnn=torch.backends.cudnn.version(),
               card=torch.cuda.get_device_name(0))])
    if a.job in ("limits", "variants"):
        emit(limits() if a.job == "limits" else variants(a.dtype))
        return
    for s in (prefill_shapes if a.job == "prefill" else decode_shapes)(a.quick):
        emit(run_shape(a.job, s, a.dtype, sms))
        torch.cuda.empty_cache()


if __name__ == "__main__":
    sys.exit(main())
