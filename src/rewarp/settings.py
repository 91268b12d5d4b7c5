"""Settings in tables of TOML: each is declared once, with its default and with what it may be, and is read from there."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import MISSING, field, fields
from typing import Any, TypeVar

from rewarp.errors import UsageError, did_you_mean

_CHECK = "check"
Check = Callable[[Any], Any]
Settings = TypeVar("Settings")


def setting(check: Check, default: Any = MISSING, factory: Any = MISSING) -> Any:
    """A field of a dataclass that people may set; ``check`` gives its value, or a ValueError that says what it must be."""
    metadata = {_CHECK: check}
    if factory is not MISSING:
        return field(default_factory=factory, metadata=metadata)
    return field(default=default, metadata=metadata)


def known(kind: type) -> dict[str, Check]:
    """What can be set, as it is spelled in TOML."""
    found = fields(kind)
    return {item.name.replace("_", "-"): item.metadata[_CHECK] for item in found if _CHECK in item.metadata}


def read(kind: type[Settings], table: object, title: str, apart: Container[str] = (), **more: Any) -> Settings:
    """The settings of a table. ``title`` is what messages call it; keys ``apart`` are read elsewhere."""
    if not isinstance(table, Mapping):
        raise UsageError(f"{title} must be a table")
    checks = known(kind)
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name in apart:
            continue
        check = checks.get(name)
        if check is None:
            hint = did_you_mean(name, checks)
            raise UsageError(f"{title} knows no {name!r}; it knows {', '.join(checks)}{hint}")
        try:
            values[name.replace("-", "_")] = check(value)
        except ValueError as error:
            raise UsageError(f"{title} {name} {error}") from None
    return kind(**values, **more)


# --- what a setting may be --------------------------------------------------------------------


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def name(value: Any) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        raise ValueError("must be a string")
    return value


def list_of(item: Callable[[Any], str]) -> Callable[[Any], tuple[str, ...]]:
    def check(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise ValueError("must be a list of strings")
        return tuple(map(item, value))

    return check


def number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
        raise ValueError("must be a positive number")
    return float(value)


def percent(value: Any) -> float:
    """A share in percent."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 100:
        raise ValueError("must be a number from 0 to 100")
    return float(value)


def choice(*options: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if value not in options:
            raise ValueError(f"must be one of {', '.join(options)}{did_you_mean(str(value), options)}")
        return str(value)

    return check
