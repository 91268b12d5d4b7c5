"""``[tool.rewarp.parity]`` in pyproject.toml, or ``[parity]`` in rewarp.toml: what a code base cannot tell by itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from rewarp.errors import UsageError, did_you_mean
from rewarp.lang import parsers
from rewarp.parity import sources
from rewarp.parity.backends import canonical
from rewarp.workspace import Tree

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILES = {"rewarp.toml": ("parity",), "pyproject.toml": ("tool", "rewarp", "parity")}
"""Where the settings may stand; the first that holds some counts."""


@dataclass(frozen=True)
class Settings:
    """What the command line does not say; it wins over these."""

    a: str = "cuda"
    b: str = "rocm"
    roots: tuple[str, ...] = ()
    """Folders to look at; everything else takes no part."""
    exclude: tuple[str, ...] = ()
    """Patterns of paths that take no part; a folder's name means all below it."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Types, classes or functions of A and of B whose names do not say whose they are."""
    renames: Mapping[str, str] = field(default_factory=dict)
    """A's name of a unit, and what B calls the same."""
    waivers: str | None = None
    fail_under: float | None = None

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
    if not isinstance(found, dict):
        raise UsageError(f"{title} must be a table")
    settings: dict[str, Any] = {}
    for key, value in found.items():
        check = _CHECKS.get(key)
        if check is None:
            hint = did_you_mean(key, _CHECKS)
            raise UsageError(f"{title} knows no {key!r}; it knows {', '.join(_CHECKS)}{hint}")
        try:
            settings[key.replace("-", "_")] = check(value)
        except ValueError as error:
            raise UsageError(f"{title} {key} {error}") from None
    return replace(Settings(), **settings)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("must be a string")
    return value


def _backend(value: Any) -> str:
    return canonical(_text(value))


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError("must be a list of strings")
    return tuple(map(_text, value))


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        raise ValueError("must be a list of pairs of names")
    names = tuple((_text(own), _text(other)) for own, other in value)
    if not all(name.isidentifier() for pair in names for name in pair):
        raise ValueError("must be a list of pairs of names")
    return names


def _names(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError("must be a table of names")
    return {key: _text(item) for key, item in value.items()}


def percent(value: Any) -> float:
    """A share in percent."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 100:
        raise ValueError("must be a number from 0 to 100")
    return float(value)


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "a": _backend,
    "b": _backend,
    "roots": _texts,
    "exclude": _texts,
    "pairs": _pairs,
    "renames": _names,
    "waivers": _text,
    "fail-under": percent,
}
assert {name.replace("-", "_") for name in _CHECKS} == {item.name for item in fields(Settings)}
