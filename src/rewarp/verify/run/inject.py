"""The watcher beside a program: a folder at the front of PYTHONPATH, and the reports that come back in it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewarp.verify.run.child import watcher

_PACKAGE = "rewarp_child"
_START = f'''"""Starts the watcher, then what stood here before it."""
import importlib.machinery, importlib.util, os, sys
try:
    from {_PACKAGE} import watcher
    watcher.install()
except Exception as error:
    sys.stderr.write("rewarp: this process is not watched: %s\\n" % error)
_here = os.path.dirname(os.path.abspath(__file__))
_others = [entry for entry in sys.path if os.path.abspath(entry or ".") != _here]
_spec = importlib.machinery.PathFinder.find_spec("sitecustomize", _others)
if _spec is not None and _spec.loader is not None:
    _module = importlib.util.module_from_spec(_spec)
    sys.modules["sitecustomize"] = _module
    _spec.loader.exec_module(_module)
'''


@dataclass(frozen=True)
class Injection:
    """A folder to be put in front of a program, and the folder its reports go to."""

    folder: Path
    reports: Path

    @classmethod
    def into(cls, folder: Path) -> Injection:
        """Lay the watcher out in an empty folder."""
        code = folder / "python"
        ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(Path(__file__).parent / "child", code / _PACKAGE, ignore=ignored)
        (code / "sitecustomize.py").write_text(_START, encoding="utf-8")
        reports = folder / "reports"
        reports.mkdir()
        return cls(code, reports)

    def environment(self, before: Mapping[str, str], profile_seconds: float) -> dict[str, str]:
        path = before.get("PYTHONPATH")
        return {
            **before,
            "PYTHONPATH": f"{self.folder}{os.pathsep}{path}" if path else str(self.folder),
            watcher.FOLDER: str(self.reports),
            watcher.PROFILE_SECONDS: f"{profile_seconds:g}",
            # Otherwise the profiler tells of its own start and end in the program's output.
            "KINETO_LOG_LEVEL": before.get("KINETO_LOG_LEVEL", "99"),
        }

    def call(self, python: str, target: str, times: int) -> list[str]:
        """The command that calls a function so often."""
        return [python, "-m", f"{_PACKAGE}.call", target, str(times)]

    def processes(self) -> list[dict[str, Any]]:
        """What each process that imported torch had to say, oldest first."""
        found = [
            _read(file)
            for file in sorted(self.reports.glob("process-*.json"), key=lambda file: file.stat().st_ctime_ns)
        ]
        return [report for report in found if report is not None]

    def calls(self) -> dict[str, Any] | None:
        return _read(self.reports / watcher.CALLS)


def _read(file: Path) -> dict[str, Any] | None:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) else None
