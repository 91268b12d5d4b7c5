"""Comparisons of a thing with itself: how many say faster or slower, and is a true slowdown of 10 % found?

    python benchmarks/self_comparison.py                        the accelerator here, or the processor, for seven minutes
    python benchmarks/self_comparison.py --device cpu --minutes 5 --json counts.json

Needs torch. Measures the same short benchmarks again and again, each time as ``rewarp bench run`` does (several processes make a
result), until the time is up; then compares results with each other as ``rewarp bench compare`` does. The slowed twin of a benchmark
does 10 % more work than it is said to do. Pairs are drawn from all there are with a fixed seed: they share results, and are not
independent of each other. Exit code 1: more than 5 of 100 differ from themselves, or (on an accelerator) fewer than 80 of 100
slowdowns are found.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import time
from collections import Counter
from dataclasses import replace
from typing import Any

from rewarp.bench.compare import Settings, compare
from rewarp.bench.compare_inputs import Benchmark, Run
from rewarp.bench.derive import derive
from rewarp.bench.result import Result
from rewarp.bench.run import parent
from rewarp.bench.summary import summarise

_SLOWED = " slowed"
_COMPARISONS = 100
_AT_MOST, _AT_LEAST = 0.05, 0.80


def benchmarks(platform: str) -> dict[str, Any]:
    """Short ones, each but the training with a twin that does a tenth more than its figures are made of."""
    small = platform == "cpu"
    shapes: list[dict[str, Any]] = [
        {"kind": "matmul", "name": "matmul", "size": 256 if small else 4096, "repeat": 20, "rest": 0.001},
        {"kind": "bandwidth", "name": "bandwidth", "size": 1 << (24 if small else 28), "repeat": 10, "flush": False},
        {"kind": "attention", "name": "attention", "size": 128 if small else 4096, "heads": 16, "repeat": 10},
    ]
    twins = [{**shape, "name": shape["name"] + _SLOWED, "repeat": shape["repeat"] * 11 // 10} for shape in shapes]
    train: dict[str, Any] = {"kind": "training", "name": "training", "model": "tiny" if small else "gpt-124m"}
    train |= {"sequence": 128 if small else 1024, "micro_batch": 4 if small else 8}
    return {
        "defaults": {"precision": "fp32" if small else "bf16", "steps": 30, "seconds": 5.0},
        "benchmark": [*shapes, *twins, train],
    }


def measured(platform: str, processes: int | None, minutes: float) -> list[list[Result]]:
    """As many times over as there is time for."""
    request = parent.Request(benchmarks(platform), "self_comparison", platform, "", {}, None, processes)
    planned, found, began, longest = parent.plan(request), list[list[Result]](), time.monotonic(), 0.0
    while time.monotonic() - began + longest < 60 * minutes:
        start = time.monotonic()
        found.append(parent.measured(request, planned, lambda name, done, steps: None))
        longest = max(longest, time.monotonic() - start)
        print(f"{len(found)} results of each, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return found


def as_said(slowed: Result, plain: Result) -> Result:
    """The slowed one, said to do what the plain one does."""
    return derive(summarise(replace(slowed, name=plain.name, configuration=plain.configuration)))


def verdict(first: Result, second: Result) -> str:
    runs = tuple(Run(name, name, result, name, name) for name, result in (("first", first), ("second", second)))
    comparison = compare([Benchmark(first.name, first.kind, runs)], Settings())
    return str(next(iter(comparison.pairs))[1].verdict.value)


def counts(rounds: list[list[Result]], is_slowed: bool) -> dict[str, Counter[str]]:
    """Verdicts by benchmark, of as many pairs as are wanted in all."""
    by_name: dict[str, list[Result]] = {}
    for results in rounds:
        for result in results:
            by_name.setdefault(result.name, []).append(result)
    names = [name for name in by_name if not name.endswith(_SLOWED) and (not is_slowed or name + _SLOWED in by_name)]
    chooser, found = random.Random(0), dict[str, Counter[str]]()
    for place, name in enumerate(names):
        own, others = by_name[name], by_name[name + _SLOWED] if is_slowed else by_name[name]
        pairs = list(itertools.product(range(len(own)), range(len(others)))) if is_slowed else []
        pairs = pairs or list(itertools.permutations(range(len(own)), 2))
        share = _COMPARISONS // len(names) + (place < _COMPARISONS % len(names))
        chosen = chooser.sample(pairs, min(share, len(pairs)))
        found[name] = Counter(
            verdict(own[one], as_said(others[two], own[one]) if is_slowed else others[two]) for one, two in chosen
        )
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cuda", "rocm", "hpu", "xpu", "cpu"])
    parser.add_argument("--minutes", type=float, default=7.0)
    parser.add_argument("--processes", type=int, help="for each result (default: as rewarp bench run decides)")
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    platform = arguments.device or parent.platforms()[0]
    rounds = measured(platform, arguments.processes, arguments.minutes)
    if len(rounds) < 2:
        print("too little time for two results", file=sys.stderr)
        return 1
    same, slowed = counts(rounds, is_slowed=False), counts(rounds, is_slowed=True)
    device = rounds[0][0].device["name"].value
    spreads = {
        name: max(one.summary["processes"]["spread"] for results in rounds for one in results if one.name == name)
        for name in same
    }
    print(
        f"{device}: {len(rounds)} results of each benchmark, {arguments.processes or parent.SEVERAL} processes each or more"
    )
    total, wrong = sum(map(Counter.total, same.values())), 0
    for name, found in same.items():
        wrong += found["faster"] + found["slower"]
        print(f"  {name} with itself: {dict(found)}; processes of a result differ by up to {spreads[name]:.1%}")
    hits, tries = sum(found["slower"] for found in slowed.values()), sum(map(Counter.total, slowed.values()))
    for name, found in slowed.items():
        print(f"  {name} with itself slowed by 10 %: {dict(found)}")
    print(f"{wrong} of {total} differ from themselves; {hits} of {tries} slowdowns of 10 % found")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as stream:
            said = {"device": device, "results": len(rounds), "processes": arguments.processes, "spread": spreads}
            json.dump({**said, "same": same, "slowed": slowed, "wrong": wrong, "hits": hits}, stream, indent=1)
    missed = platform != "cpu" and hits < _AT_LEAST * tries
    return 1 if wrong > _AT_MOST * total or missed else 0


if __name__ == "__main__":
    sys.exit(main())
