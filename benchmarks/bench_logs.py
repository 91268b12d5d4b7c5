"""How fast logs are read: a Megatron log of any size, made here, against ``grep -c`` on the same file in the same run.

    python benchmarks/bench_logs.py --megabytes 1000 --noise 0.2

Times are seconds of one core, the best of ``--rounds``; memory is the most that process had. ``grep -c`` only counts the
lines that hold one text; rewarp reads every figure, drops the warm-up and makes the intervals.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rewarp.bench.logs import LogReader, read_logs

ARGUMENTS = """------------------------ arguments ------------------------
  global_batch_size ............................... 128
  hidden_size ..................................... 4096
  micro_batch_size ................................ 1
  num_attention_heads ............................. 32
  num_layers ...................................... 32
  seq_length ...................................... 4096
  world_size ...................................... 64
  bf16 ............................................ True
-------------------- end of arguments ---------------------
"""
STEP = (
    " [2025-08-{day:02d} {hour:02d}:{minute:02d}:{second:02d}] iteration {step:8d}/ 9000000 | consumed samples: "
    "{samples:12d} | elapsed time per iteration (ms): {ms:.1f} | throughput per GPU (TFLOP/s/GPU): {tflops:.1f} | "
    "learning rate: {rate:.6E} | global batch size:   128 | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: "
    "{norm:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
)
NOISE = (
    "[rank{rank}]:W0801 07:20:03.703000 {rank} torch/distributed/run.py:766] Setting OMP_NUM_THREADS to be 1 in default\n",
    "(min, max) time across ranks (ms):\n    forward-backward ...............: ({rank}01.12, {rank}02.90)\n",
    "saving checkpoint at iteration {rank}000 to /checkpoints in torch_dist format\n",
)


def write_log(file: Path, size: int, noise: float, seed: int = 1) -> int:
    """How many steps it holds."""
    chooser = random.Random(seed)
    steps = written = 0
    with file.open("w") as stream:
        written += stream.write(ARGUMENTS)
        while written < size:
            if chooser.random() < noise:
                written += stream.write(chooser.choice(NOISE).format(rank=chooser.randrange(8)))
                continue
            steps += 1
            ms = chooser.gauss(12978.1, 40) * (3 if steps == 1 else 1)
            seconds = steps * 13
            written += stream.write(
                STEP.format(
                    day=1 + seconds // 86400 % 28,
                    hour=seconds // 3600 % 24,
                    minute=seconds // 60 % 60,
                    second=seconds % 60,
                    step=steps,
                    samples=steps * 128,
                    ms=ms,
                    tflops=118.3 * 12978.1 / ms,
                    rate=1e-4,
                    loss=2 + 8 / steps**0.5,
                    norm=chooser.random(),
                )
            )
    return steps


def best(rounds: int, job: Callable[[], object]) -> float:
    """Processor time, of this process and those it waited for: others on the machine do not count."""
    times = []
    for _ in range(rounds):
        began = sum(os.times()[:4])
        job()
        times.append(sum(os.times()[:4]) - began)
    return min(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--noise", type=float, default=0.2, help="share of lines that are no steps (default: 0.2)")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    try:
        log = folder / "megatron.log"
        steps = write_log(log, arguments.megabytes * 1_000_000, arguments.noise)
        size = log.stat().st_size / 1e6
        print(f"{size:.0f} MB, {steps} steps, {arguments.noise:.0%} of the lines are others")
        text = "elapsed time per iteration"
        grep = best(
            arguments.rounds, lambda: subprocess.run(["grep", "-c", text, log], check=True, capture_output=True)
        )

        def stream() -> None:
            reader = LogReader()
            with log.open("rb") as source:
                while data := source.read(1 << 20):
                    reader.feed(data)
            if reader.steps != steps:
                sys.exit(f"{reader.steps} steps were read, {steps} are there")

        parsed = best(arguments.rounds, stream)
        whole = best(arguments.rounds, lambda: read_logs([log]))
        for name, seconds in (("grep -c", grep), ("rewarp, reading", parsed), ("rewarp, with statistics", whole)):
            print(f"{name:25} {seconds:7.2f} s {size / seconds:8.0f} MB/s")
        print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
