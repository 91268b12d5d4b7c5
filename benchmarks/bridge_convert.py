"""How fast ``rewarp bridge convert`` is, against ``cp --reflink=never`` and fsync of the same bytes, in the same run.

    python benchmarks/bridge_convert.py FOLDER [--gib 4] [--repeat 3] [--json FILE]

FOLDER is on the disk that is measured; a checkpoint of normal weights is made there, and removed in the end. Each figure is
the wall time of a fresh process, start-up, reading back and fsync included; rounds are interleaved. The largest resident
memory of any process of the conversion is measured too, for that size and for an eighth of it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from rewarp.bridge.formats import ENCODINGS

_CASES = {
    "cp and fsync": [],
    "bits, scales doubled": ["--to", "fnuz"],
    "by value": ["--to", "fnuz", "--keep-scales"],
    "halved for Gaudi 2": ["--to", "gaudi2"],
}
_MEASURED = """
import resource, sys
from rewarp.cli import main
code = main(sys.argv[1:])
print(max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) >> 10, code)
"""


def _make(file: Path, size: int) -> None:
    """A safetensors file of one tensor of normal weights, as a quantiser stores them, with their scale."""
    codes = _normal_codes(1 << 22)
    shape = {"dtype": "F8_E4M3", "shape": [size >> 10, 1 << 10], "data_offsets": [0, size]}
    scale = {"dtype": "F32", "shape": [1], "data_offsets": [size, size + 4]}
    head = json.dumps({"l.weight": shape, "l.weight_scale": scale}).encode()
    with open(file, "wb") as stream:
        stream.write(len(head).to_bytes(8, "little") + head)
        for _ in range(size >> 22):
            stream.write(codes)
        stream.write(b"\0\0\x80\x3f")
        stream.flush()
        os.fsync(stream.fileno())


def _normal_codes(count: int) -> bytes:
    """Scaled so that five standard deviations are the largest number that there is."""
    encoding = ENCODINGS["e4m3fn"]
    finite = sorted((value, code) for code, value in enumerate(encoding.values) if value == value)
    bounds = [(low + high) / 2 for (low, _), (high, _) in pairwise(finite)]
    share = [statistics.NormalDist(0.0, encoding.largest / 5).cdf(bound) for bound in bounds]
    weights = [high - low for low, high in pairwise([0.0, *share, 1.0])]
    return bytes(random.Random(1).choices([code for _, code in finite], weights, k=count))


def _copy(source: Path, target: Path) -> float:
    start = time.perf_counter()
    subprocess.run(["cp", "--reflink=never", source, target], check=True)
    descriptor = os.open(target, os.O_RDWR)
    os.fsync(descriptor)
    os.close(descriptor)
    return time.perf_counter() - start


def _convert(source: Path, target: Path, options: list[str]) -> tuple[float, int]:
    """Seconds, and MiB."""
    command = [sys.executable, "-c", _MEASURED, "bridge", "convert", str(source), str(target), "--quiet", *options]
    start = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    elapsed = time.perf_counter() - start
    memory, code = map(int, done.stdout.split())
    if code > 1:
        raise SystemExit(f"{command} ended with {code}")
    return elapsed, memory


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--gib", type=float, default=4.0)
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--json", type=Path)
    arguments = options.parse_args()
    size = int(arguments.gib * 16) << 26
    times: dict[str, list[float]] = {name: [] for name in _CASES}
    memory: dict[str, int] = {}
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        source, target = Path(folder, "model.safetensors"), Path(folder, "out.safetensors")
        for number in (size // 8 >> 26 << 26, size):
            _make(source, number)
            for _ in range(arguments.repeat if number == size else 1):
                for name, given in _CASES.items():
                    elapsed, used = _convert(source, target, given) if given else (_copy(source, target), 0)
                    target.unlink()
                    if number == size:
                        times[name].append(elapsed)
                    if given:
                        memory[f"{number >> 20} MiB"] = max(used, memory.get(f"{number >> 20} MiB", 0))
    medians = {name: statistics.median(found) for name, found in times.items()}
    base = medians["cp and fsync"]
    print(
        f"{size >> 20} MiB, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}, medians of {arguments.repeat} rounds"
    )
    for name, seconds in medians.items():
        print(
            f"{name:22} {seconds:7.2f} s {size / seconds / (1 << 30):6.2f} GiB/s   {base / seconds:5.2f} of cp's speed"
        )
    print(f"largest resident memory: {', '.join(f'{used} MiB for {name}' for name, used in memory.items())}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"bytes": size, "seconds": times, "memory_mib": memory}, indent=1) + "\n")
    return 0 if all(base / seconds >= 1 / 3 for seconds in medians.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
