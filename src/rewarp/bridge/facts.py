"""The tables behind the verdicts: accelerators, types of KV caches, the versions whose source or behaviour was looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from packaging.version import InvalidVersion, Version

from rewarp import tables

_BUILT_FOR = re.compile(r"((cu|rocm|cpu|hpu|gaudi)[\d.]*)?")
"""`+cu129`, `+rocm700`"""


@dataclass(frozen=True)
class Accelerator:
    name: str
    title: str
    vendor: str
    arch: str
    e4m3: str
    """The encoding that vLLM takes for FP8 with four bits of exponent."""
    block_size: int
    source: str


@dataclass(frozen=True)
class KVType:
    """A value of vLLM's ``--kv-cache-dtype``."""

    kv_cache_dtype: str
    key_type: str
    """As LMCache's keys spell it."""
    encoding: str
    carried: bool
    """Whether LMCache's headers have a number for it."""
    note: str


@dataclass(frozen=True)
class Range:
    """Versions that a rule holds for, and where that was seen."""

    first: Version
    last: Version
    source: str

    def holds(self, version: str) -> bool:
        try:
            found = Version(version)
        except InvalidVersion:
            return False
        # A pre-release, or a build of a commit, may be anything; what a release was built for changes nothing.
        is_release = not found.is_prerelease and _BUILT_FOR.fullmatch(found.local or "") is not None
        return is_release and self.first <= Version(found.public) <= self.last

    def __str__(self) -> str:
        return f"{self.first} to {self.last}"


@lru_cache(maxsize=1)
def accelerators() -> Mapping[str, Accelerator]:
    return {
        row["name"]: Accelerator(**{**row, "block_size": int(row["block_size"])})  # type: ignore[arg-type]
        for row in tables.rows("bridge_accelerators.csv")
    }


@lru_cache(maxsize=1)
def kv_types() -> Mapping[str, KVType]:
    return {
        row["kv_cache_dtype"]: KVType(**{**row, "carried": row["carried"] == "yes"})  # type: ignore[arg-type]
        for row in tables.rows("bridge_kv_types.csv")
    }


@lru_cache(maxsize=1)
def versions() -> Mapping[str, Range]:
    """By subject: `lmcache`, `vllm` and their parts."""
    return {
        row["what"]: Range(Version(row["first"]), Version(row["last"]), row["source"])
        for row in tables.rows("bridge_versions.csv")
    }
