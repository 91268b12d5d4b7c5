"""Projects that are written in a language without a reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.api import scan
from rewarp.config import Config
from rewarp.verdict import Conclusion, Verdict

JULIA = {"src/Sum.jl": "using CUDA\nadd(a::CuArray) = sum(a)\n", "src/Other.jl": "f(x) = x\n"}


def _verdict(root: Path, files: dict[str, str], target: str = "rocm") -> Verdict:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return scan(root, config=Config(target=target), jobs=1, use_cache=False).verdict


@pytest.mark.parametrize("target", ["rocm", "gaudi"])
@pytest.mark.parametrize(
    ("files", "told"),
    [
        (JULIA | {"docs/make.py": "print(1)\n"}, "2 files in Julia"),
        ({"main.go": 'import "nvidia.com/nvml"\n', "run.sh": "go run .\n"}, "1 file in Go"),
        ({"solve.f90": "! cuda\n", "main.cuf": "x\n", "all.f90": "y\n", "build.sh": "make\n"}, "2 files in Fortran"),
    ],
)
def test_a_language_that_is_not_read_cannot_be_judged(
    tmp_path: Path, files: dict[str, str], told: str, target: str
) -> None:
    verdict = _verdict(tmp_path, files, target)
    assert verdict.conclusion is Conclusion.UNKNOWN
    assert any(told in reason for reason in verdict.reasons)


@pytest.mark.parametrize(
    "files",
    [
        {"src/Sum.jl": "add(a) = sum(a)\n", "run.sh": "julia src/Sum.jl\n"},  # nothing about GPUs
        JULIA | {f"core/part{at}.py": "import torch\n" for at in range(3)},  # the least of it
        {"examples/Sum.jl": "using CUDA\n", "main.py": "import torch\n"},
    ],
)
def test_what_is_read_decides_otherwise(tmp_path: Path, files: dict[str, str]) -> None:
    assert _verdict(tmp_path, files).conclusion is Conclusion.AS_IS
