"""How fast the machine is: AMD machine code on this CPU beside the same work as native loops, one core, one run.

python benchmarks/machine.py [--arch gfx942] [--repeat 5]
"""

from __future__ import annotations

import argparse
import ctypes
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rewarp import machine
from rewarp.machine.library import compiler
from rewarp.machine.watch import Alarm, Watch

HERE = Path(__file__).parent
N = 1 << 20


def native(folder: str) -> ctypes.CDLL:
    command, linker = compiler()
    made = Path(folder, "native.o")
    options = ["-O2", "-fPIC", "-nostdinc", "-fno-math-errno", "-w"]
    subprocess.run([*command, *options, "-c", str(HERE / "machine_native.c"), "-o", str(made)], check=True)
    subprocess.run([*linker, "-shared", str(made), "-o", str(made.with_suffix(".so"))], check=True)
    return ctypes.CDLL(str(made.with_suffix(".so")))


def best(work: Callable[[], object], repeat: int, clock: Callable[[], float] = time.process_time) -> float:
    times = []
    for _ in range(repeat):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--arch", default="gfx942")
    options.add_argument("--repeat", type=int, default=5)
    wanted = options.parse_args()
    random = np.random.default_rng(1)
    a, b, c = (random.random(N, np.float32) + 0.1 for _ in range(3))
    ints, counts = np.arange(1, 65537, dtype=np.int32), np.zeros(65536, np.int32)
    x, y, z = (random.random((256, 256), np.float32) for _ in range(3))
    rows, normed = (random.random((1024, 1000), np.float32) for _ in range(2))
    work = [
        ("vector add, 1 M", "add", (N // 256,), (256,), (a, b, c, N)),
        ("collatz, 64 K", "collatz", (256,), (256,), (ints, counts, 65536)),
        ("tiled matmul 256³", "matmul", (16, 16), (16, 16), (x, y, z, 256)),
        ("tree reduction, 1 M", "tree", (N // 256,), (256,), (a, c, N)),
        ("shuffle reduction, 1 M", "shuffle", (N // 256,), (256,), (a, c, N)),
        ("8 ocml functions, 1 M", "ocml", (N // 256,), (256,), (a, c, N)),
        ("layer norm 1024 × 1000", "layernorm", (1024,), (256,), (rows, normed, 1000)),
    ]
    program = machine.compile_source(HERE / "machine.hip", wanted.arch, ("-O2",))
    cores = len(os.sched_getaffinity(0))
    print(f"{wanted.arch}, CPU ms on one core, best of {wanted.repeat}; wall-clock ratio of one core to {cores}")
    print("| | machine | native | ratio | cores | watched | slower |\n|---|--:|--:|--:|--:|--:|--:|")
    slower: list[float] = []
    alarms: list[Alarm] = []
    with tempfile.TemporaryDirectory() as folder:
        loops = native(folder)
        for title, name, grid, block, arguments in work:

            def emulated(cores: int = 1, watch: Watch | None = None) -> None:
                program.launch(name, grid, block, arguments, cores=cores, watch=watch)  # noqa: B023

            plain = [
                ctypes.c_void_p(g.ctypes.data) if isinstance(g, np.ndarray) else ctypes.c_int(g) for g in arguments
            ]
            here = best(emulated, wanted.repeat)
            seen = Watch()
            watched = best(lambda: emulated(watch=seen), wanted.repeat)  # noqa: B023
            slower.append(watched / here)
            alarms += seen.alarms
            there = best(lambda: getattr(loops, name)(*plain), wanted.repeat)  # noqa: B023
            one = best(emulated, wanted.repeat, time.perf_counter)
            many = best(lambda: emulated(cores), wanted.repeat, time.perf_counter)
            print(
                f"| {title} | {here * 1e3:.1f} | {there * 1e3:.1f} | {here / there:.1f} | {one / many:.2f} "
                f"| {watched * 1e3:.1f} | {slower[-1]:.2f} |",
                flush=True,
            )
    print(f"\nWatched: {statistics.median(slower):.2f} times slower at the median, {max(slower):.2f} at most")
    for alarm in alarms:
        print(alarm)


if __name__ == "__main__":
    main()
