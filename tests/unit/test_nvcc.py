"""NVIDIA's compiler, found and asked; where none is, what to install is said."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rewarp.errors import UsageError
from rewarp.toolchain import nvcc
from rewarp.toolchain.nvcc import Nvcc, find_nvcc


def program(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("#!/bin/sh\n" + text)
    file.chmod(0o755)
    return file


def test_the_chosen_one_goes_before_all_others(tmp_path: Path) -> None:
    chosen = program(tmp_path / "mine", "")
    program(tmp_path / "cuda" / "bin" / "nvcc", "")
    assert find_nvcc({"REWARP_NVCC": str(chosen), "CUDA_HOME": str(tmp_path / "cuda"), "PATH": ""}).command == chosen


def test_a_chosen_one_that_is_no_program_is_not_replaced_by_another(tmp_path: Path) -> None:
    program(tmp_path / "cuda" / "bin" / "nvcc", "")
    with pytest.raises(UsageError, match="REWARP_NVCC"):
        find_nvcc({"REWARP_NVCC": str(tmp_path / "none"), "CUDA_HOME": str(tmp_path / "cuda"), "PATH": ""})


def test_an_installation_is_found(tmp_path: Path) -> None:
    there = program(tmp_path / "cuda" / "bin" / "nvcc", "")
    assert find_nvcc({"CUDA_HOME": str(tmp_path / "cuda"), "PATH": ""}).command == there


def test_wheels_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = program(tmp_path / "nvidia" / "cu13" / "bin" / "nvcc", "")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(nvcc, "INSTALLATION", tmp_path / "nowhere")
    for name in [name for name in sys.modules if name.partition(".")[0] == "nvidia"]:
        monkeypatch.delitem(sys.modules, name)
    assert find_nvcc({"PATH": ""}).command == there


def test_without_one_what_to_install_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(nvcc, "_search_paths", lambda variables: iter(()))
    with pytest.raises(UsageError, match=r"rewarp\[nvidia\]"):
        find_nvcc({})


def test_what_it_makes_and_what_it_says(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text("")
    makes = Nvcc(program(tmp_path / "makes", 'while [ "$1" != -o ]; do shift; done; echo .entry k > "$2"'))
    assert makes.ptx(source, "sm_80").text == ".entry k\n"
    refuses = Nvcc(program(tmp_path / "refuses", "echo warning; echo k.cu: error: no; exit 1"))
    done = refuses.ptx(source, "sm_80")
    assert not done.ok
    assert done.errors[0] == "k.cu: error: no"


def test_success_without_a_result_is_no_success(tmp_path: Path) -> None:
    silent = Nvcc(program(tmp_path / "silent", "exit 0"))
    assert not silent.ptx(tmp_path / "k.cu", "sm_80").ok


def test_what_never_ends_is_ended(tmp_path: Path) -> None:
    assert not Nvcc(program(tmp_path / "slow", "exec sleep 60")).ptx(tmp_path / "k.cu", "sm_80", timeout=0.2).ok


def test_its_version(tmp_path: Path) -> None:
    said = "echo 'Cuda compilation tools, release 13.4, V13.4.92'"
    assert Nvcc(program(tmp_path / "nvcc", said)).version == (13, 4)
    with pytest.raises(UsageError, match="version"):
        _ = Nvcc(program(tmp_path / "other", "echo hello")).version
