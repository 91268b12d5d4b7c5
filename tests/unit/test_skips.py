"""Tests may be skipped for want of torch, Ray, LMCache, a browser or a GPU; any other skip fails the run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
INSIDE = "import pytest\ndef test_it():\n    pytest.skip({reason!r})\n"
MARKED = "import pytest\n@pytest.mark.skipif(True, reason={reason!r})\ndef test_it():\n    pass\n"
WHOLE_FILE = "import pytest\npytest.skip({reason!r}, allow_module_level=True)\n"


@pytest.mark.parametrize("form", [INSIDE, MARKED, WHOLE_FILE], ids=["inside", "marked", "whole file"])
@pytest.mark.parametrize(
    ("reason", "may_be"),
    [
        ("could not import 'torch'", True),
        ("no Chromium here", True),
        ("no GPU", True),
        ("could not import 'ray'", True),
        ("needs arrays", False),
        ("no LMCache here", True),
        ("needs cmake", False),
    ],
)
def test_only_five_things_may_be_missing(form: str, reason: str, may_be: bool, tmp_path: Path) -> None:
    (tmp_path / "test_skipped.py").write_text(form.format(reason=reason))
    (tmp_path / "test_passed.py").write_text("def test_it():\n    pass\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "conftest",
        "-c",
        os.devnull,
        f"--rootdir={tmp_path}",
        str(tmp_path),
    ]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(TESTS)}, capture_output=True, text=True)
    assert (done.returncode == 0) == may_be, done.stdout
    assert ("1 passed, 1 skipped" in done.stdout) == may_be
    assert (reason in done.stdout) != may_be
