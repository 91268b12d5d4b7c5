"""C functions for shapes: compiled once, kept by what decides them, loaded where they are needed."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib.util
import json
import os
import platform
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

from rewarp.errors import RewarpError
from rewarp.files import cache_folder, write_bytes
from rewarp.machine.shapes.model import Shape

CORE = Path(__file__).parent / "core"
_CHUNK = 60
_OPTIONS = (
    "-O2 -fPIC -nostdinc -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-builtin -fno-stack-protector "
    "-ffreestanding -fno-strict-aliasing -fvisibility=default -w"
).split()
_TIMEOUT = 600


class MachineError(RewarpError):
    """The machine itself cannot be made here."""


@lru_cache(maxsize=1)
def compiler() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The host's compiler and linker: those that wheels bring."""
    spec = importlib.util.find_spec("ziglang")
    zig = Path(spec.origin).with_name("zig") if spec and spec.origin else None
    if zig is None:
        raise MachineError('the machine needs the compiler wheels: pip install "rewarp[machine]"')
    if platform.machine() not in ("x86_64", "AMD64"):
        raise MachineError(f"the machine runs on x86-64, not on {platform.machine()}")
    return (str(zig), "clang", "-target", "x86_64-linux-gnu", "-march=native"), (str(zig), "ld.lld")


@lru_cache(maxsize=1)
def _identity() -> str:
    """What decides compiled code besides its source: the processor, the compiler, the headers."""
    digest = hashlib.sha256()
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
        digest.update(next((line for line in lines if line.startswith("flags")), "").encode())
    command, _ = compiler()
    status = os.stat(command[0])
    digest.update(repr((command[1:], _OPTIONS, status.st_size, status.st_mtime_ns)).encode())
    for file in sorted(CORE.iterdir()):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:24]


class Library:
    """The functions for waves of so many lanes."""

    def __init__(self, lanes: int) -> None:
        self._lanes = lanes
        self._folder = cache_folder() / "machine" / f"{_identity()}-{lanes}"
        self._addresses: dict[str, int] = {}
        self._loaded: dict[str, ctypes.CDLL] = {}

    def addresses(self, shapes: Mapping[str, Shape]) -> dict[str, int]:
        """Where the function of each shape is; those that are new are compiled."""
        left = shapes.keys() - self._addresses.keys()
        if left:
            self._find(left)
            left = shapes.keys() - self._addresses.keys()
        if left:
            self._make({name: shapes[name] for name in sorted(left)})
        return {name: self._addresses[name] for name in shapes}

    def core(self) -> ctypes.CDLL:
        """The loop that runs waves."""
        file = self._folder / "core.so"
        if "core" not in self._loaded:
            if not file.exists():
                self._compile(file, [(CORE / "run.c").read_text("utf-8")])
            self._loaded["core"] = ctypes.CDLL(str(file))
        return self._loaded["core"]

    def _find(self, names: Iterable[str]) -> None:
        """What earlier runs compiled."""
        wanted = set(names)
        for index in sorted(self._folder.glob("*.json")):
            with contextlib.suppress(OSError, ValueError):
                known = json.loads(index.read_text("utf-8"))
                if isinstance(known, list) and wanted & set(known):
                    self._load(index.with_suffix(".so"), [name for name in known if name in wanted])

    def _make(self, shapes: Mapping[str, Shape]) -> None:
        names = list(shapes)
        texts = []
        for at in range(0, len(names), _CHUNK):
            functions = (f"EXECUTE({name}) {{\n    {shapes[name].body}\n}}\n" for name in names[at : at + _CHUNK])
            texts.append('#include "numbers.h"\n#include "memory.h"\n' + "".join(functions))
        file = self._folder / f"{hashlib.sha256(repr(names).encode()).hexdigest()[:24]}.so"
        self._compile(file, texts)
        write_bytes(file.with_suffix(".json"), json.dumps(names).encode())
        self._load(file, names)

    def _load(self, file: Path, names: Iterable[str]) -> None:
        library = ctypes.CDLL(str(file))
        self._loaded[file.name] = library
        for name in names:
            self._addresses[name] = ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0

    def _compile(self, file: Path, texts: list[str]) -> None:
        command, linker = compiler()
        with tempfile.TemporaryDirectory(prefix="rewarp-machine-") as folder:

            def one(numbered: tuple[int, str]) -> str:
                number, text = numbered
                source, made = Path(folder, f"{number}.c"), Path(folder, f"{number}.o")
                source.write_text(text, "utf-8")
                _run(
                    [*command, *_OPTIONS, f"-DLANES={self._lanes}", "-I", str(CORE), "-c", str(source), "-o", str(made)]
                )
                return str(made)

            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                objects = list(pool.map(one, enumerate(texts)))
            made = Path(folder, "made.so")
            _run([*linker, "-shared", "-z", "now", *objects, "-o", str(made)])
            file.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(file, made.read_bytes())


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MachineError(f"the host's compiler did not run: {error}") from None
    if done.returncode:
        raise MachineError(f"the host's compiler failed: {done.stderr.strip()[:2000]}")


@lru_cache(maxsize=4)
def library(lanes: int) -> Library:
    return Library(lanes)
