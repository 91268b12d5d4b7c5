"""``[tool.rewarp]`` in pyproject.toml: what a team agrees on, so that nobody has to type it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from rewarp import settings
from rewarp.findings import Severity
from rewarp.lang import parsers
from rewarp.settings import setting

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FAIL_ON = {
    **{severity.value: severity for severity in Severity if severity is not Severity.WORKS},
    "note": Severity.INFO,
    "warning": Severity.PERF,
    "error": Severity.ON_CPU,
    "never": None,
}
"""What ``--fail-on`` takes: a severity, one of the three levels, or never."""


@dataclass(frozen=True)
class Config:
    """Settings of a scan; the command line wins over pyproject.toml."""

    target: str = setting(settings.choice("rocm", "gaudi"), "rocm")
    torch: str | None = setting(settings.text, None)
    rocm: str | None = setting(settings.text, None)
    arch: str | None = setting(settings.text, None)
    exclude: tuple[str, ...] = setting(settings.list_of(settings.text), ())
    ignore: tuple[str, ...] = setting(settings.list_of(settings.text), ())
    fail_on: str = setting(settings.choice(*FAIL_ON), "error")
    baseline: str | None = setting(settings.text, None)
    max_size: float = setting(settings.number, 5.0)
    source: str | None = None
    """The pyproject.toml the settings came from."""


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
    config = settings.read(Config, table, f"{file}: [tool.rewarp]", apart=_READ_BY_COMMANDS, source=str(file))
    return replace(config, baseline=str(file.parent / config.baseline)) if config.baseline else config
