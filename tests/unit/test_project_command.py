"""``rewarp project``: the JSON it promises, what the terminal shows, exit codes."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from test_project_build import SWITCHED, written

from rewarp import cli
from rewarp.project.overview import look
from rewarp.report import project

SCHEMA = json.loads(resources.files("rewarp.report").joinpath("schemas/project-1.json").read_text("utf-8"))
FILES = {
    **SWITCHED,
    "README.md": "# K\n\nRuns on NVIDIA GPUs and on AMD GPUs with ROCm.\n",
    "tests/test_k.cpp": "int main() {}\n",
    "more/Makefile": "ifeq ($(shell cat mode),fast)\nm: m.cu\n\thipcc m.cu\nendif\n",
    "more/m.cu": "",
}


@pytest.mark.parametrize("target", ["rocm", "gaudi"])
def test_json_fits_its_schema(target: str, tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    data = json.loads(json.dumps(project.document(look(written(tmp_path, FILES), target))))
    jsonschema.validate(data, SCHEMA)
    assert set(data["builds"]) == {"nvidia", target}


def test_json_says_what_is_compiled_where_and_why(tmp_path: Path) -> None:
    data = project.document(look(written(tmp_path, FILES)))
    assert data["only_nvidia"] == ["nvidia.cu"]
    assert data["only_target"] == ["amd.hip", "more/m.cu"]
    amd = {unit["source"]: unit for unit in data["builds"]["rocm"]["units"]}
    assert (amd["gpu.cu"]["language"], amd["gpu.cu"]["file"], amd["gpu.cu"]["line"]) == ("HIP", "CMakeLists.txt", 16)
    assert amd["more/m.cu"]["conditions"] == ["ifeq ($(shell cat mode),fast)"]
    assert data["builds"]["rocm"]["switches"][1] == {
        "name": "K_HIP",
        "value": "ON",
        "file": "CMakeLists.txt",
        "line": 4,
    }
    assert data["roles"]["tests/test_k.cpp"]["role"] == "tests"
    assert {item["way"] for item in data["support"]["evidence"]} >= {"build", "documentation"}
    assert data["support"]["is_there"] is True


def test_the_terminal_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, FILES)
    assert cli.main(["project", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "compiled for NVIDIA only (1)\n  nvidia.cu  CMakeLists.txt:16\n" in said
    assert "  K_HIP=ON  CMakeLists.txt:4\n" in said
    assert "more/m.cu  more/Makefile:3  if ifeq ($(shell cat mode),fast)" in said
    assert "support for ROCm: yes" in said


def test_a_build_that_ends_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, {"CMakeLists.txt": "project(k CUDA)\nadd_library(k k.cu)\n", "k.cu": ""})
    assert cli.main(["project", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "the build for ROCm ends here (1)\n  CMakeLists.txt:1: there is no compiler for CUDA\n" in said
    assert "support for ROCm: nothing shows it" in said


def test_a_folder_without_anything_to_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, {"a.py": "print(1)\n"})
    assert cli.main(["project", str(tmp_path)]) == 0
    assert "no build file that is understood" in capsys.readouterr().out


def test_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["project", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["builds"]["nvidia"]["units"] == []
    assert cli.main(["project", str(tmp_path / "gone")]) == 2
