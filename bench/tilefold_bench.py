#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our kernels beside what a user would pick instead (peers.py), in one process, by the same method.

  tilefold_bench.py --job speed       the shapes that have a target, and whether it is met
  tilefold_bench.py --job prefill     FA2 over the FlashAttention papers' grid
  tilefold_bench.py --job decode      Flash-Decoding over batches, cache lengths and head groups
  tilefold_bench.py --job launch      what a launch costs the calling thread
  tilefold_bench.py --artifact NAME=PATH ... --shape B,Hq/Hkv,Sq,Sk,D[,causal] ...
                                      several artifacts of one program against each other, for tuning

Works in a folder that `scripts/gpu-suite.sh pack` made: artifacts/ and libtilefold.so beside bench/. No compiler is needed.

Output: one JSON object a line; the first says commit, card, driver, versions, command and the artifacts' hashes, which are those
of the tested ones. A short table comes last. Ratios are medians of per-round ratios of times, peer / ours: more is better.

examples:
  python3 bench/tilefold_bench.py --job speed --json speed.jsonl
  python3 bench/tilefold_bench.py --artifact base=a.tfa --artifact wide=b.tfa --shape 4,16/16,4096,4096,128 --peers fa2
  python3 bench/tilefold_bench.py --artifact decode=artifacts/decode-d128-f16.tfa --shape 16,32/8,1,16384,128 --splits 4,8,16
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys

import torch
import triton

import peers
from tilefold_c import Artifact, Call, Library

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DTYPE_NAMES = {"fp16": "f16", "bf16": "bf16"}


def shape(b, hq, hkv, sq, sk, d, causal=False):
    return dict(b=b, hq=hq, hkv=hkv, sq=sq, sk=sk, d=d, causal=causal)


