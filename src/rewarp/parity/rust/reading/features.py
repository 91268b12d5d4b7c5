"""Features that Cargo knows: what stands under one that nobody declares is never built."""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rewarp.lang import parsers
from rewarp.parity.rust.reading.cfg import FEATURE, decided

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass
class Features:
    """The features of every crate of a tree, by its folder."""

    of_crates: Mapping[str, frozenset[str]]
    _nearest: dict[str, frozenset[str] | None] = field(default_factory=dict)

    @classmethod
    def read(cls, files: Mapping[str, bytes]) -> Features:
        found: dict[str, frozenset[str]] = {}
        for path, data in files.items():
            if posixpath.basename(path) == "Cargo.toml" and (features := _declared(data)) is not None:
                found[posixpath.dirname(path)] = features
        return cls(found)

    def never_built(self, cfg: tuple[str, ...], path: str) -> str:
        """The feature without which code is not built and that its crate does not have; empty where there is none."""
        known = self._of(posixpath.dirname(path)) if cfg else None
        if known is None:
            return ""
        for condition in cfg:
            unknown: list[str] = [name for name in FEATURE.findall(condition) if name not in known]
            if unknown and decided(condition, lambda name: None if name in known else False) is False:
                return unknown[0]
        return ""

    def _of(self, folder: str) -> frozenset[str] | None:
        if folder not in self._nearest:
            own = self.of_crates.get(folder)
            self._nearest[folder] = own if own is not None or not folder else self._of(posixpath.dirname(folder))
        return self._nearest[folder]


def _declared(data: bytes) -> frozenset[str] | None:
    """The features of a crate; None for what is no crate or cannot be read."""
    try:
        read = parsers.toml(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return None
    if "package" not in read:
        return None
    tables = [read, *_tables(read.get("target", {}))]
    optional = {
        name
        for table in tables
        for kind in ("dependencies", "build-dependencies")
        for name, wanted in _table(table.get(kind)).items()
        if isinstance(wanted, dict) and wanted.get("optional")
    }
    return frozenset({*_table(read.get("features")), *optional})


def _tables(found: Any) -> list[dict[str, Any]]:
    return [value for value in _table(found).values() if isinstance(value, dict)]


def _table(found: Any) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}
