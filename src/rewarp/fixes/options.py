"""nvcc's options as HIP's compiler wants them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rewarp.tables.libraries import twin
from rewarp.tables.nvcc import Flag, flags

_TAKES_VALUE = frozenset(
    "-gencode --generate-code -arch --gpu-architecture -code --gpu-code -Xptxas --ptxas-options -Xcompiler "
    "--compiler-options -Xcudafe -Xfatbin -Xnvlink -ccbin --compiler-bindir --threads -t -maxrregcount --maxrregcount "
    "--diag-suppress -diag-suppress --default-stream -default-stream -cudart --cudart --machine".split()
)
"""Options whose value may be the next word."""
_HOST = frozenset({"-Xcompiler", "--compiler-options"})
_CUDA_LANGUAGE = frozenset({"cu", "cuda"})
"""What ``-x`` calls CUDA: nvcc in the one way, clang in the other."""
_FAST_MATH = frozenset({"--use_fast_math", "-use_fast_math"})
_PLAIN_TWIN = re.compile(r"-[\w=.-]*\w(?: -[\w=.-]*\w)*")
_LIBRARY = re.compile(r"-l([A-Za-z][\w-]*)")
_OFF = re.compile(r"=(false|0|off|none|legacy)$", re.I)


class Option(NamedTuple):
    """One option of nvcc as it stands in a list of words: its words, and the words in their stead for HIP."""

    words: tuple[str, ...]
    hip: tuple[str, ...]

    @property
    def changes(self) -> bool:
        return self.words != self.hip


def read_options(words: Iterable[str]) -> Iterator[Option]:
    """The options in a list of words, each with what HIP's compiler gets for it."""
    rest = deque(words)
    while rest:
        word = rest.popleft()
        if word == "-x" and rest and rest[0] in _CUDA_LANGUAGE:
            yield Option((word, rest.popleft()), (word, "hip"))
            continue
        if word.startswith("-x") and word[2:] in _CUDA_LANGUAGE:
            yield Option((word,), ("-xhip",))
            continue
        flag = _flag_of(word)
        if flag is None:
            yield Option((word,), _library(word))
            continue
        value: tuple[str, ...] = ()
        takes = flag.option in _TAKES_VALUE and flag.text == flag.option == word
        if takes and rest and (flag.option in _HOST or flag.option.startswith("-X") or not rest[0].startswith("-")):
            value = (rest.popleft(),)
        yield Option((word, *value), tuple(_twin_of(flag, word, value)))


def hip_words(words: Iterable[str]) -> list[str]:
    """The words HIP's compiler gets for words of nvcc."""
    return [word for option in read_options(words) for word in option.hip]


def has_nvcc_words(words: Iterable[str]) -> bool:
    return any(option.changes for option in read_options(words))


def awaits_value(word: str) -> bool:
    """Whether an option of nvcc takes the next word with it."""
    return word in _TAKES_VALUE


def _flag_of(word: str) -> Flag | None:
    found = next(flags(word), None)
    return found if found is not None and word.startswith(found.text) else None


def _library(word: str) -> tuple[str, ...]:
    match = _LIBRARY.fullmatch(word)
    library = twin(match[1]) if match else None
    if library is None:
        return (word,)
    return (f"-l{library.link}",) if library.link else ()


def _twin_of(flag: Flag, word: str, value: tuple[str, ...]) -> Iterator[str]:
    if flag.option in _HOST:  # clang takes the options of the host compiler itself
        given = value[0] if value else word.partition("=")[2]
        yield from (part for part in given.strip("\"'").split(",") if part)
    elif flag.option in _FAST_MATH:
        return  # clang's -ffast-math gives up infinities and NaN as well, which nvcc's keeps
    elif not flag.architecture and _PLAIN_TWIN.fullmatch(flag.twin) and not _OFF.search(" ".join((word, *value))):
        yield from flag.twin.split()
