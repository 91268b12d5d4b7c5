"""The benchmarks that come with rewarp: ``rewarp bench --suite NAME``. Each is a configuration as ``bench run`` takes it."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from rewarp.errors import UsageError, did_you_mean
from rewarp.lang import parsers

DEFAULT = "quick"
ON_CPU = "cpu"


def names() -> list[str]:
    return sorted(file.name.removesuffix(".toml") for file in files(__name__).iterdir() if file.name.endswith(".toml"))


def load(name: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The configuration, and the platforms on which someone has run it."""
    if name not in names():
        raise UsageError(f"--suite {name}: there are {', '.join(names())}{did_you_mean(name, names())}")
    data = dict(parsers.toml((files(__name__) / f"{name}.toml").read_text(encoding="utf-8")))
    return data, tuple(data.pop("tried"))
