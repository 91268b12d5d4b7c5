"""Whose is a name? `CudaStorage`, `rocm_backend`, `hip_fwd`, `MetalDevice`: the words in it say so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from rewarp.errors import UsageError, did_you_mean
from rewarp.tables import rows

_WORD = re.compile(r"OpenCL|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


@lru_cache(maxsize=1)
def words() -> Mapping[str, str]:
    """The back end by word."""
    return {word: row["backend"] for row in rows("backends.csv") for word in row["words"].split()}


def canonical(name: str) -> str:
    """The back end that a user means: `hip` is `rocm`, `mps` is `metal`."""
    found = words().get(name.lower())
    if found is None:
        known = ", ".join(sorted(set(words().values())))
        raise UsageError(f"{name!r} is not a back end that rewarp knows ({known}){did_you_mean(name, words())}")
    return found


@lru_cache(maxsize=50_000)
def backend_of(name: str) -> str | None:
    """The back end that an identifier or a file name names; None for none, or for two different ones."""
    table = words()
    found = {table[word] for word in named_in(name) if word in table}
    return found.pop() if len(found) == 1 else None


def named_in(name: str) -> list[str]:
    """The words that a name is made of, in lower case."""
    return [word.lower() for word in _WORD.findall(name)]


_LIBRARY = re.compile(r"(?!hipcc$)(?:cu(?!da$)|hip|roc(?!m$)|mi)([a-z]{3,})")


def library(word: str) -> str:
    """What the word of a vendor's library says besides whose it is: `blas` for `cublas`; nothing for `cuda` and `hip`."""
    found = _LIBRARY.fullmatch(word) if word in words() else None
    return found[1] if found else ""


@lru_cache(maxsize=50_000)
def corresponding(name: str) -> str:
    """A name without whose it is, in lower case: `CublasError` and `HipblasError` share `blas_error`, `CudaError` is `error`."""
    table = words()
    return "_".join(filter(None, (library(word) if word in table else word for word in named_in(name))))


@lru_cache(maxsize=50_000)
def neutral(name: str) -> str:
    """A name without its back end: what `CudaStorage`, `RocmStorage` and `HipStorage` share, in lower case."""
    table = words()
    return "_".join(word for word in named_in(name) if word not in table)


def in_paths(paths: Iterable[str]) -> Counter[str]:
    """How many files each accelerator's back end has, by what their paths call them; a path that names two is nobody's."""
    found: Counter[str] = Counter()
    for path in paths:
        named = {one for part in path.split("/") if (one := backend_of(part)) and one != "cpu"}
        if len(named) == 1:
            found[named.pop()] += 1
    return found


def pair(a: str | None, b: str | None, has: Mapping[str, int]) -> tuple[str, str]:
    """The two to compare: those that were asked for; else cuda and rocm where the project has them, else what it has most of."""
    most = sorted(has, key=lambda one: (-has[one], one))
    if a is None:
        others = [one for one in most if one != b]
        a = "cuda" if b != "cuda" and ("cuda" in has or not others) else others[0] if others else "rocm"
    if b is None:
        others = [one for one in most if one != a]
        b = "rocm" if a != "rocm" and ("rocm" in has or not others) else others[0] if others else "cuda"
    return a, b
