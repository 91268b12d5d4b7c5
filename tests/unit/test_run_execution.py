"""A process with limits, what it finds around it, and what the runtime noted of it."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rewarp.errors import UsageError
from rewarp.run import records
from rewarp.run.comparison import differences
from rewarp.run.execution import Settings, execute, sandboxed
from rewarp.run.results import Alarm, Difference, Ended, Limits, ProgramResult, Ran, Records
from rewarp.toolchain.bundle import bundle

PYTHON = sys.executable


def test_how_a_program_ends(capfd: pytest.CaptureFixture[str]) -> None:
    ended = execute([PYTHON, "-c", "print('hello'); raise SystemExit(7)"], os.environ)
    assert (ended.code, ended.words, ended.stdout) == (7, "exit status 7", None)
    assert capfd.readouterr().out == "hello\n"
    ended = execute([PYTHON, "-c", "import os; os.abort()"], os.environ)
    assert ended.words == "ended by SIGABRT"
    ended = execute([PYTHON, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGXCPU)"], os.environ)
    assert (ended.by_others, ended.words) == (True, "ended by SIGXCPU: the processor time that it was given is used up")
    with pytest.raises(UsageError, match="cannot run"):
        execute(["/nowhere/at/all"], os.environ)


def test_output_is_kept_where_it_is_compared() -> None:
    seen: list[bytes] = []
    ended = execute([PYTHON, "-c", "print('x' * 100000)"], os.environ, keep_output=seen.append)
    assert ended.stdout == b"x" * 100000 + b"\n" == b"".join(seen)


def test_the_time_limit_ends_all_processes(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    program = f"sleep 600 & echo $$ $! > {pids}; wait"
    ended = execute(["/bin/sh", "-c", program], os.environ, Limits(seconds=2.0))
    assert (ended.timed_out, ended.code) == (True, None)
    assert "time limit" in ended.words
    first, child = map(int, pids.read_text().split())
    assert not _is_alive(first)
    for _ in range(100):  # who was killed is gone as soon as its new parent has noticed
        if not _is_alive(child):
            break
        time.sleep(0.05)
    assert not _is_alive(child)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_memory_limit() -> None:
    ended = execute([PYTHON, "-c", "x = bytearray(1 << 30)"], os.environ, Limits(memory=256 << 20))
    assert ended.code == 1
    assert execute([PYTHON, "-c", "x = bytearray(1 << 20)"], os.environ, Limits(memory=256 << 20)).code == 0


def test_the_runtime_is_told_by_its_surroundings(tmp_path: Path) -> None:
    base = {"HOME": "/h", "LD_LIBRARY_PATH": "/other", "REWARP_MACHINE_ORDER": "9", "REWARP_MACHINE_TIME": "1"}
    told = Settings("gfx1100", tmp_path / "r", Path("/lib/rt"), False, 2, None, Limits(None, 5)).environment(base)
    assert told["LD_LIBRARY_PATH"] == "/lib/rt:/other"
    assert told["REWARP_MACHINE_ARCH"] == "gfx1100"
    assert (told["REWARP_MACHINE_WATCH"], told["REWARP_MACHINE_CORES"], told["REWARP_MACHINE_MEMORY"]) == (
        "0",
        "2",
        "5",
    )
    assert told["HOME"] == "/h"
    assert not {"REWARP_MACHINE_ORDER", "REWARP_MACHINE_TIME"} & set(told), "what was not asked for is not inherited"


def test_a_sandbox_needs_bubblewrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="bubblewrap"):
        sandboxed(["true"], tmp_path)
    (tmp_path / "bwrap").write_text("#!/bin/sh\n")
    (tmp_path / "bwrap").chmod(0o755)
    words = sandboxed(["./a", "--bind"], tmp_path / "work")
    assert words[0] == str(tmp_path / "bwrap")
    assert words[-3:] == ["--", "./a", "--bind"]
    assert "--unshare-all" in words
    before = words[: words.index("--")]
    assert before[before.index("--ro-bind") + 1 : before.index("--ro-bind") + 3] == ["/", "/"]
    writable = [before[at + 1] for at, word in enumerate(before) if word == "--bind"]
    assert writable == [str(tmp_path / "work"), str(tmp_path / "cache/sandbox")]


_INTERRUPTED = """
import os, signal, subprocess, sys, threading
# Whoever starts the tests in the background may have interrupts ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
from rewarp.run import execution

