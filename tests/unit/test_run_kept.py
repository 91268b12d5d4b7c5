"""What the compiler made once is used again where nothing that it read has changed, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rewarp.run import kept as module
from rewarp.run.kept import Kept
from rewarp.toolchain import Toolchain


class Once:
    """A compiler that made one object of `main.hip`, which includes `more/sizes.h` from the second of two folders."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.steady = root / "steady"
        for name, text in {
            "steady/hip/hip_runtime.h": "// HIP",
            "work/source/main.hip": '#include "more/sizes.h"',
            "first/other.h": "",
            "second/more/sizes.h": "enum { N = 1 };",
        }.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        self.command = ["device", "-I", str(root / "first"), f"-I{root / 'second'}", str(root / "work/source/main.hip")]

    def kept(self, work: str = "work") -> Kept:
        toolchain = Toolchain("wheels", ("clang",), None, (self.steady,), None, "6.2")
        toolchain.__dict__["identity"] = "a compiler"
        return Kept(toolchain, self.root / work)

    def make(self, work: str = "work") -> None:
        out = self.root / "made"
        out.write_bytes(b"code\nof a kernel")
        listed = self.root / "listed.d"
        files = ["work/source/main.hip", "second/more/sizes.h", "steady/hip/hip_runtime.h"]
        listed.write_text("made: " + " \\\n  ".join(str(self.root / name) for name in files) + "\n")
        self.kept().keep(self.command, [listed], out, ["half"])

    def found(self, command: list[str] | None = None, work: str = "work") -> bool:
        out = self.root / "found"
        out.unlink(missing_ok=True)
        undefined = self.kept(work).find(command or self.command, out)
        assert undefined in (None, ("half",))
        assert out.exists() == (undefined is not None)
        return undefined is not None and out.read_bytes() == b"code\nof a kernel"


@pytest.fixture
def once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Once:
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path / "cache"))
    one = Once(tmp_path)
    assert not one.found()
    one.make()
    assert one.found()
    return one


def test_the_same_program_from_another_working_folder(once: Once) -> None:
    os.rename(once.root / "work", once.root / "elsewhere")
    moved = [word.replace("/work/", "/elsewhere/") for word in once.command]
    assert once.found(moved, "elsewhere")


@pytest.mark.parametrize("option", ["-DN=2", "-I/third", "-O1"])
def test_another_command(once: Once, option: str) -> None:
    assert not once.found([option, *once.command])


@pytest.mark.parametrize("name", ["work/source/main.hip", "second/more/sizes.h", "steady/hip/hip_runtime.h"])
def test_what_was_read_has_changed(once: Once, name: str) -> None:
    file = once.root / name
    before = file.stat()
    file.write_text(file.read_text() + " ")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not once.found()
    file.unlink()
    assert not once.found()


@pytest.mark.parametrize("name", ["first/more/sizes.h", "first/hip/hip_runtime.h", "work/source/more/sizes.h"])
def test_what_would_be_found_sooner(once: Once, name: str) -> None:
    (once.root / "first" / "unrelated.h").write_text("")
    assert once.found()
    (once.root / name).parent.mkdir(parents=True)
    (once.root / name).write_text("enum { N = 2 };")
    assert not once.found()


def test_the_surroundings_of_the_compiler(once: Once, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPLUS_INCLUDE_PATH", "/other")
    assert not once.found()


@pytest.mark.parametrize("text", ["int t = __TIME__[0];", "#if __has_include(A_H)\n#endif", "#embed <a.bin>"])
def test_what_is_another_each_time_is_not_kept(once: Once, text: str) -> None:
    (once.root / "second/more/sizes.h").write_text(text)
    once.make()
    assert not once.found()


def test_headers_that_are_asked_about(once: Once) -> None:
    (once.root / "second/more/sizes.h").write_text("#if __has_include(<a/b.h>)\n#include <a/b.h>\n#endif\n")
    once.make()
    assert once.found()
    (once.root / "first/a").mkdir()
    (once.root / "first/a/b.h").write_text("")
    assert not once.found()


def test_what_is_damaged_does_not_count(once: Once) -> None:
    (file,) = (once.root / "cache" / "programs").iterdir()
    file.write_bytes(file.read_bytes()[:40])
    assert not once.found()


def test_old_ones_make_room(once: Once, monkeypatch: pytest.MonkeyPatch) -> None:
    (file,) = (once.root / "cache" / "programs").iterdir()
    os.utime(file, ns=(0, 0))
    monkeypatch.setattr(module, "_MOST", file.stat().st_size + 10)
    once.command.insert(0, "-O1")
    once.make()
    assert not file.exists()


def test_a_program_is_compiled_once(tmp_path: Path) -> None:
    (tmp_path / "a.hip").write_text(
        '#include <hip/hip_runtime.h>\n#include <cstdio>\n#include "n.h"\n'
        "__global__ void k(int *p) { *p = N; }\n"
        "int main() { int *p, n = 0; (void)hipMalloc(&p, 4); k<<<1, 1>>>(p); (void)hipMemcpy(&n, p, 4, hipMemcpyDefault);\n"
        '  printf("%d\\n", n); }\n'
    )
    salt = tmp_path.name + str(os.getpid())  # nobody ran this program before
    for number, compiles, options in ((1, True, ()), (1, False, ()), (2, True, ()), (2, True, ("--option=-fgpu-rdc",)),
                                      (2, False, ("--option=-fgpu-rdc",))):  # fmt: skip
        (tmp_path / "n.h").write_text(f"enum {{ N = {number} }}; // {salt}\n")
        command = [sys.executable, "-m", "rewarp", "run", "--fast", "a.hip", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
        assert (done.returncode, done.stdout) == (0, f"{number}\n"), done.stderr
        assert ("compiling for gfx942" in done.stderr) == compiles, options
