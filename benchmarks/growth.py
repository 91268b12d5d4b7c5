"""How the time of every reader grows with its input, for inputs that are made to be hard to read.

    python benchmarks/growth.py [--reader NAME ...] [--only TEXT] [--all] [--limit 30] [--cap 1000000] [--json FILE]
    python benchmarks/growth.py --patterns

The first form gives every reader (a command of rewarp, on a folder that holds one hostile file) texts of growing size
until it takes a quarter of a second or the text has reached the cap, and prints the exponent from a quarter of the last
size to that size: 1 is time in proportion to size, 2 is its square. What looks steep in less than a second is measured
four times larger, beyond the cap too. Figures are CPU seconds, without what an empty text takes, in a process of its own
that ends at the time limit: a hang is a row of the table, and so is a crash or a traceback.
The second form does the same with every regular expression of the package by itself (growth_patterns.py).
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import json
import math
import os
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import growth_inputs as inputs
from growth_inputs import Attack, Language

from rewarp import cli
from rewarp.verify.build.units import read_tree

STEEPEST = 1.3
_FIRST, _STEP, _ENOUGH = 4_000, 4, 0.25
_QUICK = 0.05
"""Seconds below which the next size may be two steps larger."""
_BEYOND = 16
"""How many times the cap a text may be that looks steep while it takes too little to be believed."""
_SURE = 1.0
"""Seconds from which a steep step needs no further one to be believed."""
_MEMORY = 6 << 30
_LEAST = 0.15
"""Seconds below which a figure is noise: no exponent is made of them."""

_GATE = {
    "c": b"\n#ifdef USE_ROCM\nint rocm;\n#endif\n",
    "python": b"\nif torch.version.hip:\n    rocm = 1\n",
    "#": b"\n# rocm\n",
}


@dataclass(frozen=True)
class Reader:
    """A command, the name of the file that it is given, and what that file is attacked with."""

    name: str
    file: str
    attacks: list[Attack]
    run: Callable[[Path], Any]
    beside: tuple[tuple[str, bytes], ...] = ()
    change: bytes | None = None
    """Where two trees are compared: what the second file has more than the first."""

    def write(self, folder: Path, text: bytes) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        trees = [(folder, text)]
        if self.change is not None:
            trees = [(folder / "base", text), (folder / "head", text + self.change)]
        for tree, data in trees:
            for name, content in (*self.beside, (self.file, data)):
                file = tree / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)


def _command(*words: str) -> Callable[[Path], Any]:
    """A command of rewarp; ``{}`` stands for the folder."""
    return lambda folder: cli.main([word.replace("{}", str(folder)) for word in words])


_SCAN = _command("scan", "{}", "--no-cache", "-j", "1", "--fail-on", "never", "--all")
_GAUDI = _command("scan", "{}", "--no-cache", "-j", "1", "--fail-on", "never", "--target", "gaudi")
_PARITY = _command("parity", "{}", "--no-cache", "--jobs", "1", "--all")
# Verification is a table of its own, and compiles.
_PORT = _command("port", "{}", "--no-cache", "--jobs", "1", "-q", "--skip", "verification")
_ISOLATION = _command("verify", "isolation", "{}/base", "{}/head", "-q")
_UNIT = (("a.cu", b"__global__ void k() {}\n"),)
_TORCH = (("a.py", b"import torch\n"),)
_SETTINGS = (("rewarp.toml", b'[parity]\na = "cuda"\nb = "metal"\n'),)
# Kernels are looked at where something launches them.
_WORKSPACE = (
    ("Cargo.toml", b'[package]\nname = "a"\nversion = "0.1.0"\n[features]\ncuda = []\nmetal = []\n'),
    (
        "src/lib.rs",
        b"""trait Storage { fn f(&self); }
