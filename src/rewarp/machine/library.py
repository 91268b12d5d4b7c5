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
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

from rewarp.errors import RewarpError
from rewarp.files import cache_folder, write_bytes
from rewarp.machine.shapes.shape import Shape

CORE = Path(__file__).parent / "core"
_CHUNK = 60
_COMMON = "-O2 -fPIC -nostdinc -ffp-contract=off -fno-math-errno -fno-strict-aliasing -fno-stack-protector -w".split()
_FREESTANDING = (*_COMMON, *"-fno-trapping-math -fno-builtin -ffreestanding -fvisibility=default".split())
_LIBC_HEADERS = ("x86-linux-gnu", "generic-glibc", "x86-linux-any", "any-linux-any")
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
    digest.update(repr((command[1:], _FREESTANDING, status.st_size, status.st_mtime_ns)).encode())
    for file in sorted(CORE.iterdir()):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:24]


def machine_folder() -> Path:
    """Where everything is kept that was compiled for this processor by this compiler."""
    return cache_folder() / "machine" / _identity()


class Library:
    """The functions for waves of so many lanes."""

    def __init__(self, lanes: int) -> None:
        self._lanes = lanes
        self.folder = machine_folder() / str(lanes)
        self._files: dict[str, str] = {}
        self._read: set[str] = set()
        self._core: ctypes.CDLL | None = None

    def functions(self, shapes: Mapping[str, Shape]) -> dict[str, tuple[str, str]]:
        """The file and the symbol of each shape's function; those that are new are compiled."""
        if shapes.keys() - self._files.keys():
            self._find()
        left = shapes.keys() - self._files.keys()
        if left:
            self._make({name: shapes[name] for name in sorted(left)})
        return {name: (self._files[name], name) for name in shapes}

    def core(self) -> ctypes.CDLL:
        """The loop that runs waves, and what loads programs for it."""
        if self._core is None:
            self._core = ctypes.CDLL(str(self.core_file()))
        return self._core

    def core_file(self) -> Path:
        file = self.folder / "core.so"
        if not file.exists():
            sources = sorted(CORE.glob("*.c"))
            self._compile(file, [source.read_text("utf-8") for source in sources], hosted=True)
        return file

    def _find(self) -> None:
        """What earlier runs compiled."""
        for index in sorted(self.folder.glob("*.json")):
            file = index.with_suffix(".so")
            if file.name in self._read or not file.exists():
                continue
            with contextlib.suppress(OSError, ValueError):
                known = json.loads(index.read_text("utf-8"))
                if isinstance(known, list):
                    self._read.add(file.name)
                    self._files.update(dict.fromkeys(known, file.name))

    def _make(self, shapes: Mapping[str, Shape]) -> None:
        names = list(shapes)
        texts = []
        for at in range(0, len(names), _CHUNK):
            functions = (f"EXECUTE({name}) {{\n    {shapes[name].body}\n}}\n" for name in names[at : at + _CHUNK])
            texts.append('#include "numbers.h"\n#include "memory.h"\n' + "".join(functions))
        file = self.folder / f"{hashlib.sha256(repr(names).encode()).hexdigest()[:24]}.so"
        self._compile(file, texts)
        write_bytes(file.with_suffix(".json"), json.dumps(names).encode())
        self._read.add(file.name)
        self._files.update(dict.fromkeys(names, file.name))

    def _compile(self, file: Path, texts: Sequence[str], hosted: bool = False) -> None:
        lanes = [f"-DLANES={self._lanes}", "-I", str(CORE)]
        if hosted:
            compile_shared(file, texts, [*hosted_options(), *lanes], system_libraries())
        else:
            compile_shared(file, texts, [*_FREESTANDING, *lanes])


def compile_shared(
    file: Path, texts: Sequence[str], options: Sequence[str], linked: Sequence[str] = (), thin: Sequence[str] = ()
) -> None:
    """A shared library of C texts, written whole or not at all. ``thin`` ones are compiled without optimising."""
    command, linker = compiler()
    with tempfile.TemporaryDirectory(prefix="rewarp-machine-") as folder:

        def one(numbered: tuple[int, str]) -> str:
            number, text = numbered
            source, made = Path(folder, f"{number}.c"), Path(folder, f"{number}.o")
            source.write_text(text, "utf-8")
            level = ["-O0"] if number >= len(texts) else []
            _run([*command, *options, *level, "-c", str(source), "-o", str(made)])
            return str(made)

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            objects = list(pool.map(one, enumerate([*texts, *thin])))
        made = Path(folder, "made.so")
        _run([*linker, "-shared", "-z", "now", "--as-needed", *objects, *linked, "-o", str(made)])
        file.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(file, made.read_bytes())


def hosted_options() -> list[str]:
    """For C that uses the system's C library: its headers come with the compiler."""
    headers = Path(compiler()[0][0]).parent / "lib"
    folders = [headers / "include", *(headers / "libc" / "include" / name for name in _LIBC_HEADERS)]
    return [
        *_COMMON,
        "-std=gnu11",
        "-D__GLIBC_MINOR__=28",
        *(word for one in folders for word in ("-isystem", str(one))),
    ]


def system_libraries() -> list[str]:
    """The C library of this machine, as files for the linker: it needs no development package."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/maps").read_text("utf-8", "replace").splitlines():
            file = Path(line.partition("/")[1] + line.partition("/")[2])
            if file.name in ("libc.so.6",) or (file.name.startswith("libc-2.") and file.suffix == ".so"):
                beside = (file.with_name(name) for name in ("libm.so.6", "libdl.so.2", "libpthread.so.0"))
                return [str(file), *(str(one) for one in beside if one.exists())]
    raise MachineError("the machine needs the GNU C library, which this Python does not use")


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
