"""Compiled files that a project ships without their sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.api import scan
from rewarp.config import Config
from rewarp.verdict import Conclusion, Verdict

ELF = b"\x7fELF\2\1\1" + bytes(64)
FOR_NVIDIA = ELF + b"\0.nv_fatbin\0__cudaRegisterFatBinary\0"
PROGRAM = {"main.py": b"import torch\n\nprint(torch.cuda.is_available())\n"}


def _verdict(root: Path, files: dict[str, bytes], target: str = "rocm") -> Verdict:
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return scan(root, config=Config(target=target), jobs=1, use_cache=False).verdict


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("lib/libmatch.so", FOR_NVIDIA),
        ("lib/libmatch.so.1.2", FOR_NVIDIA),
        ("bin/Match.dll", b"MZ" + FOR_NVIDIA),
        ("lib/match.a", b"!<arch>\n" + FOR_NVIDIA),
        ("match/_C.cpython-311-x86_64-linux-gnu.so", FOR_NVIDIA),
        ("sam/_C.so", FOR_NVIDIA),
    ],
)
def test_device_code_without_sources_cannot_be_judged(tmp_path: Path, path: str, data: bytes) -> None:
    verdict = _verdict(tmp_path, PROGRAM | {path: data})
    assert verdict.conclusion is Conclusion.UNKNOWN
    assert any(path in reason and "NVIDIA's GPUs" in reason and "AMD ROCm" in reason for reason in verdict.reasons)


def test_on_gaudi_too(tmp_path: Path) -> None:
    verdict = _verdict(tmp_path, {"main.py": b"print(1)\n", "lib/libmatch.so": FOR_NVIDIA}, "gaudi")
    assert verdict.conclusion is Conclusion.UNKNOWN


@pytest.mark.parametrize(
    "files",
    [
        {"lib/libmatch.so": ELF},  # for the CPU
        {"lib/libcudart.so.12": FOR_NVIDIA, "bin/cublas64_12.dll": b"MZ" + FOR_NVIDIA},  # NVIDIA's own
        {"lib/libmatch.so": b"version https://git-lfs.github.com/spec/v1\n.nv_fatbin"},  # no library at all
        {
            "lib/libmatch.so": FOR_NVIDIA,
            "src/match.cu": b"__global__ void match(int *p) { *p = 1; }\n",
        },  # compiled from it
        {"tests/data/libmatch.so": FOR_NVIDIA},
        {"notes/match.bin": FOR_NVIDIA},
    ],
)
def test_what_says_nothing_about_the_project(tmp_path: Path, files: dict[str, bytes]) -> None:
    assert _verdict(tmp_path, PROGRAM | files).conclusion is not Conclusion.UNKNOWN


def test_many_python_modules_without_sources(tmp_path: Path) -> None:
    modules = {f"core/part{at}.cpython-38-x86_64-linux-gnu.so": ELF for at in range(4)}
    verdict = _verdict(tmp_path, PROGRAM | modules)
    assert verdict.conclusion is Conclusion.UNKNOWN
    assert any("4 compiled Python modules without sources, not read" in reason for reason in verdict.reasons)


@pytest.mark.parametrize(
    "files",
    [
        {"core/_fast.cpython-38-x86_64-linux-gnu.so": ELF, "core/fast.pyx": b"x = 1\n"},
        {"core/fast.cp310-win_amd64.pyd": ELF, "src/fast.cpp": b"int f() { return 1; }\n"},
        {"build/lib.linux-x86_64-3.8/fast.cpython-38-x86_64-linux-gnu.so": ELF},
    ],
)
def test_python_modules_whose_sources_are_there(tmp_path: Path, files: dict[str, bytes]) -> None:
    verdict = _verdict(tmp_path, PROGRAM | files)
    assert verdict.conclusion is Conclusion.AS_IS
    assert not any("compiled Python module" in reason for reason in verdict.reasons)
