"""The names of CUDA in Rust and their twins: in code, in strings and in comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from rewarp.lang.rust import literals
from rewarp.tables import rows

_OF_CUDA = re.compile(rb"\b\w*cuda\w*\b")
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")
_PARTS = ((b"Cuda", b"Rocm"), (b"cuda", b"rocm"), (b"CUDA", b"ROCM"), (b"cublas", b"rocblas"), (b"curand", b"rocrand"))
_PROSE = re.compile(rb"https?://\S+|\w*(?:CUDA|Cuda|cuda)\w*")
_IN_TEXT = {b"CUDA": b"ROCm", b"Cuda": b"Rocm", b"cuda": b"rocm"}
BINDING = "cudarc"
SUPPLIED = frozenset({"driver", "cublas", "curand", "nvrtc"})
"""The modules of cudarc that the layer for AMD has."""


@lru_cache(maxsize=1)
def table() -> Mapping[bytes, bytes]:
    return {row["name"].encode(): row["twin"].encode() for row in rows("cudarc_twins.csv")}


@lru_cache(maxsize=1)
def notes() -> Mapping[str, str]:
    """What to know of a twin that is not quite the same."""
    return {row["name"]: row["note"] for row in rows("cudarc_twins.csv") if row["note"]}


def kernel_names(sources: Iterable[bytes]) -> frozenset[bytes]:
    """The names in kernel sources that say CUDA."""
    return frozenset(name for source in sources for name in _OF_CUDA.findall(source))


@dataclass(frozen=True)
class Renaming:
    """How names are carried over. ``prefixed``: names that say nothing of CUDA and would be there twice."""

    prefixed: frozenset[bytes] = field(default_factory=frozenset)
    kernels: frozenset[bytes] = field(default_factory=frozenset)
    """Names in kernel sources that say CUDA: strings that name kernels stay."""

    def identifier(self, name: bytes) -> bytes:
        if name in self.prefixed:
            return b"rocm_" + name
        known = table().get(name)
        if known is not None:
            return known
        for cuda, rocm in _PARTS:
            name = name.replace(cuda, rocm)
        return name

    def changes(self, name: bytes) -> bool:
        return self.identifier(name) != name

    def twin(self, text: bytes) -> bytes:
        """Rust text with every name of CUDA carried over; addresses of pages stay."""
        made: list[bytes] = []
        at = 0
        for _, start, end in literals(text):
            made += (self._code(text[at:start]), self._prose(text[start:end]))
            at = end
        return b"".join((*made, self._code(text[at:])))

    def _code(self, text: bytes) -> bytes:
        return _IDENTIFIER.sub(lambda found: self.identifier(found[0]), text)

    def _prose(self, text: bytes) -> bytes:
        return _PROSE.sub(lambda found: self._word(found[0]), text)

    def _word(self, word: bytes) -> bytes:
        if word in _IN_TEXT:
            return _IN_TEXT[word]
        if b"://" in word or (word.strip(b"_") not in _IN_TEXT and any(n.startswith(word) for n in self.kernels)):
            return word
        return self.identifier(word)

    def concern(self, text: bytes) -> bool:
        """Whether text would read otherwise, comments aside."""
        kept, at = b"", 0
        for kind, start, end in literals(text):
            kept += text[at:start] + (b" " if kind == "comment" else text[start:end])
            at = end
        kept += text[at:]
        return self.twin(kept) != kept
