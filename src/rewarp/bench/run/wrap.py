"""Any training command: its output passes through, and is read as a log while it comes."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from rewarp import processes
from rewarp.bench.logs import LogReader, finish
from rewarp.bench.result import Result, Warn
from rewarp.bench.run.provenance import when_and_what

_GRACE_S = 10.0
"""For a command that was told to stop; then it is ended."""
_SILENCE_S = 1.0
_INTERRUPTED = 130


def wrap(
    command: Sequence[str],
    environment: Mapping[str, str],
    echo: Callable[[bytes], None],
    progress: Callable[[int], None],
    dialect: str | None = None,
) -> tuple[list[Result], int]:
    """Run a command and read what it prints; the results, and its exit status.

    ``echo`` gets its output as it comes, ``progress`` the number of steps so far. Ctrl-C stops the command, and what it
    had printed counts.
    """
    reader = LogReader(dialect)
    began = time.monotonic()
    # In its session Ctrl-C reaches the command once, through us, and not twice.
    process = processes.start(command, environment=environment, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    with process.stdout, _stopping(process) as stopped:
        for chunk in _output(process, process.stdout.fileno()):
            reader.feed(chunk)
            echo(chunk)
            progress(reader.steps)
        code = process.wait()
    ending = _ending(code, bool(stopped))
    seconds = time.monotonic() - began
    results = [_finished(result, command, ending, seconds) for result in reader.results(_name(command))]
    return results, _INTERRUPTED if stopped else code


def _name(command: Sequence[str]) -> str:
    """The script, where there is one: `python` says nothing."""
    return os.path.basename(next((word for word in command if word.endswith(".py")), command[0]))


def _output(process: subprocess.Popen[bytes], stream: int) -> Iterator[bytes]:
    """What the command says, until it has ended and is silent: a process it left behind may hold the pipe open."""
    while True:
        if select.select([stream], [], [], _SILENCE_S)[0]:
            chunk = os.read(stream, 1 << 16)
            if not chunk:
                return
            yield chunk
        elif process.poll() is not None:
            return


@contextlib.contextmanager
def _stopping(process: subprocess.Popen[bytes]) -> Iterator[list[int]]:
    """Ctrl-C is told to the command, whose last words are still read; a second one, or too long a wait, ends it.

    Yields the signals that came.
    """
    came: list[int] = []
    timer = threading.Timer(_GRACE_S, processes.tell_group, (process.pid, signal.SIGKILL))
    timer.daemon = True

    def tell(number: int, frame: object) -> None:
        came.append(number)
        if len(came) > 1:
            processes.tell_group(process.pid, signal.SIGKILL)
        else:
            processes.tell_group(process.pid, signal.SIGINT)
            timer.start()

    in_main = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, tell) for number in (signal.SIGINT, signal.SIGTERM)} if in_main else {}
    try:
        yield came
    finally:
        timer.cancel()
        if process.poll() is None:
            processes.tell_group(process.pid, signal.SIGKILL)
            process.wait()
        for number, handler in before.items():
            signal.signal(number, handler)


def _ending(code: int, interrupted: bool) -> Warn | None:
    if interrupted:
        return Warn("interrupted", "the command was stopped by hand", "warning")
    if code:
        how = f"exit status {code}" if code > 0 else f"signal {-code}"
        return Warn("command-failed", f"the command ended with {how}", "warning")
    return None


def _finished(result: Result, command: Sequence[str], ending: Warn | None, seconds: float) -> Result:
    told = {**result.provenance, **when_and_what("rewarp bench run -- CMD", " ".join(command)), "seconds": seconds}
    warnings = (*result.warnings, ending) if ending is not None else result.warnings
    return finish(replace(result, provenance=told, warnings=warnings), {})
