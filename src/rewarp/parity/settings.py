"""``[tool.rewarp.parity]`` in pyproject.toml, or ``[parity]`` in rewarp.toml: what a code base cannot tell by itself."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from rewarp import settings
from rewarp.errors import UsageError
from rewarp.lang import parsers
from rewarp.parity.names.backends import canonical
from rewarp.parity.reading import sources
from rewarp.settings import percent, setting
from rewarp.workspace import Tree

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILES = {"rewarp.toml": ("parity",), "pyproject.toml": ("tool", "rewarp", "parity")}
"""Where the settings may stand; the first that holds some counts."""


def _backend(value: Any) -> str:
    return canonical(settings.name(value))


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        raise ValueError("must be a list of pairs of names")
    names = tuple((settings.name(own), settings.name(other)) for own, other in value)
    if not all(name.isidentifier() for pair in names for name in pair):
        raise ValueError("must be a list of pairs of names")
    return names


def _names(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError("must be a table of names")
    return {key: settings.name(item) for key, item in value.items()}


@dataclass(frozen=True)
class Settings:
    """What the command line does not say; it wins over these."""

    a: str | None = setting(_backend, None)
    b: str | None = setting(_backend, None)
    roots: tuple[str, ...] = setting(settings.list_of(settings.name), ())
    """Folders to look at; everything else takes no part."""
    exclude: tuple[str, ...] = setting(settings.list_of(settings.name), ())
    """Patterns of paths that take no part; a folder's name means all below it."""
    pairs: tuple[tuple[str, str], ...] = setting(_pairs, ())
    """Types, classes or functions of A and of B whose names do not say whose they are."""
    renames: Mapping[str, str] = setting(_names, factory=dict)
    """A's name of a unit, and what B calls the same."""
    waivers: str | None = setting(settings.name, None)
    fail_under: float | None = setting(percent, None)

    def takes(self, path: str) -> bool:
        """Whether a file takes part."""
        inside = not self.roots or any(_is_below(path, root) for root in self.roots)
        return inside and not any(_is_below(path, name) or fnmatchcase(path, name) for name in self.exclude)


def load(tree: Tree, file: Path | None = None) -> Settings:
    """The settings of a tree, or of a file that was named."""
    if file is not None:
        try:
            data = file.read_bytes()
        except OSError as error:
            raise UsageError(f"cannot read the settings {file}: {error.strerror}") from None
        found = _table(str(file), data, _FILES.get(file.name, ("parity",)))
        if found is None:
            raise UsageError(f"{file} holds no settings for parity")
        return found
    contents, _ = sources.read(tree, _FILES.keys() & tree.entries.keys())
    for name, place in _FILES.items():
        found = _table(name, contents[name], place) if name in contents else None
        if found is not None:
            return found
    return Settings()


def _is_below(path: str, folder: str) -> bool:
    folder = folder.strip("/")
    return folder in ("", ".") or path == folder or path.startswith(folder + "/")


def _table(name: str, data: bytes, place: tuple[str, ...]) -> Settings | None:
    title = f"{name}: [{'.'.join(place)}]"
    try:
        found: Any = parsers.toml(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{name} cannot be read: {error}") from None
    for step in place:
        found = found.get(step) if isinstance(found, dict) else None
    if found is None:
        return None
    return settings.read(Settings, found, title)