def prefill(d, s, causal):
    return shape(16384 // s, 2048 // d, 2048 // d, s, s, d, causal)


# (shape, programs, [(what, ours, against, target)]); against: a peer's name, "best" of the peers, or a program of ours.
SPEED = [
    *[(prefill(128, s, False), ["fa2", "fa1-rows"],
       [("FA2, d 128, full, S %d" % s, "tilefold:fa2", "fa2", 0.95), ("fa1-rows, d 128, full, S %d" % s, "tilefold:fa1-rows", "tilefold:fa2", 0.6)])
      for s in (4096, 16384)],
    *[(prefill(d, s, True), ["fa2"], [("FA2, d %d, causal, S %d" % (d, s), "tilefold:fa2", "fa2", 0.90)])
      for d in (128, 64) for s in (4096, 16384)],
    (shape(16, 32, 8, 1, 16384, 128), ["decode"], [("Flash-Decoding, 32/8, batch 16, KV 16k", "tilefold:decode", "best", 0.92)]),
    (shape(1, 32, 8, 1, 65536, 128), ["decode", "fa2"],
     [("Flash-Decoding, 32/8, batch 1, KV 64k", "tilefold:decode", "best", 0.80),
      ("Flash-Decoding, 32/8, batch 1, KV 64k, over our FA2", "tilefold:decode", "tilefold:fa2", 3.0)]),
]


def artifact_path(folder, program, s, dtype):
    return os.path.join(folder, "%s-d%d-%s%s.tfa" % (program, s["d"], DTYPE_NAMES[dtype], "-causal" if s["causal"] else ""))


class Ours:
    """Opens artifacts once, and makes candidates of them."""

    def __init__(self, library):
        self.library, self.opened = library, {}

    def open(self, path):
        if path not in self.opened:
            self.opened[path] = Artifact(self.library, path)
        return self.opened[path]

    def candidate(self, path, q, k, v, splits=None):
        """A function as peers.measure wants it. What is wrong with the artifact becomes an error of its row."""
        state = {}

        def run():
            if "call" not in state:
                artifact = self.open(path)
                o = torch.full_like(q, float("nan"))
                lse = torch.full(q.shape[:3], float("nan"), device=q.device, dtype=torch.float32)
                call = Call(artifact, dict(q=q, k=k, v=v, o=o, lse=lse), dict(splits=splits))
                state.update(call=call, o=o)
                run.facts.update(alternative=call.plan["alternative"], code=call.plan["code"],
                                 blocks=[launch["blocks"] for launch in call.plan["launches"]], artifact_hash=artifact.hash)
            state["call"]()
            return state["o"]
        run.facts = dict(artifact=os.path.basename(path))
        return run


def rounds_ratio(ours, other):
    """Median over rounds of other / ours: above 1 where ours is faster."""
    ratios = sorted(b / a for a, b in zip(ours["rounds"], other["rounds"]))
    return ratios[len(ratios) // 2]


def find(rows, name):
    return next((r for r in rows if r["peer"] == name and "ms" in r), None)


def best_peer(rows):
    timed = [r for r in rows if "ms" in r and not r["peer"].startswith("tilefold:") and not r["peer"].endswith("_again")]
    return min(timed, key=lambda r: r["ms"], default=None)


def label(s):
    return "B%d H%d/%d S%dx%d d%d%s" % (s["b"], s["hq"], s["hkv"], s["sq"], s["sk"], s["d"], " causal" if s["causal"] else "")


def table(rows, s):
    """One line a candidate: time, rate, ratio to the first peer and to the best."""
    first, best = next((r for r in rows if "ms" in r), None), best_peer(rows)
    lines = [label(s)]
    for r in rows:
        if "ms" not in r:
            lines.append("  %-28s %s" % (r["peer"], r.get("error", "not timed")))
            continue
        rate = "%8.0f GB/s" % r["gbps"] if "gbps" in r else "%8.1f TFLOP/s" % r["tflops"]
        lines.append("  %-28s %9.4f ms %s  spread %4.1f %%  %5.3f x %s%s" % (
            r["peer"], r["ms"], rate, 100 * r["spread"], rounds_ratio(r, first), first["peer"],
            "  %5.3f x best" % rounds_ratio(r, best) if best else ""))
    return "\n".join(lines)


def driver_version():
    try:
        return subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True,
                              text=True, timeout=20).stdout.split("\n")[0]
    except (OSError, subprocess.TimeoutExpired):
        return "?"


def commit():
    path = os.path.join(ROOT, "commit")
    if os.path.exists(path):
        return open(path).read().strip()
    try:
        return subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip() or "?"
    except OSError:
        return "?"


def launch_rows(tool, folder, dtype):
    """The pack's own program measures: an interpreter's call costs as much as what is to be measured."""
    rows = []
    for program in ("fa2", "decode"):
        path = artifact_path(folder, program, dict(d=128, causal=False), dtype)
        done = subprocess.run([tool, path], capture_output=True, text=True)
        row = json.loads(done.stdout) if done.returncode == 0 else dict(job="launch", error=done.stderr.strip()[:300])
        rows.append(dict(row, program=program, artifact=os.path.basename(path)))
    return rows


def parse_shape(text):
    match = re.fullmatch(r"(\d+),(\d+)/(\d+),(\d+),(\d+),(\d+)(,causal)?", text)
    if not match:
        raise argparse.ArgumentTypeError("'%s' is not B,Hq/Hkv,Sq,Sk,D[,causal]" % text)
    return shape(*map(int, match.groups()[:6]), causal=bool(match[7]))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--job", choices=["speed", "prefill", "decode", "launch"], default=None)
    ap.add_argument("--artifacts", default=os.path.join(ROOT, "artifacts"), help="folder of PROGRAM-dD-DTYPE[-causal].tfa")
    ap.add_argument("--library", help="libtilefold.so")
    ap.add_argument("--launch-bench", help="tilefold-launch-bench")
    ap.add_argument("--artifact", action="append", default=[], metavar="NAME=PATH", help="a candidate; may be repeated")
    ap.add_argument("--shape", action="append", default=[], type=parse_shape, metavar="B,Hq/Hkv,Sq,Sk,D[,causal]")
    ap.add_argument("--programs", help="comma list; for prefill (default fa2) and decode (default decode)")
    ap.add_argument("--splits", default="", help="comma list: Flash-Decoding also with these numbers of splits")
    ap.add_argument("--peers", help="comma list of fa2, cudnn, triton; default: all, with --artifact fa2 alone")
    ap.add_argument("--dtype", default="fp16", choices=sorted(DTYPE_NAMES))
    ap.add_argument("--quick", action="store_true", help="few shapes of the grids; fewer and shorter rounds")
    ap.add_argument("--rounds", type=int)
    ap.add_argument("--rep", type=int, help="milliseconds of replays in one round")
    ap.add_argument("--json", help="also write the rows here")
    a = ap.parse_args()
    if bool(a.job) == bool(a.artifact):
        ap.error("give either --job or --artifact")
    if a.artifact and not a.shape:
        ap.error("--artifact needs at least one --shape")

    def locate(given, *names):
        found = [p for n in names for p in glob.glob(os.path.join(ROOT, n))]
        if given or found:
            return given or found[0]
        ap.error("there is no %s; give it by an option" % names[0])
    library = Library(locate(a.library, "libtilefold.so", "build/lib/libtilefold.so"))
    ours, splits = Ours(library), [None] + [int(n) for n in a.splits.split(",") if n]
    chosen = a.peers.split(",") if a.peers else ["fa2"] if a.artifact else None
    sms = torch.cuda.get_device_properties(0).multi_processor_count
    out = open(a.json, "w") if a.json else None

    def emit(rows):
        for row in rows:
            line = json.dumps(row)
            print(line, flush=True)
            if out:
                print(line, file=out, flush=True)
    emit([dict(job="about", commit=commit(), card=torch.cuda.get_device_name(0), driver=driver_version(), torch=torch.__version__,
               triton=triton.__version__, cudnn=torch.backends.cudnn.version(), tilefold=library.version,
               command=" ".join(sys.argv))])

    tables, verdicts = [], []

    def measure(job, s, named):
        """named(): (name, path) of our candidates."""
        def extra(s, q, k, v):
            for name, path in named:
                for n in splits if "decode" in os.path.basename(path) or "decode" in name else [None]:
                    yield "tilefold:%s%s" % (name, "" if n is None else "@%d" % n), ours.candidate(path, q, k, v, n)
        rounds, rep = (a.rounds or (3 if a.quick else None)), (a.rep or (30 if a.quick else None))
        rows = peers.run_shape(job, s, a.dtype, sms, extra, chosen, rounds, rep)
        emit(rows)
        tables.append(table(rows, s))
        torch.cuda.empty_cache()
        return rows

    if a.artifact:
        named = [tuple(each.split("=", 1)) if "=" in each else (os.path.basename(each), each) for each in a.artifact]
        for s in a.shape:
            measure("tune", s, named)
        for _, path in named:
            log = ours.opened[path].jit_log() if path in ours.opened else ""
            used = [line.strip() for line in log.splitlines() if "Used" in line or "spill" in line or "ompiling entry" in line]
            if used:
                tables.append("%s\n  %s" % (path, "\n  ".join(used)))
    elif a.job == "speed":
        for s, programs, targets in SPEED:
            rows = measure("speed", s, [(p, artifact_path(a.artifacts, p, s, a.dtype)) for p in programs])
            for what, mine, against, target in targets:
                our, other = find(rows, mine), best_peer(rows) if against == "best" else find(rows, against)
                ratio = rounds_ratio(our, other) if our and other else None
                verdicts.append(dict(job="target", what=what, against=other["peer"] if other else against, target=target,
                                     ratio=ratio, met=ratio is not None and ratio >= target))
    elif a.job in ("prefill", "decode"):
        programs = (a.programs or ("fa2" if a.job == "prefill" else "decode")).split(",")
        for s in (peers.prefill_shapes if a.job == "prefill" else peers.decode_shapes)(a.quick):
            measure(a.job, s, [(p, artifact_path(a.artifacts, p, s, a.dtype)) for p in programs])
    if a.job in ("speed", "launch"):
        tool = locate(a.launch_bench, "tilefold-launch-bench", "build/bin/tilefold-launch-bench")
        rows = launch_rows(tool, a.artifacts, a.dtype)
        emit(rows)
        for r in rows:
            overhead = r.get("overhead_us")
            verdicts.append(dict(job="target", what="launch of %s, host side, us more than cuLaunchKernelEx" % r["program"],
                                 against="cuLaunchKernelEx", target=1.5, ratio=overhead, met=overhead is not None and overhead <= 1.5))
    emit(verdicts)
    emit([dict(job="artifacts", hashes={os.path.basename(p): x.hash for p, x in ours.opened.items()})])
    print("\n".join(tables))
    for v in verdicts:
        print("%-4s %-58s %s (target %g) against %s" % ("ok" if v["met"] else "MISS", v["what"],
                                                        "-" if v["ratio"] is None else "%.3f" % v["ratio"], v["target"], v["against"]))


if __name__ == "__main__":
    sys.exit(main())
