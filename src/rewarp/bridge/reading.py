"""Descriptions of deployments, from files and flags."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rewarp.bench.config import parse_change
from rewarp.bridge.deployment import Deployment, flattened, of_platform, with_settings
from rewarp.bridge.sources import read_any, resolved

_SUFFIXES = (".toml", ".yaml", ".yml", ".json")


def deployment(given: str, changes: Sequence[str] = ()) -> Deployment:
    """A file's, or a platform's, with settings of the command line."""
    made = _of_file(Path(given)) if given.endswith(_SUFFIXES) or os.path.exists(given) else of_platform(given)
    settings = resolved(dict(map(change_of, changes)), Path(), "--set")
    made = with_settings(made, settings, "--set")
    return replace(made, assumed=tuple(line for line in made.assumed if line.partition(" = ")[0] not in settings))


def change_of(text: str) -> tuple[str, object]:
    """``python=3.10`` of the command line. A number is what was typed: 3.10 is no 3.1, and 007 no 7."""
    name, value = parse_change(text)
    typed = isinstance(value, (int, float)) and not isinstance(value, bool)
    return name, text.partition("=")[2].strip() if typed else value


def _of_file(file: Path) -> Deployment:
    settings = resolved(dict(flattened(read_any(file))), file.parent, str(file))
    return with_settings(Deployment(file.stem), settings, str(file))
