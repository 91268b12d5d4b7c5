"""What is said about a pair of deployments that share a store: one verdict for each kind of data that crosses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum


class CrossingVerdict(Enum):
    """What becomes of data that one deployment wrote and another reads."""

    EXACT = "exact"
    READER_CONVERTS = "converted by the reader"
    CONVERT = "convert"
    MISS = "miss"
    IMPOSSIBLE = "impossible"
    UNKNOWN = "unknown"
    SILENTLY_WRONG = "silently wrong"

    @property
    def rank(self) -> int:
        """The better, the lower. Not knowing is worse than knowing that nothing is found."""
        return list(CrossingVerdict).index(self)

    @property
    def is_good(self) -> bool:
        return self in (CrossingVerdict.EXACT, CrossingVerdict.READER_CONVERTS)


class Kind(Enum):
    """Kinds of data that cross."""

    CHUNKS = "KV chunks"
    WEIGHTS = "FP8 weights"
    SAFETENSORS = "safetensors"
    PREFIXES = "prefix hashes"


class Basis(Enum):
    """What a rule rests on. Nothing here was seen on an accelerator."""

    RUN = "run on CPU"
    SOURCE = "read in source"


@dataclass(frozen=True)
class Change:
    """Settings of both sides, by field (`vllm.kv_cache_dtype`), that would mend something."""

    what: str
    writer: Mapping[str, object]
    reader: Mapping[str, object]


@dataclass(frozen=True)
class Reason:
    """One difference between the two sides, and what it does by itself."""

    verdict: CrossingVerdict
    field: str
    cause: str
    basis: Basis
    source: str
    changes: tuple[Change, ...] = ()
    rule: str = ""
    """How a conversion is done, where one is known."""


Stages = Sequence[Sequence[Reason]]
"""Reasons by the question that they answer; the first question with any decides."""


@dataclass(frozen=True)
class Remedy:
    """A change, and the verdict of the same pair with it: the check was run again."""

    what: str
    writer: Mapping[str, object]
    reader: Mapping[str, object]
    leads_to: CrossingVerdict


@dataclass(frozen=True)
class Crossing:
    """The verdict for one kind of data in one direction. The first reason decides it; without any it is exact."""

    kind: Kind
    writer: str
    reader: str
    verdict: CrossingVerdict
    cause: str
    field: str
    basis: Basis
    source: str
    rule: str = ""
    reasons: tuple[Reason, ...] = ()
    remedies: tuple[Remedy, ...] = ()
