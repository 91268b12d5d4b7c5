"""How fast CUDA files are translated: rewarp, the other translators on this machine, and a floor, in one run.

    python benchmarks/translate.py FOLDER [--hipify-perl PATH] [--torch-python PYTHON] [--repeat 3] [--json FILE]

One process each, the same files. The floor reads every byte and runs one compiled regular
expression over it (every identifier, looked up in the dictionary of CUDA names): no translator in Python can do less.
Figures are CPU seconds of the process, so that other work on the machine disturbs them less, without start-up: what is
written in Python times itself, and what hipify-perl takes for an empty file is taken off. Rounds are interleaved; the table shows medians and ratios. Slow translators get a share of the
files (--share), picked evenly.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_SUFFIXES = (".cu", ".cuh")
_FLOOR = """
import re, sys, time
from rewarp.tables import cuda
word, names, found = re.compile(rb"[A-Za-z_]\\w*"), cuda.renames(), 0
begun = time.process_time()
for name in sys.stdin.read().split("\\0"):
    if name:
        with open(name, "rb") as stream:
            for match in word.finditer(stream.read()):
                if match[0] in names:
                    found += 1
print(time.process_time() - begun)
"""
_REWARP = """
import sys, time
from rewarp.source import SourceFile
from rewarp.tables import cuda
from rewarp.translation.translator import translate
import rewarp.waves  # what a few files need, and what is loaded then
cuda.renames()
begun = time.process_time()
for name in sys.stdin.read().split("\\0"):
    if name:
        with open(name, "rb") as stream:
            translate(SourceFile(name, stream.read())).data
print(time.process_time() - begun)
"""
_TORCH = """
import sys, time
from torch.utils.hipify import hipify_python
names = [name for name in sys.stdin.read().split("\\0") if name]
begun = time.process_time()
hipify_python.hipify(project_directory=sys.argv[1], output_directory=sys.argv[1] + "_out", extra_files=names,
    includes=[sys.argv[1] + "/*"], is_pytorch_extension=True, show_detailed=False)
print(time.process_time() - begun)
"""


def _cpu_seconds(command: list[str]) -> float:
    """User and system time of a process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _megabytes(files: list[Path]) -> float:
    return sum(file.stat().st_size for file in files) / 1e6


def _readable(file: Path) -> bool:
    """Whether torch's hipify reads a file; it ends the whole run at one that is not UTF-8."""
    try:
        file.read_bytes().decode()
    except UnicodeDecodeError:
        return False
    return True


def _python(code: str, files: list[Path], python: str = sys.executable, *more: str) -> float:
    """CPU seconds of code that prints them as its last line."""
    command = [python, "-c", code, *more]
    done = subprocess.run(command, input="\0".join(map(str, files)), text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return float(done.stdout.split()[-1])


def _hipify_perl(tool: str, files: list[Path]) -> float:
    """Quiet, for its warnings cost a hundred times as much as the translation."""
    command = ["perl", tool, "-quiet-warnings"]
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty.cu")
        empty.write_bytes(b"")
        return _cpu_seconds([*command, *map(str, files)]) - _cpu_seconds([*command, str(empty)])


def _torch(python: str, files: list[Path]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        copies = []
        for number, file in enumerate(files):
            copy = Path(folder, "in", f"{number}{file.suffix}")
            copy.parent.mkdir(exist_ok=True)
            shutil.copyfile(file, copy)
            copies.append(copy)
        return _python(_TORCH, copies, python, str(Path(folder, "in")))


def _start_up(file: Path) -> float:
    """Wall time of ``rewarp translate FILE``, the best of five: what a user waits for one small file."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "rewarp", "translate", str(file), "-q"], stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return min(times)


def _by_cores(folder: Path) -> Iterator[tuple[int, float]]:
    """Wall time of translating the folder whole, into another, on one core and on more."""
    cores = sorted(os.sched_getaffinity(0))
    counts = [count for count in (1, 2, 4, 8, 16, 32, 64) if count < len(cores)] + [len(cores)]
    for count in counts:
        with tempfile.TemporaryDirectory() as out:
            allowed = ",".join(map(str, cores[:count]))
            command = [
                "taskset",
                "-c",
                allowed,
                sys.executable,
                "-m",
                "rewarp",
                "translate",
                "-q",
                "--no-compile",
                str(folder),
                "-o",
                out,
            ]
            start = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            yield count, time.perf_counter() - start


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--hipify-perl", metavar="PATH")
    options.add_argument("--torch-python", metavar="PYTHON", help="a Python that has torch")
    options.add_argument(
        "--cores", action="store_true", help="also wall time of the whole tree on one core and on more"
    )
    options.add_argument("--share", type=int, default=20, help="slow translators get one file of so many")
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--json", type=Path)
    arguments = options.parse_args()
    files = sorted(file for file in arguments.folder.rglob("*") if file.suffix in _SUFFIXES and file.is_file())
    if not files:
        raise SystemExit(f"{arguments.folder}: no .cu or .cuh files")
    few = files[:: arguments.share]
    readable = [file for file in few if _readable(file)]
    tools = {"floor": (lambda: _python(_FLOOR, files), files), "rewarp": (lambda: _python(_REWARP, files), files)}
    if arguments.torch_python:
        tools["torch's hipify"] = (lambda: _torch(arguments.torch_python, readable), readable)
    if arguments.hipify_perl:
        tools["hipify-perl"] = (lambda: _hipify_perl(arguments.hipify_perl, few), few)
    speeds: dict[str, list[float]] = {name: [] for name in tools}
    for number in range(arguments.repeat):
        for name, (run, given) in tools.items():
            print(f"round {number + 1}: {name}, {len(given)} files", file=sys.stderr)
            speeds[name].append(_megabytes(given) / max(run(), 1e-9))
    medians = {name: statistics.median(values) for name, values in speeds.items()}
    start_up = _start_up(min(files, key=lambda file: file.stat().st_size))
    print(f"{len(files)} files, {_megabytes(files):.1f} MB, Python {sys.version.split()[0]}, {os.cpu_count()} cores\n")
    print("| | MB per CPU second | rewarp is so many times as fast |\n|---|---:|---:|")
    for name, speed in medians.items():
        print(f"| {name} | {speed:.2f} | {medians['rewarp'] / speed:.2f} |")
    print(f"\n`rewarp translate` of one small file, start-up and all: {start_up:.3f} s")
    if arguments.cores:
        print("\n| cores | seconds for the tree |\n|---:|---:|")
        for count, seconds in _by_cores(arguments.folder):
            print(f"| {count} | {seconds:.2f} |")
    if arguments.json:
        arguments.json.write_text(json.dumps({"MB per CPU second": speeds, "one file": start_up}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
