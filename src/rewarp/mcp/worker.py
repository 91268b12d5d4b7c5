"""One call's process: confines itself, runs one command of rewarp below it, and ends all that is left when it ends.

``python -m rewarp.mcp.worker FILE``, where FILE holds the order as JSON. Programs that rewarp runs have sessions of their own, so
a signal to the group would not reach them; this process adopts what loses its parent, so that nothing gets away.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from rewarp import processes
from rewarp.mcp.confinement import confine

_PR_SET_CHILD_SUBREAPER = 36
_LARGEST_FILE = 2 << 30
"""Of what a call may write: a program must not fill the disk."""
_PATIENCE = 2.0
"""Seconds for the command to put back what it began, before it is killed."""


def main(order_file: str) -> int:
    order = json.loads(Path(order_file).read_text("utf-8"))
    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "linux":
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        processes.dying_with_parent(signal.SIGTERM)()
    command = os.fork()
    if command == 0:
        _become(order)
    signal.signal(signal.SIGTERM, lambda number, frame: _end(command, number, frame))
    status = _wait(command)
    _kill_all()
    return os.waitstatus_to_exitcode(status)


def _become(order: dict[str, object]) -> None:
    """The command itself. Never returns."""
    code = 70
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if order["confined"]:
            readable, writable, folders = (
                list(map(str, _list(order[name]))) for name in ("readable", "writable", "folders")
            )
            confine(readable, writable, folders)
        words = [sys.executable, "-m", "rewarp", *map(str, _list(order["command"]))]
        os.execv(sys.executable, words)
    except BaseException as error:
        os.write(2, f"rewarp: error: cannot begin: {error}\n".encode())
    finally:
        os._exit(code)


def _list(value: object) -> list[object]:
    assert isinstance(value, list)
    return value


def _wait(command: int) -> int:
    """Until the command ends; what was adopted and ends meanwhile is let go."""
    while True:
        ended, status = os.wait()
        if ended == command:
            return status


def _end(command: int, number: int, frame: FrameType | None) -> None:
    """Cancelled: the command may take back what it began; then everything below is killed."""
    _signal(command, signal.SIGTERM)
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and _is_there(command):
        time.sleep(0.02)
    _kill_all()
    os._exit(128 + number)


def _is_there(process: int) -> bool:
    try:
        return os.waitpid(process, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return False


def _kill_all() -> None:
    """Everything below, until nothing is left: what is killed leaves its children to us."""
    while below := _children():
        for process in below:
            _signal(process, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _children() -> list[int]:
    """Those whose parent is this process."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name stands in parentheses, and may hold any byte.
            parent = int(entry.read_bytes().rpartition(b")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        if parent == os.getpid():
            found.append(int(entry.parent.name))
    return found


def _signal(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
