"""Starts with the interpreter, waits for torch, writes one report per process."""

from __future__ import annotations

import atexit
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

FOLDER = "REWARP_WATCH_FOLDER"
CALLS = "calls.json"
PROFILE_SECONDS = "REWARP_WATCH_PROFILE_SECONDS"
_INTERIM_SECONDS = 2.0
_PROBLEMS_KEPT = 20

current: Process | None = None
"""This process, where it is watched."""


class Process:
    """What is known of this process. A fork starts anew: it is another process."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.parts: list[Any] = []
        """What the other modules saw: each has a ``finish()`` and a ``report()``."""
        self.torch: dict[str, Any] | None = None
        self._begin(forked=False)

    def _begin(self, forked: bool) -> None:
        self.pid = os.getpid()
        self.forked = forked
        self.problems: list[str] = []
        self._lock = threading.RLock()
        self._written = 0.0

    def forked_here(self) -> None:
        self._begin(forked=True)
        for part in self.parts:
            part.forked_here()

    def problem(self, where: str, error: BaseException) -> None:
        said = str(error).split("\n")[0][:200]
        line = f"{where}: {type(error).__name__}: {said}"
        if line not in self.problems and len(self.problems) < _PROBLEMS_KEPT:
            self.problems.append(line)

    def finish(self) -> None:
        """The last report; nothing comes after it."""
        if self.torch is None:
            return
        for part in self.parts:
            self.guarded(part.finish)()
        if not self.forked or any(part.active for part in self.parts):
            self.write(complete=True)

    def written_now_and_then(self) -> None:
        """A process may be killed: what was seen until a moment ago is on disk."""
        if time.monotonic() - self._written > _INTERIM_SECONDS:
            self.write(complete=False)

    def write(self, complete: bool) -> None:
        if self.torch is None:
            return
        with self._lock:
            report: dict[str, Any] = {
                "pid": self.pid,
                "parent": os.getppid(),
                "rank": os.environ.get("RANK"),
                "argv": [str(word) for word in getattr(sys, "argv", [])][:50],
                "complete": complete,
                "torch": self.torch,
                "problems": self.problems,
            }
            for part in self.parts:
                report.update(part.report())
            file = os.path.join(self.folder, f"process-{self.pid}.json")
            try:
                with open(file + ".tmp", "w", encoding="utf-8") as stream:
                    json.dump(report, stream)
                os.replace(file + ".tmp", file)
            except (OSError, ValueError):
                pass
            self._written = time.monotonic()

    def guarded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, whose errors are a line in the report."""

        @functools.wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            try:
                return function(*arguments, **keywords)
            except Exception as error:
                self.problem(getattr(function, "__name__", "watching"), error)
                return None

        return call


class _Finder(importlib.abc.MetaPathFinder):
    """Lets torch be found as ever, and tells when its import has ended."""

    def __init__(self, then: Callable[[ModuleType], None]) -> None:
        self._then = then
        self._looking = False

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != "torch" or self._looking:
            return None
        self._looking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._looking = False
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                load(module)
                self._then(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def install() -> Process | None:
    """Called once, at the interpreter's start."""
    global current
    folder = os.environ.get(FOLDER)
    if not folder or not os.path.isdir(folder):
        return None
    current = process = Process(folder)
    sys.meta_path.insert(0, _Finder(process.guarded(functools.partial(_torch_is_there, process))))
    return process


def _torch_is_there(process: Process, torch: Any) -> None:
    from . import modules, profile

    version = torch.version
    process.torch = {
        "version": str(torch.__version__),
        "cuda": getattr(version, "cuda", None),
        "hip": getattr(version, "hip", None),
        "initialised": [],
    }
    seconds = float(os.environ.get(PROFILE_SECONDS) or 10)
    profiler = profile.Profiler(process, torch, seconds)
    process.parts = [profiler, modules.Modules(process, torch, profiler)]
    _write_at_exit(process)
    process.write(complete=False)


def _write_at_exit(process: Process) -> None:
    atexit.register(process.finish)
    leave = os._exit

    def exit_after_report(status: int) -> None:
        process.guarded(process.finish)()
        leave(status)

    # Workers made by fork end this way, and so do programs in a hurry.
    os._exit = exit_after_report  # type: ignore[assignment]
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=process.forked_here)