class Slow(subprocess.Popen):
    "Interrupted once the program runs and before anybody holds it."
    def __init__(self, *words, **more):
        super().__init__(*words, **more)
        if sys.argv[1] == "early":
            other = threading.Thread(target=lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT))
            other.start()
            other.join()

subprocess.Popen = Slow

def later():
    started.wait()
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
    forever.wait()

started, forever = threading.Event(), threading.Event()
threading.Thread(target=later, daemon=True).start()
ended = execution.execute(["/bin/sh", "-c", "echo on; exec sleep 600"], os.environ, keep_output=lambda chunk: started.set())
print(ended.interrupted, ended.code, ended.seconds < 300)
try:
    os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    print("as before")
"""


@pytest.mark.parametrize("when", ["early", "late"])
def test_an_interrupt_that_another_thread_takes(when: str) -> None:
    done = subprocess.run([PYTHON, "-c", _INTERRUPTED, when], capture_output=True, text=True, timeout=600)
    assert done.stdout == "True None True\nas before\n", done.stderr


# --- what the runtime noted -------------------------------------------------------------------


def test_notes_are_read_with_places_of_the_user(tmp_path: Path) -> None:
    noted = [
        {"kind": "kernel", "name": "k", "launches": 2, "seconds": 0.5, "waves": 8},
        {"kind": "kernel", "name": "k", "launches": 1, "seconds": 0.25, "waves": 4},
        {"kind": "alarm", "what": "race", "kernel": "k", "file": "/w/a.cu", "line": 5, "group": [1, 0, 0], "wave": 2,
         "lane": 3, "text": "two waves", "other": {"file": "/w/a.cu", "line": 6, "wave": 0}, "count": 9},
        {"kind": "unsupported", "kernel": "k", "instruction": "v_new"},
        {"kind": "host", "library": "hipblas", "function": "hipblasSgemm", "calls": 3},
        {"kind": "missing", "function": "hipFoo"},
    ]  # fmt: skip
    file = tmp_path / "r.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in noted) + '{"kind": "ker')
    found = records.read(file, lambda name, line: (name.replace("/w/", "/mine/"), line - 1))
    (kernel,) = found.kernels
    assert (kernel.launches, kernel.seconds, kernel.waves) == (3, 0.75, 12)
    (alarm,) = found.alarms
    assert (alarm.file, alarm.line, alarm.count, alarm.group) == ("/mine/a.cu", 4, 9, (1, 0, 0))
    assert alarm.other == {"file": "/mine/a.cu", "line": 5, "wave": 0}
    assert found.unsupported == (("k", "v_new"),)
    assert found.host == (("hipblas", "hipblasSgemm", 3),)
    assert found.missing == ("hipFoo",)
    assert found.damaged == 1
    assert records.read(tmp_path / "none") == Records()


def test_a_loop_that_was_unrolled_is_one_alarm(tmp_path: Path) -> None:
    def race(line: int, instruction: str, other: int = 9, **more: object) -> dict[str, object]:
        side = {"file": "a.cu", "group": [0, 0, 0], "wave": 0}
        return {"kind": "alarm", "seen": 6, "how": 1, "lane": 0, "offset": 4, "size": 4, "count": 3, "kernel": "k", "memory": "m",
                **side, "line": line, "instruction": instruction, "other": {**side, "line": other, "instruction": "load"},
                **more}  # fmt: skip

    noted = [race(5, "store v1"), race(5, "store v2"), race(6, "store v1"), race(5, "store v3", other=8)]
    noted += [
        race(5, "store v1", memory="n"),
        race(5, "store v1", how=5),
        race(5, "store v1", kernel="l"),
        race(5, "store v4"),
    ]
    noted += [race(0, "store v1"), race(0, "store v2"), race(5, "store v1", other=0), race(5, "store v2", other=0)]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(one) + "\n" for one in noted))
    found = records.read(tmp_path / "r.jsonl").alarms
    assert [alarm.count for alarm in found] == [9] + 9 * [3]
    assert found[0].instruction == "store v1"


def test_no_room_here_says_nothing_about_the_program(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text('{"kind": "alarm", "what": "memory", "kernel": "k", "text": "not enough memory for a launch"}\n')
    found = records.read(file)
    assert (found.alarms[0].is_remark, found.no_room) == (True, "not enough memory for a launch")
    ran = Ran("gfx942", None, Ended(134, 1.0), found)
    assert (ran.incomplete, ProgramResult("machine", True, (ran,)).exit_code) == (True, 3)


def test_exit_codes() -> None:
    def code(ended: Ended, noted: Records = Records(), parting: tuple[Difference, ...] = ()) -> int:  # noqa: B008
        return ProgramResult("machine", True, (Ran("gfx942", None, ended, noted),), parting).exit_code

    well = Ended(0, 1.0)
    assert code(well) == 0
    assert code(Ended(4, 1.0)) == 1
    assert code(Ended(-11, 1.0)) == 1
    assert code(well, Records(alarms=(Alarm("race", ""),))) == 1
    assert code(well, parting=(Difference("a", "b", "differ"),)) == 1
    assert code(Ended(None, 1.0, timed_out=True)) == 3
    assert code(Ended(None, 1.0, interrupted=True)) == 3
    assert code(Ended(1, 1.0), Records(unsupported=(("k", "v"),))) == 3
    assert code(Ended(70, 1.0), Records(missing=("hipFoo",))) == 3
    assert code(Ended(1, 1.0), Records(alarms=(Alarm("race", ""),), missing=("hipFoo",))) == 1
    assert code(Ended(-9, 1.0)) == 3, "somebody else ended it"
    idle = Ran("gfx942", None, well, Records(), has_kernels=True)
    assert ProgramResult("machine", True, (idle,)).exit_code == 3, "nothing ran as AMD code: nothing was checked"


def ran(arch: str, text: bytes, code: int = 0) -> Ran:
    return Ran(arch, None, Ended(code, 1.0, stdout=text))


def test_where_outputs_part() -> None:
    first = ran("gfx942", b"a\nsum 1.0000000\n")
    assert differences([first, ran("gfx1100", b"a\nsum 1.0000000\n")], None) == ()
    (found,) = differences([first, ran("gfx1100", b"a\nsum 1.0000001\n")], None)
    assert (found.first, found.second) == ("gfx942", "gfx1100")
    assert "line 2" in found.words
    assert differences([first, ran("gfx1100", b"a\nsum 1.0000001\n")], 1e-5) == ()
    assert "exit status 1" in differences([first, ran("gfx1100", b"a\nsum 1.0000000\n", 1)], None)[0].words
    cut = Ran("gfx1100", None, Ended(None, 1.0, timed_out=True, stdout=b""))
    assert differences([first, cut], None) == (), "a run that was cut short says nothing"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (
            b"Total kernel time (32 locations): 0.97 (s)\nPASS\n",
            b"Total kernel time (32 locations): 0.01 (s)\nPASS\n",
            True,
        ),
        (b"Average: 3.5 ms, 120.1 GB/s\nsum 7\n", b"Average: 9.25 ms, 44 GB/s\nsum 7\n", True),
        (b"Elapsed 3\nsum 7\n", b"Elapsed 4\nsum 8\n", False),
        (b"time step 3: energy 1.5\n", b"time step 3: energy 1.25\n", False),
        (b"3 items\n", b"4 items\n", False),
    ],
)
def test_times_and_speeds_are_no_results(one: bytes, other: bytes, same: bool) -> None:
    assert (differences([ran("gfx942", one), ran("gfx942, order 1", other)], None) == ()) is same


def test_the_bundle_is_laid_out_as_clang_does() -> None:
    data = bundle({"gfx942": b"\t.amdgcn_target\n"})
    assert data.startswith(b"__CLANG_OFFLOAD_BUNDLE__")
    at, entries = 32, {}
    for _ in range(struct.unpack_from("<Q", data, 24)[0]):
        offset, size, length = struct.unpack_from("<QQQ", data, at)
        entries[data[at + 24 : at + 24 + length]] = data[offset : offset + size]
        at += 24 + length
    assert entries == {
        b"host-x86_64-unknown-linux-gnu-": b"",
        b"hipv4-amdgcn-amd-amdhsa--gfx942": b"\t.amdgcn_target\n",
    }
