"""candle's CUDA kernels, translated by rewarp, compiled, run on the machine one by one, held against NumPy.

    python benchmarks/candle_kernels.py FOLDER [--arch gfx942]

FOLDER is candle-kernels/src of huggingface/candle. Kernels are called as candle calls them; those of types f16, f32, f64 and
integers are checked, those of bfloat16 and fp8, which NumPy has not, are counted as not checked.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from candle_quantised import indexed, quantised, sort
from kernel_checks import FUNCTIONS, error, judged, say

from rewarp import machine

TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "u8": np.uint8, "u32": np.uint32, "i64": np.int64}
BOUNDS = {"f16": 1e-2, "f32": 4e-6, "f64": 1e-13}
NORMS = {"f16": 1e-2, "f32": 2e-5, "f64": 1e-4}
"""candle sums in floats, whatever the type is."""
RANDOM = np.random.default_rng(11)
N = 700
UNARY_WITH_ONE = {"uelu": lambda x, p: np.where(x > 0, x, p * np.expm1(x)), "upowf": lambda x, p: np.abs(x) ** p}
UNARY = {f"u{name}": function for name, function in FUNCTIONS.items() if f"u{name}" not in UNARY_WITH_ONE}
BINARY: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "badd": np.add, "bdiv": np.divide, "bmul": np.multiply, "bsub": np.subtract, "bmaximum": np.maximum, "bminimum": np.minimum,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
REDUCED = {
    "fast_sum": np.sum,
    "fast_min": np.min,
    "fast_max": np.max,
    "fast_argmin": np.argmin,
    "fast_argmax": np.argmax,
}


def values(kind: str, count: int = N, positive: bool = False) -> np.ndarray:
    if kind in BOUNDS:
        drawn = RANDOM.uniform(0.1 if positive else -3, 3, count)
        return drawn.astype(TYPES[kind])
    return RANDOM.integers(1, 100, count).astype(TYPES[kind])


def run(program: machine.LoadedProgram, kernel: str, *given: Any, blocks: int = 3, threads: int = 128) -> None:
    program.launch(kernel, (blocks,), (threads,), given)


def check(program: machine.LoadedProgram, name: str, kernel: str, kind: str) -> float | None:
    """The largest error of a kernel; None where there is no reference for it."""
    one = TYPES[kind]
    if name in UNARY or name in UNARY_WITH_ONE:
        x = values(kind, positive=name in ("ulog", "usqrt", "upowf"))
        out, wide = np.zeros_like(x), x.astype(np.float64)
        if name in UNARY:
            run(program, kernel, N, 1, 0, x, out)
            return error(out, UNARY[name](wide))
        run(program, kernel, N, 1, 0, one(1.5), x, out)
        return error(out, UNARY_WITH_ONE[name](wide, 1.5))
    if name in BINARY:
        x, y = values(kind), values(kind)
        y[:50] = x[:50]
        function = BINARY[name]
        out = np.zeros(N, np.uint8 if len(name) == 2 else one)
        run(program, kernel, N, 1, 0, x, y, out)
        expected = function(x, y) if name != "bdiv" or kind in BOUNDS else x // y
        return error(out, expected.astype(out.dtype))
    if name == "affine":
        x, out = values(kind), np.zeros(N, one)
        run(program, kernel, N, 1, 0, x, out, one(3), one(2))
        return error(out, (x.astype(np.float64) * 3 + 2).astype(one))
    if name in ("softmax", "rmsnorm", "layernorm"):
        return normalised(program, name, kernel, kind)
    if name in REDUCED:
        rows, columns = 9, 77
        x = values(kind, rows * columns)
        out = np.zeros(rows, np.uint32 if "arg" in name else one)
        info = np.array([rows, columns, columns, 1], np.uint64)
        run(program, kernel, x.size, columns, 2, info, x, out, blocks=rows, threads=64)
        table, expected = x.reshape(rows, columns), REDUCED[name](x.reshape(rows, columns), 1)
        if "arg" in name:  # of numbers that are the same, either place is right
            return error(table[np.arange(rows), out], table[np.arange(rows), expected])
        return error(out, expected.astype(one))
    return None


def normalised(program: machine.LoadedProgram, name: str, kernel: str, kind: str) -> float:
    rows, columns = 6, 200
    x, gain, bias = values(kind, rows * columns), values(kind, columns), values(kind, columns)
    out, wide = np.zeros_like(x), x.astype(np.float64).reshape(rows, columns)
    if name == "softmax":
        program.launch(kernel, (rows, 1, 1), (1, 32, 1), (x, out, columns))
        power = np.exp(wide - wide.max(1, keepdims=True))
        return error(out.reshape(rows, columns), power / power.sum(1, keepdims=True))
    middle = wide.mean(1, keepdims=True) if name == "layernorm" else 0.0
    scale = np.sqrt(((wide - middle) ** 2).mean(1, keepdims=True) + 1e-5)
    more = (gain, bias) if name == "layernorm" else (gain,)
    program.launch(kernel, (rows,), (32,), (x, out, *more, columns, 32, 1e-5))
    expected = (wide - middle) / scale * gain.astype(np.float64)
    return error(out.reshape(rows, columns), expected + (bias.astype(np.float64) if name == "layernorm" else 0))


def cast(program: machine.LoadedProgram, kernel: str, from_: str, to: str) -> float:
    x = np.abs(values(from_)) if not to.startswith("f") else values(from_)
    out = np.zeros(N, TYPES[to])
    run(program, kernel, N, 1, 0, x, out)
    return error(out, x.astype(TYPES[to]))


def checked(program: machine.LoadedProgram, kernel: str) -> tuple[float, float] | None:
    """The error of a kernel, and the largest that it may have."""
    name, _, kind = kernel.rpartition("_")
    from_ = name.removeprefix("cast_")
    if kernel.startswith("cast_"):
        found = cast(program, kernel, from_, kind) if from_ in TYPES and kind in TYPES else None
        bound = max(BOUNDS.get(from_, 0), BOUNDS.get(kind, 0))
    else:
        found, bound = (check(program, name, kernel, kind) if kind in TYPES else None), BOUNDS.get(kind, 0)
        bound = NORMS[kind] if name in ("rmsnorm", "layernorm") and kind in NORMS else bound
    return None if found is None else (found, bound)


SOURCES = {
    **dict.fromkeys(("unary", "binary", "affine", "cast", "reduce"), checked),
    "quantized": quantised, "sort": sort, "indexing": indexed,
}  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arch", default="gfx942")
    parser.add_argument(
        "--only", default="", help="the source: unary, binary, affine, cast, reduce, quantized, sort, indexing"
    )
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        command = [sys.executable, "-m", "rewarp", "translate", "--no-compile", str(chosen.folder), "-o", made, "-q"]
        subprocess.run(command, capture_output=True)
        for source in SOURCES:
            if chosen.only not in source:
                continue
            program = machine.compile_source(
                Path(made, f"{source}.hip"), chosen.arch, ("-O2", "-D__CUDA_ARCH__=900", "-I", made)
            )
            for kernel in sorted(program.program.kernels):
                say(source, kernel, judged(partial(SOURCES[source], program, kernel)))
