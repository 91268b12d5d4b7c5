"""Programs that the tests start: those that the test extra brings, and those that only some machines have."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest


def brought(name: str) -> str:
    """A program of the test extra."""
    return str(Path(sys.executable).with_name(name))


def present(name: str) -> bool:
    """Whether the machine has a program that no wheel brings: a test shows more where it does. CI must have it."""
    found = shutil.which(name) is not None
    if not found and os.environ.get("REWARP_REQUIRE_TOOLS"):
        pytest.fail(f"no {name} on this machine, and REWARP_REQUIRE_TOOLS is set")
    return found