struct CudaStorage;
struct MetalStorage;
#[cfg(feature = "cuda")]
impl Storage for CudaStorage { fn f(&self) { launch("k"); } }
#[cfg(feature = "metal")]
impl Storage for MetalStorage { fn f(&self) { launch("k"); } }
""",
    ),
)


def readers() -> list[Reader]:
    found = [
        Reader("translate", "a.cu", inputs.CUDA.attacks, _command("translate", "{}/a.cu", "-q")),
        Reader("waves", "a.cu", inputs.CUDA.attacks, _command("waves", "{}")),
        Reader("waves --diff", "a.cu", inputs.CUDA.attacks, _command("waves", "{}", "--diff", "--unsafe-fixes")),
        Reader("verify build", "a.cu", inputs.CUDA.attacks, read_tree),
        Reader("verify build", "CMakeLists.txt", inputs.CMAKE.attacks, read_tree, _UNIT),
        Reader("verify build", "Makefile", inputs.MAKE.attacks, read_tree, _UNIT),
        Reader("verify build", "setup.py", _PYTHON, read_tree, _UNIT),
    ]
    for name, language in _SCANNED.items():
        found.append(Reader("scan", name, _attacks(language), _SCAN))
    found.append(Reader("scan --target gaudi", "a.py", _PYTHON, _GAUDI))
    for name in ("a.py", "a.cu", "a.rs", "a.metal"):
        beside = (*_SETTINGS, *_WORKSPACE) if name in ("a.cu", "a.metal") else _SETTINGS
        found.append(Reader("parity", name, _attacks(_SCANNED.get(name, inputs.METAL)), _PARITY, beside))
    for name in (
        "a.py",
        "a.cu",
        "a.rs",
        "CMakeLists.txt",
        "setup.py",
        "pyproject.toml",
        "requirements.txt",
        "Dockerfile",
    ):
        change = _GATE[{"a.py": "python", "setup.py": "python", "a.cu": "c"}.get(name, "#")]
        found.append(Reader("verify isolation", name, _attacks(_SCANNED[name]), _ISOLATION, change=change))
    for name in (
        "a.py",
        "a.cu",
        "CMakeLists.txt",
        "Makefile",
        "setup.py",
        "Dockerfile",
        "compose.yml",
        "Cargo.toml",
        "a.rs",
    ):
        beside = () if name.endswith(".cu") else _UNIT
        found.append(
            Reader("port", name, _attacks(_SCANNED[name]), _PORT, (*beside, *_TORCH) if name != "a.py" else beside)
        )
    found += [Reader("bench logs", "a.log", attacks, _command("bench", "logs", "{}/a.log", "-q")) for attacks in _LOGS]
    return found


_PYTHON = [*inputs.PYTHON.attacks, *inputs.PYTHON_CHAINS]
_SCANNED: dict[str, Language] = {
    "a.py": inputs.PYTHON,
    "a.cu": inputs.CUDA,
    "a.rs": inputs.RUST,
    "CMakeLists.txt": inputs.CMAKE,
    "Makefile": inputs.MAKE,
    "setup.py": inputs.PYTHON,
    "pyproject.toml": inputs.TOML,
    "Cargo.toml": inputs.CARGO,
    "requirements.txt": inputs.REQUIREMENTS,
    "environment.yml": inputs.CONDA,
    "Dockerfile": inputs.DOCKERFILE,
    "compose.yml": inputs.COMPOSE,
    "a.yaml": inputs.YAML,
    ".github/workflows/a.yml": inputs.ACTIONS,
    "a.sh": inputs.SHELL,
    ".env": inputs.DOTENV,
    "a.ipynb": Language(),
}


def _attacks(language: Language) -> list[Attack]:
    if language is inputs.PYTHON:
        return _PYTHON
    return language.attacks or _notebooks()


def _notebooks() -> list[Attack]:
    """Python in cells: one that is hostile, and many."""
    head, tail = '{"nbformat": 4, "metadata": {}, "cells": [', "]}"
    cell = '{"cell_type": "code", "source": ["import torch\\n", "torch.cuda.synchronize()"], "outputs": []}'
    found = [Attack("many cells", cell + ",", cell, "", head, tail)]
    found += [
        Attack(name, unit, middle, closing, head, tail)
        for name, unit, middle, closing in (
            ("[", "[", "", ""),
            ("[…]", "[", "", "]"),
            ('{"a":', '{"a":', "1", "}"),
            ('"', '"', "", ""),
            ("\\", "\\", "", ""),
            ("many lines", '"torch.cuda.synchronize()\\n",', "", ""),
        )
    ]
    for attack in _PYTHON:
        parts = (json.dumps(part)[1:-1] for part in (attack.head, attack.unit, attack.middle, attack.closing))
        before, unit, middle, closing = parts
        opened = f'{head}{{"cell_type": "code", "outputs": [], "source": "{before}'
        found.append(
            Attack(
                f"cell: {attack.name}",
                unit.replace("\\u2039", "‹").replace("\\u203a", "›"),
                middle,
                closing,
                opened,
                f'"}}{tail}',
            )
        )
    return found


def _samples() -> Iterator[Attack]:
    """The logs that the tests read: each longer and longer, and with one part of a line repeated."""
    folder = Path(__file__).parent.parent / "tests" / "bench"
    for file in sorted([*(folder / "logs").glob("*.*l*"), *(folder / "documents").iterdir()]):
        text = file.read_text(errors="replace")
        name = file.name
        yield Attack(f"{name} again", text)
        lines = sorted(set(text.splitlines(keepends=True)), key=len)
        line = lines[len(lines) * 3 // 4]
        yield Attack(f"{name}: a line", line, "", "", text)
        half = len(line) // 2
        for pump in (" ", "1", "a", line[half : half + 8].strip("\n") or "x"):
            yield Attack(f"{name}: {pump!r} in a line", pump, line[half:], "", text + line[:half], "")


_LOGS = [inputs.LOG_LINES.attacks, list(_samples())]


# --- measuring ----------------------------------------------------------------------


@dataclass
class Row:
    """What became of one input."""

    reader: str
    attack: str
    sizes: list[int]
    seconds: list[float]
    trouble: str = ""

    @property
    def exponent(self) -> float | None:
        return exponent(self.sizes, self.seconds)

    @property
    def is_bad(self) -> bool:
        return bool(self.trouble) or (self.exponent or 0) > STEEPEST


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float | None:
    """Of the last step, if it took long enough to say."""
    if len(seconds) < 2 or seconds[-1] < _LEAST:
        return None
    return math.log(seconds[-1] / max(seconds[-2], 1e-3)) / math.log(sizes[-1] / sizes[-2])


def _measure(reader: Reader, attack: Attack, cap: int, send: Callable[[dict[str, Any]], None]) -> None:
    """In the child: sizes and seconds, as they come."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "tree")

        def used(text: bytes) -> float:
            reader.write(folder, text)
            begun = _cpu()
            reader.run(folder)
            return _cpu() - begun

        baseline = min(used(b"\n") for _ in range(2))
        known: dict[int, tuple[int, float]] = {}

        def net(size: int) -> tuple[int, float]:
            """Of about so many bytes, how many they are and the seconds they take."""
            if size not in known:
                text = attack.text(size)
                known[size] = len(text), max(used(text) - baseline, 0.0)
                send({"size": known[size][0], "seconds": known[size][1]})
            return known[size]

        size = _FIRST
        while (seconds := net(size)[1]) < _ENOUGH and size < cap:
            size = min(size * (_STEP if seconds >= _QUICK else _STEP * _STEP), cap)
        while (seconds := net(size)[1]) >= _LEAST:
            sizes, times = zip(net(size // _STEP), net(size))
            if (exponent(sizes, times) or 0) <= STEEPEST or seconds >= _SURE or size >= cap * _BEYOND:
                return
            size *= _STEP


def in_child(work: Callable[[Callable[[dict[str, Any]], None]], None], limit: int) -> tuple[list[dict[str, Any]], str]:
    """What work sent from a process of its own, and how that ended if not well."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        faulthandler.disable()
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        with os.fdopen(writing, "w", buffering=1) as stream:

            def send(row: dict[str, Any]) -> None:
                print(json.dumps(row), file=stream)

            try:
                work(send)
            except BaseException as error:
                send({"trouble": f"{type(error).__name__}: {error}"[:200]})
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        rows = [json.loads(line) for line in stream if line.endswith("}\n")]
    _, status = os.waitpid(child, 0)
    trouble = next((row["trouble"] for row in rows if "trouble" in row), "")
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        trouble = f"over {limit} s" if number in (signal.SIGXCPU, signal.SIGKILL) else signal.Signals(number).name
    return [row for row in rows if "size" in row], trouble


def _row(reader: Reader, attack: Attack, limit: int, cap: int) -> Row:
    sent, trouble = in_child(lambda send: _measure(reader, attack, cap, send), limit)
    sent.sort(key=lambda row: row["size"])
    name = f"{reader.name}, {reader.file}"
    return Row(name, attack.name, [row["size"] for row in sent], [row["seconds"] for row in sent], trouble)


def _warm(reader: Reader) -> None:
    """Loads what the reader needs, so that not every process has to."""
    with (
        tempfile.TemporaryDirectory() as place,
        open(os.devnull, "w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        reader.write(Path(place, "tree"), b"\n")
        reader.run(Path(place, "tree"))


def shown(row: Row) -> str:
    size = f"{row.sizes[-1] / 1000:,.0f}" if row.sizes else ""
    seconds = f"{row.seconds[-1]:.2f}" if row.seconds else ""
    exponent = row.trouble or (f"{row.exponent:.2f}" if row.exponent is not None else "(too short to say)")
    return f"| {row.reader} | `{row.attack}` | {size} | {seconds} | {exponent} |"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--reader", action="append", metavar="NAME", help="only readers whose name holds this (repeatable)"
    )
    options.add_argument("--only", default="", metavar="TEXT", help="only inputs whose name holds this")
    options.add_argument("--all", action="store_true", help="print every row, not only those that grow too fast")
    options.add_argument(
        "--patterns", action="store_true", help="the regular expressions of the package, by themselves"
    )
    options.add_argument("--limit", type=int, default=30, metavar="SECONDS")
    options.add_argument("--cap", type=int, default=1_000_000, metavar="BYTES")
    options.add_argument("--json", type=Path)
    arguments = options.parse_args()
    if arguments.patterns:
        import growth_patterns

        return growth_patterns.report(arguments.only, arguments.json)
    rows: list[Row] = []
    print("| reader, file | input | KB | seconds | exponent |\n|---|---|---:|---:|---:|")
    for reader in readers():
        if arguments.reader and not any(name in f"{reader.name}, {reader.file}" for name in arguments.reader):
            continue
        _warm(reader)
        for attack in reader.attacks:
            if arguments.only in attack.name:
                rows.append(_row(reader, attack, arguments.limit, arguments.cap))
                if arguments.all or rows[-1].is_bad:
                    print(shown(rows[-1]), flush=True)
    bad = sum(row.is_bad for row in rows)
    print(f"\n{len(rows)} inputs, {bad} of them above {STEEPEST} or in trouble")
    if arguments.json:
        arguments.json.write_text(json.dumps([vars(row) for row in rows], indent=1) + "\n")
    return int(bad > 0)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
