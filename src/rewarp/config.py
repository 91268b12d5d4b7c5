"""``[tool.rewarp]`` in pyproject.toml: what a team agrees on, so that nobody has to type it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rewarp.errors import UsageError, did_you_mean
from rewarp.findings import Severity
from rewarp.lang import parsers

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FAIL_ON = {
    **{severity.value: severity for severity in Severity if severity is not Severity.WORKS},
    "note": Severity.INFO,
    "warning": Severity.PERF,
    "error": Severity.WRONG,
    "never": None,
}
"""What ``--fail-on`` takes: a severity, one of the three levels, or never."""


@dataclass(frozen=True)
class Config:
    """Settings of a scan; the command line wins over pyproject.toml."""

    target: str = "rocm"
    torch: str | None = None
    rocm: str | None = None
    arch: str | None = None
    exclude: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str = "error"
    baseline: str | None = None
    max_size: float = 5.0
    source: str | None = None
    """The pyproject.toml the settings came from."""


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError("must be a list of strings")
    return tuple(value)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
        raise ValueError("must be a positive number")
    return float(value)


def _choice(*options: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if value not in options:
            raise ValueError(f"must be one of {', '.join(options)}{did_you_mean(str(value), options)}")
        return str(value)

    return check


_SETTINGS: dict[str, Callable[[Any], Any]] = {
    "target": _choice("rocm", "gaudi"),
    "torch": _text,
    "rocm": _text,
    "arch": _text,
    "exclude": _texts,
    "ignore": _texts,
    "fail-on": _choice(*FAIL_ON),
    "baseline": _text,
    "max-size": _number,
}


def load(root: Path) -> Config:
    """The settings for a scan of ``root``: from the nearest pyproject.toml with a [tool.rewarp] table,
    looking upwards no further than the repository."""
    folder = root.resolve() if root.is_dir() else root.resolve().parent
    for candidate in (folder, *folder.parents):
        file = candidate / "pyproject.toml"
        if file.is_file():
            config = _read(file)
            if config is not None:
                return config
        if (candidate / ".git").exists():
            break
    return Config()


_READ_BY_COMMANDS = ("parity",)
"""Tables inside [tool.rewarp] that a command reads for itself."""


def _read(file: Path) -> Config | None:
    try:
        data = parsers.toml(file.read_bytes().decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return None  # a broken pyproject.toml is a Failed outcome of the scan itself, not a reason to stop it
    table = data.get("tool", {}).get("rewarp") if isinstance(data.get("tool", {}), dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        raise UsageError(f"{file}: [tool.rewarp] must be a table")
    settings: dict[str, Any] = {"source": str(file)}
    for name, value in table.items():
        if name in _READ_BY_COMMANDS:
            continue
        check = _SETTINGS.get(name)
        if check is None:
            hint = did_you_mean(name, _SETTINGS)
            raise UsageError(f"{file}: [tool.rewarp] knows no {name!r}; it knows {', '.join(_SETTINGS)}{hint}")
        try:
            settings[name.replace("-", "_")] = check(value)
        except ValueError as error:
            raise UsageError(f"{file}: [tool.rewarp] {name} {error}") from None
    if settings.get("baseline"):
        settings["baseline"] = str(file.parent / settings["baseline"])
    return replace(Config(), **settings)
