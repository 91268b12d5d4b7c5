"""A compiler that crashes, hangs, runs out of memory or is not there says nothing about the source."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from rewarp.toolchain import Cause, Toolchain
from rewarp.toolchain.process import TimeLimit, run

ICE = "PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/"


def compiler(folder: Path, script: str) -> Toolchain:
    """A toolchain whose clang is a Python script."""
    file = folder / "clang.py"
    file.write_text(f"import os, signal, subprocess, sys, time\n{script}\n")
    (folder / "include").mkdir()
    return Toolchain("rocm", (sys.executable, str(file)), None, (folder / "include",), None, "6.2")


@pytest.mark.parametrize(
    ("script", "cause"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", Cause.CRASH),
        ("os.kill(os.getpid(), signal.SIGABRT)", Cause.CRASH),
        (f"print({ICE!r}, file=sys.stderr); sys.exit(1)", Cause.CRASH),
        ("sys.exit('a.hip:1:2: error: x\\nfatal error: error in backend: Cannot select: 0x1')", Cause.CRASH),
        ("sys.exit('clang: error: unable to execute command: Segmentation fault (core dumped)')", Cause.CRASH),
        ("os.kill(os.getpid(), signal.SIGKILL)", Cause.OUT_OF_MEMORY),
        ("sys.exit('LLVM ERROR: out of memory\\nAllocation failed\\nPLEASE submit a bug report')", Cause.OUT_OF_MEMORY),
        ("sys.exit('clang: error: unable to execute command: Killed')", Cause.OUT_OF_MEMORY),
        ("time.sleep(6000)", Cause.TIME_LIMIT),
        ("sys.exit(\"a.hip:1:2: error: use of undeclared identifier 'x'\")", Cause.UNDECLARED),
        ("sys.exit(3)", Cause.OTHER),
    ],
)
def test_trouble_of_the_compiler_is_told_from_errors(tmp_path: Path, script: str, cause: Cause) -> None:
    limit = 0.3 if cause is Cause.TIME_LIMIT else 300
    done = compiler(tmp_path, script).check(Path("a.hip"), "gfx942", timeout=limit)
    assert not done.ok
    assert done.failure
    assert done.failure.cause is cause
    assert done.failure.cause.is_of_compiler == (cause not in (Cause.UNDECLARED, Cause.OTHER))


def test_a_compiler_that_is_not_there(tmp_path: Path) -> None:
    done = Toolchain("rocm", (str(tmp_path / "none"),), None, (tmp_path,), None, None).check(Path("a.hip"), "gfx942")
    assert done.failure
    assert done.failure.cause is Cause.NOT_USABLE


def test_words_of_a_crash_in_a_source_are_no_crash(tmp_path: Path) -> None:
    said = "sys.exit('a.hip:1:2: error: no such thing as a Stack overflow')"
    failure = compiler(tmp_path, said).check(Path("a.hip"), "gfx942").failure
    assert failure
    assert failure.cause is Cause.OTHER


def test_warnings_of_a_compiler_that_succeeds_are_kept(tmp_path: Path) -> None:
    done = compiler(tmp_path, "print('a.hip:1:2: warning: unused', file=sys.stderr)").check(Path("a.hip"), "gfx942")
    assert done.ok
    assert [str(found) for found in done.diagnostics] == ["a.hip:1:2: warning: unused"]
    assert done.failure is None


@dataclass(frozen=True)
class UntilWritten(TimeLimit):
    """A limit that is over when a file has been written, however slow the machine is."""

    file: Path = Path()

    @property
    def left(self) -> float:
        while not (self.file.exists() and self.file.read_text()):
            time.sleep(0.01)
        return 0.0


def test_children_go_with_a_compiler_that_hangs(tmp_path: Path) -> None:
    child = "import os, time, pathlib; pathlib.Path('pid').write_text(str(os.getpid())); time.sleep(6000)"
    script = f"os.chdir({str(tmp_path)!r})\nsubprocess.run([sys.executable, '-c', {child!r}])"
    (tmp_path / "c.py").write_text(f"import os, subprocess, sys\n{script}\n")
    ok, said = run([sys.executable, str(tmp_path / "c.py")], str(tmp_path), UntilWritten(2, file=tmp_path / "pid"))
    assert not ok
    assert "no answer in 2 s" in said[0].message
    pid = int((tmp_path / "pid").read_text())
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
            return
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the child was left running")


def test_one_limit_for_all_steps() -> None:
    limit = TimeLimit(5, start=time.monotonic() - 4)
    assert 0 < limit.left <= 1
    assert TimeLimit(5, start=time.monotonic() - 9).left == 0


def test_a_compiler_that_fails_at_the_first_of_many_steps(tmp_path: Path) -> None:
    for name in ("ocml.bc", "ockl.bc"):
        (tmp_path / name).touch()
    broken = replace(compiler(tmp_path, "sys.exit(3)"), bitcode=tmp_path, linker=("none",))
    for done in (
        broken.compile_device(Path("a.hip"), "gfx1100", level="code_object", output=tmp_path / "out"),
        broken.compile_device(Path("a.hip"), "gfx1100", output=tmp_path / "out"),
        broken.link((Path("a.hip"), Path("b.hip")), "gfx1100", output=tmp_path / "out"),
    ):
        assert [error.message for error in done.errors] == ["the compiler ended with status 3"]
    assert not (tmp_path / "out").exists()


def test_without_a_linker_there_is_no_code_object(tmp_path: Path) -> None:
    done = compiler(tmp_path, "").compile_device(Path("a.hip"), "gfx942", level="code_object")
    assert done.failure
    assert done.failure.cause is Cause.NOT_USABLE
