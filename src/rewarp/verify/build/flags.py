"""Compiler flags as a build states them, for nvcc, hipcc or clang, and what of them a check with clang needs."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from rewarp.tables import rows

_INCLUDE = ("-I", "-isystem", "-iquote", "-idirafter", "--include-path", "--system-include")
_FORCED = ("-include", "--pre-include")
_DEFINE = ("-D", "-U", "--define-macro", "--undefine-macro")
_SHORT = {"--define-macro": "-D", "--undefine-macro": "-U"}
_MEANT_BY = {"ftz": "true", "prec-div": "false", "prec-sqrt": "false", "default-stream": "per-thread"}
"""nvcc's switches whose twin says the same as this value; the other value is what clang does anyway."""
_FAST_MATH = "use_fast_math"
RELOCATABLE = "-fgpu-rdc"
"""Device code that may call what other units define."""
_TAKE_VALUE = frozenset(
    "-o -x -gencode --generate-code -arch --gpu-architecture -code --gpu-code -Xcompiler --compiler-options -Xptxas "
    "--ptxas-options -Xcudafe -Xlinker -Xfatbin -Xnvlink -Xclang -Xarch_host -ccbin --compiler-bindir -maxrregcount "
    "--maxrregcount --threads -t -MF -MT -MQ -L -l -diag-suppress --diag-suppress -target --optimize -optf "
    "--options-file -mllvm -isysroot --sysroot -ftz --ftz -prec-div --prec-div -prec-sqrt --prec-sqrt -fmad --fmad "
    "-default-stream --default-stream -rdc --relocatable-device-code -cudart --cudart -std --std".split()
)
_KEPT = (
    "-std=",
    "-ffast-math",
    "-ffp-",
    "-fgpu-flush",
    "-fgpu-default-stream",
    "-fno-gpu-flush",
    "-fno-hip-",
    "-fhip-",
)
_KEPT_WHOLE = frozenset("-munsafe-fp-atomics -mcumode -fms-extensions -fpermissive -fno-exceptions -fno-rtti".split())


@dataclass(frozen=True)
class Flags:
    """What a unit is compiled with, as far as its meaning depends on it."""

    includes: tuple[Path, ...] = ()
    """Folders, absolute, in order."""
    forced: tuple[Path, ...] = ()
    """Headers that are included before the first line."""
    options: tuple[str, ...] = ()
    origin: str = ""
    """The build file that says so."""
    undecided: tuple[str, ...] = ()
    """Flags under a condition that only the real build can decide; they are not in force."""

    def __add__(self, other: Flags) -> Flags:
        return combined((self, other))

    def from_file(self, origin: str) -> Flags:
        return replace(self, origin=origin)


NO_FLAGS = Flags()


def combined(given: Iterable[Flags]) -> Flags:
    """The sum of many."""
    given = list(given)
    return Flags(
        tuple(dict.fromkeys(path for flags in given for path in flags.includes)),
        tuple(dict.fromkeys(path for flags in given for path in flags.forced)),
        tuple(option for flags in given for option in flags.options),
        next((flags.origin for flags in given if flags.origin), ""),
        tuple(dict.fromkeys(flag for flags in given for flag in flags.undecided)),
    )


def read_flags(words: Sequence[str], folder: Path) -> Flags:
    """The flags that matter in a command line; paths in it start at a folder."""
    includes: list[Path] = []
    headers: list[str] = []
    options: list[str] = []
    for name, value in _pairs(words):
        if name in _INCLUDE:
            includes += [place for part in value.split(",") if (place := _folder(part, folder))]
        elif name in _FORCED:
            headers.append(value)
        elif name in _DEFINE:
            options.append(_SHORT.get(name, name) + value)
        elif name in ("-std", "--std"):
            options.append(f"-std={value}")
        elif twin := _twin(name, value):
            options.append(twin)
        elif not value and (name.startswith(_KEPT) or name in _KEPT_WHOLE):
            options.append(name)
    forced = tuple(_header(header, [folder, *includes]) for header in headers if header)
    return Flags(tuple(dict.fromkeys(includes)), forced, tuple(options))


def _header(name: str, folders: Sequence[Path]) -> Path:
    """Where a header is that a command line names: in the folder that it is given in, else on the way of includes."""
    places = [_absolute(name, folder) for folder in folders]
    return next((place for place in places if place.is_file()), places[0])


def split(command: str) -> list[str]:
    """The words of a command line; where its quotes do not close, its words by blanks."""
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options with their values, whether joined, after an ``=`` or in the next word; an option without one alone."""
    waiting = iter(words)
    for word in waiting:
        if not word.startswith("-"):
            continue
        name, joined, value = word.partition("=")
        short = next((option for option in ("-I", "-D", "-U") if word.startswith(option)), None)
        if short:
            yield short, word[2:] or next(waiting, "")
        elif word in _INCLUDE or word in _FORCED or word in _DEFINE or word in _TAKE_VALUE:
            yield word, next(waiting, "")
        elif joined and (name in _TAKE_VALUE or name in _INCLUDE or name in _FORCED or name in _DEFINE):
            yield name, value
        elif attached := next((option for option in _INCLUDE if word.startswith(option)), None):
            yield attached, word[len(attached) :].lstrip("=")
        else:
            yield word, ""


def _absolute(path: str, folder: Path) -> Path:
    return Path(os.path.normpath(folder / os.path.expanduser(path)))


def _folder(path: str, folder: Path) -> Path | None:
    """None for CUDA's own headers: beside HIP's they only do harm. A header of that name that speaks of HIP is the project's."""
    place = _absolute(path, folder)
    try:
        is_cudas = b"__HIP" not in (place / "cuda_runtime.h").read_bytes()
    except OSError:
        is_cudas = False
    return None if not path or is_cudas else place


@lru_cache(maxsize=1)
def _twins() -> dict[str, str]:
    return {row["option"].lstrip("-"): row["twin"] for row in rows("nvcc_flags.csv") if row["twin"].startswith("-")}


def _twin(name: str, value: str) -> str | None:
    """What clang calls an nvcc switch that changes arithmetic or streams."""
    bare = name.lstrip("-")
    if bare in ("dc", "device-c", "fgpu-rdc") or (bare in ("rdc", "relocatable-device-code") and value == "true"):
        return RELOCATABLE
    if bare == _FAST_MATH or (bare in _MEANT_BY and value == _MEANT_BY[bare]):
        return _twins().get(bare)
    return "-ffp-contract=off" if bare == "fmad" and value == "false" else None
