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
