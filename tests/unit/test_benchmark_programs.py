"""How `benchmarks/programs.py` learns from make what a folder builds and how its program is started."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def programs() -> ModuleType:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module("programs")
    finally:
        sys.path.remove(str(BENCHMARKS))


def folder(root: Path, makefile: str, **files: str) -> Path:
    for name, text in {"Makefile": makefile, "main.cu": "int main() {}\n", **files}.items():
        (root / name).write_text(text)
    return root


def test_the_first_command_that_is_no_comment(programs: ModuleType, tmp_path: Path) -> None:
    read = programs.read_makefile(
        folder(tmp_path, "main: main.cu\n\thipcc $< -o $@\nrun: main\n\t#./main 7\n\t./main 8\n")
    )
    assert read.commands[-1] == ("8",)
    assert [unit.source.name for unit in read.units] == ["main.cu"]


def test_the_folder_and_the_variables_of_the_command(programs: ModuleType, tmp_path: Path) -> None:
    makefile = "run:\n\tcd data && SEED=3 ../main list.txt && cd ..\n"
    (tmp_path / "data").mkdir()
    read = programs.read_makefile(folder(tmp_path, makefile))
    assert (read.place, read.variables) == (tmp_path / "data", {"SEED": "3"})
    assert read.commands == (("list.txt",),)


def test_make_in_another_folder(programs: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    folder(tmp_path / "src", "run:\n\t./main 5\n")
    read = programs.read_makefile(folder(tmp_path, "run:\n\t$(MAKE) -C src run\n"))
    assert (read.place, read.commands) == (tmp_path / "src", (("5",),))


def test_a_script_is_not_the_program(programs: ModuleType, tmp_path: Path) -> None:
    makefile = "run:\n\t./prepare a b\n\t./main 5\n"
    read = programs.read_makefile(folder(tmp_path, makefile, prepare="#!/bin/sh\n"))
    assert read.commands == (("5",),)


def test_sources_where_make_lacks_something_else(programs: ModuleType, tmp_path: Path) -> None:
    makefile = "source = main.cu\nCFLAGS := -std=c++17 -I../x -O3\nmain.o: main.cu ../absent.h\n\thipcc -c $<\n"
    read = programs.read_makefile(folder(tmp_path, makefile))
    assert [(unit.source, unit.options) for unit in read.units] == [(tmp_path / "main.cu", ("-std=c++17", "-I../x"))]


def test_a_run_without_kernels_and_without_its_file_is_no_run(programs: ModuleType, tmp_path: Path) -> None:
    program = programs.Program(tmp_path, (), (), (("in.txt",),), place=tmp_path)
    ran = {"kernels": [], "alarms": [], "unsupported": [], "missing": [], "ending": "ended", "exit_status": 0}
    result = programs.Result("p", "gfx942", "crash", arguments=["in.txt"])
    assert programs.judged(result, ran, "", program).outcome == programs.NO_INPUT
    (tmp_path / "in.txt").write_text("1\n")
    assert programs.judged(result, ran, "", program).outcome == programs.ENDS


def test_what_a_program_lets_pass_is_no_failure(programs: ModuleType, tmp_path: Path) -> None:
    program = programs.Program(tmp_path, (), (), ((),))
    kernels = [{"launches": 1}]
    ran = {"kernels": kernels, "alarms": [], "unsupported": [], "missing": [], "ending": "ended", "exit_status": 0}
    told = "0.01(%) of bytes mismatched (count=1)\n"
    for end, outcome in (("GPU Result matches CPU Result within tolerance...", programs.PASS), ("", programs.FAIL)):
        assert programs.judged(programs.Result("p", "gfx942", ""), ran, told + end, program).outcome == outcome


def test_libraries_are_what_the_compiler_is_given(programs: ModuleType, tmp_path: Path) -> None:
    makefile = "main: main.cu\n\thipcc $< -o $@ -lhipblas\nrun: main\n\t./main -lat 30 -lng 90\n"
    assert programs.read_makefile(folder(tmp_path, makefile)).libraries == ("hipblas",)


def test_a_program_that_used_up_its_time_is_no_failure_of_its_own(programs: ModuleType, tmp_path: Path) -> None:
    ran = {
        "kernels": [],
        "alarms": [],
        "unsupported": [],
        "missing": [],
        "ending": "exit status 152",
        "exit_status": 152,
    }
    program = programs.Program(tmp_path, (), (), ((),))
    assert programs.judged(programs.Result("p", "gfx942", ""), ran, "", program).outcome == programs.TIME


def test_a_file_that_is_not_there_and_memory_that_is_not(programs: ModuleType, tmp_path: Path) -> None:
    program = programs.Program(tmp_path, (), (), ((),))
    ran = {"kernels": [], "alarms": [], "unsupported": [], "missing": [], "ending": "exit status 1", "exit_status": 1}
    for text in (
        "cannot open in.bin",
        "ERROR: open in.bin",
        "can't open input file in.bin",
        "REASON: No such file or directory",
    ):
        assert programs.judged(programs.Result("p", "gfx942", ""), ran, text, program).outcome == programs.NO_INPUT
    assert programs.judged(programs.Result("p", "gfx942", ""), ran, "wrong", program).outcome == programs.FAIL
    full = [{"kernel": "", "instruction": "hipMalloc of 9 bytes: 7 of the 8 bytes that --memory-limit gives are taken"}]
    for unsupported, outcome in (
        (full, programs.MEMORY),
        ([{"kernel": "k", "instruction": "v_new"}], programs.UNSUPPORTED),
    ):
        result = programs.judged(programs.Result("p", "gfx942", ""), {**ran, "unsupported": unsupported}, "", program)
        assert result.outcome == outcome


def test_the_order_of_a_draw(programs: ModuleType) -> None:
    hip = [Path(f"{name}-hip") for name in "abcdefgh"]
    cuda = [Path(f"{name}-cuda") for name in "abcdefgh"]
    order = [path.name[0] for path in programs.drawn(hip, 16)]
    assert order == [path.name[0] for path in programs.drawn(reversed(cuda), 16)]
    assert order != sorted(order)
    assert order != [path.name[0] for path in programs.drawn(hip, 17)]
    more = [path.name[0] for path in programs.drawn([*hip, Path("i-hip")], 16)]
    assert [name for name in more if name != "i"] == order


def test_the_published_table(programs: ModuleType, tmp_path: Path) -> None:
    table = tmp_path / "programs.csv"
    one = programs.Result("a", "gfx942", "pass", cpu=1.25, limit=120.0, kernels=2, launches=3)
    two = programs.Result(
        "b", "gfx942", "not built", reason="device code: missing header: x.h (/tmp/somewhere/b.cu:1: no x.h)"
    )
    programs.publish(table, "corpus", "gfx942", [two, one])
    programs.publish(
        table, "corpus", "gfx1100", [programs.Result("a", "gfx1100", "fail", reason="/tmp/somewhere/a.cu: wrong")]
    )
    assert "/tmp" not in table.read_text()
    known = programs.read_table(table, "corpus", "gfx942")
    assert list(known) == ["a", "b"]
    assert (known["a"].outcome, known["a"].limit, known["a"].launches) == ("pass", 120.0, 3)
    assert known["b"].reason == "device code: missing header: x.h"
    assert programs.read_table(table, "other", "gfx942") == {}


def test_the_interval_of_a_share(programs: ModuleType) -> None:
    low, high = importlib.import_module("program_results").wilson(8, 10)
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)
    assert importlib.import_module("program_results").wilson(0, 0) == (0.0, 1.0)


_TELLS = """
import sys, time
group = 0
while True:
    group += 1
    sys.stderr.write(f"\\r\\033[Krewarp: k: {group} of {GROUPS} workgroups after {group} s, about 9 s left")
    sys.stderr.flush()
    until = time.process_time() + STEP
    while time.process_time() < until: pass
    if group == 5: break
"""


@pytest.mark.parametrize(("groups", "needs"), [(6, False), (1000, True)])
def test_a_launch_that_cannot_end_is_stopped(
    programs: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, groups: int, needs: bool
) -> None:
    monkeypatch.setattr(programs.hopeless, "_LOOKED", 0.5)
    text = _TELLS.replace("GROUPS", str(groups)).replace("STEP", "1.0")
    text = text.replace("{" + str(groups) + "}", str(groups))
    with (tmp_path / "said").open("wb") as stream:
        end = programs.hopeless.run([sys.executable, "-c", text], tmp_path, {}, stream, 60)
    assert (end.needs is not None) == needs
    assert needs or end.status == 0
    assert b"workgroups after" not in (tmp_path / "said").read_bytes() or needs
