"""Programs that are started, told to end and read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rewarp import processes
from rewarp.errors import UsageError

PARENT = "import subprocess, sys; child = subprocess.Popen(['sleep', '60']); print(child.pid, flush=True); child.wait()"


def python(code: str) -> subprocess.Popen[bytes]:
    return processes.start([sys.executable, "-c", code], environment=os.environ)


def is_gone(process: int) -> bool:
    for _ in range(200):
        try:
            state = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0]
        except OSError:
            return True
        if state == b"Z":
            return True
        time.sleep(0.05)
    return False


def test_what_a_program_started_goes_with_it() -> None:
    with python(PARENT) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        processes.tell_group(process.pid)
        assert process.wait() == -signal.SIGKILL
    assert is_gone(child)
    processes.tell_group(process.pid)  # nobody is there: nothing happens


@pytest.mark.parametrize(
    ("command", "words"),
    [("/nowhere/at-all", "cannot run /nowhere/at-all: No such file or directory"), ("a\0b", "embedded null byte")],
)
def test_a_program_that_cannot_be_started_is_named(command: str, words: str) -> None:
    with pytest.raises(UsageError) as found:
        processes.start([command], environment={})
    assert words in str(found.value)


def test_all_is_read_and_the_stream_closed() -> None:
    parts: list[bytes] = []
    with python("print('x' * 300_000)") as process:
        assert process.stdout is not None
        reader = processes.Reader(process.stdout, parts.append)
        assert process.wait() == 0
        assert reader.has_ended(10)
        assert process.stdout.closed
    assert b"".join(parts) == b"x" * 300_000 + b"\n"


def test_no_more_is_read_than_is_taken() -> None:
    parts: list[bytes] = []

    def take(chunk: bytes) -> bool:
        parts.append(chunk)
        return False

    with python("import time; print('x' * 300_000); time.sleep(60)") as process:
        assert process.stdout is not None
        assert processes.Reader(process.stdout, take).has_ended(10)
        processes.tell_group(process.pid)
    assert len(parts) == 1


def test_who_holds_a_pipe_open_is_not_waited_for() -> None:
    with python("import time; time.sleep(60)") as process:
        assert process.stdout is not None
        reader = processes.Reader(process.stdout, lambda chunk: None)
        assert not reader.has_ended(0.05)
        processes.tell_group(process.pid)
        assert reader.has_ended(10)


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
def test_a_child_dies_with_its_parent() -> None:
    code = (
        "import os, sys, time\nfrom rewarp import processes\n"
        "die = processes.dying_with_parent()\n"
        "child = os.fork()\n"
        "if child == 0:\n    die()\n    os.write(1, b'ready')\n    time.sleep(60)\n"
        "os.write(1, b' %d ' % child)\ntime.sleep(60)\n"
    )
    with python(code) as process:
        assert process.stdout is not None
        said = b""
        while b"ready" not in said or said.count(b" ") < 2:
            said += os.read(process.stdout.fileno(), 100)
        os.kill(process.pid, signal.SIGKILL)
        assert is_gone(int(said.replace(b"ready", b"")))
