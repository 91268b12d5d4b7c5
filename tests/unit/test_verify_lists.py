"""What AMD's files install and build for, and FP8 types by one name."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile
from rewarp.verify.architectures import left_out
from rewarp.verify.checks import Outcome
from rewarp.verify.conditions import aliases
from rewarp.verify.lists_for_amd import lists_of_nvidias
from rewarp.verify.set_aside import is_for_another_gpu
from rewarp.verify.static import verify_static
from rewarp.workspace import Folder

INDEX = "--extra-index-url https://download.pytorch.org/whl/rocm6.2.4\n"
LISTS = {
    "NVIDIA's list in AMD's": ("requirements/rocm.txt", "-r cuda.txt\n", "AMD's is rocm.txt"),
    "NVIDIA's list in AMD's image": ("Dockerfile.rocm", "FROM x\nRUN pip install -U -r requirements/cuda.txt\n", "AMD's is rocm.txt"),
    "NVIDIA's Triton": ("requirements/rocm.txt", "pytorch-triton==3.2.0\n", "AMD's is pytorch-triton-rocm"),
    "another ROCm": ("requirements/rocm.txt", INDEX + "torch==2.7.0+rocm6.3\n", "the index is for ROCm 6.2.4, and has no build for 6.3"),
    "another ROCm in a command": ("Dockerfile.rocm", "FROM x\nRUN pip install torch==1.12.0+rocm5.2 --extra-index-url https://x/whl/rocm5.1.1\n", "the index is for ROCm 5.1.1, and has no build for 5.2"),
    "a bitsandbytes for CUDA alone": ("requirements/rocm.txt", "bitsandbytes==0.44.1\n", "before 0.45 is for CUDA alone"),
    "an older one of it": ("requirements/rocm.txt", "accelerate\nbitsandbytes <= 0.43.0 ; python_version > '3.8'\n", "is for CUDA alone"),
}  # fmt: skip
NOT_LISTS = {
    "newer bitsandbytes": (
        "requirements/rocm.txt",
        "bitsandbytes==0.45.0\nbitsandbytes>=0.43\nbitsandbytes-rocm==0.41\n",
    ),
    "bitsandbytes of an index": ("requirements/rocm.txt", "--find-links https://x/amd\nbitsandbytes==0.43.0\n"),
    "everybody's bitsandbytes": ("requirements.txt", "bitsandbytes==0.43.0\n"),
    "AMD's own": ("requirements/rocm.txt", "# not -r cuda.txt\n-r common.txt\npytorch-triton-rocm==3.2.0\n"),
    "NVIDIA's own": ("requirements/cuda.txt", "-r cuda-extra.txt\npytorch-triton==3.2.0\n"),
    "everybody's": ("Dockerfile", "FROM x\nRUN pip install -r requirements/cuda.txt\n"),
    "the same ROCm": ("requirements/rocm.txt", INDEX + "torch==2.7.0+rocm6.2.4\n"),
    "another index beside it": ("requirements/rocm.txt", INDEX + "--find-links https://x/y\ntorch==2.7.0+rocm6.3\n"),
    "the same ROCm in a command": (
        "Dockerfile.rocm",
        "FROM x\nRUN pip install a==1+rocm5.2 --index-url https://x/whl/rocm5.2\n",
    ),
    "no twin": ("Dockerfile.rocm", "FROM x\nRUN pip install -r cuda-special.txt\n"),
}


def lists(root: Path, path: str, text: str) -> list[str]:
    for name in ("requirements/rocm.txt", "requirements/cuda.txt", path):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("" if name != path else text)
    return [why for _, _, why in lists_of_nvidias(Folder(root), [path])]


@pytest.mark.parametrize(("path", "text", "why"), LISTS.values(), ids=LISTS)
def test_what_is_nvidias(tmp_path: Path, path: str, text: str, why: str) -> None:
    assert [why in said for said in lists(tmp_path, path, text)] == [True]


@pytest.mark.parametrize(("path", "text"), NOT_LISTS.values(), ids=NOT_LISTS)
def test_what_is_amds(tmp_path: Path, path: str, text: str) -> None:
    assert lists(tmp_path, path, text) == []


BUILT = [
    ("Dockerfile.rocm", "FROM x\nRUN a \\\n  && ./install.sh --amdgpu_targets gfx90a\n", [3]),
    ("Dockerfile.rocm", "FROM x\nRUN hipcc --offload-arch=gfx90a --offload-arch=gfx942 a.hip\n", []),
    ("Dockerfile.rocm", "FROM x\nRUN ./install.sh --amdgpu_targets ${ARCH}\n# --amdgpu_targets gfx90a\n", []),
    ("Dockerfile", "FROM x\nRUN ./install.sh --amdgpu_targets gfx90a\n", []),
    ("setup.py", 'import os\narch = os.getenv("PYTORCH_ROCM_ARCH", "gfx90a;gfx1100")\n', [2]),
    ("setup.py", 'import os\narch = os.getenv("PYTORCH_ROCM_ARCH", "gfx90a;gfx942")\n', []),
    ("setup.py", 'import os\narch = os.getenv("PYTORCH_ROCM_ARCH", "native")\n', []),
    ("setup.py", 'import os\narch = os.getenv("NAME_OF_TEST", "gfx90a")  # PYTORCH_ROCM_ARCH\n', []),
]


@pytest.mark.parametrize(("path", "text", "lines"), BUILT)
def test_what_is_built_for(tmp_path: Path, path: str, text: str, lines: list[int]) -> None:
    (tmp_path / path).write_text(text)
    assert [line for _, line, _ in left_out(Folder(tmp_path), [path], "gfx942")] == lines


TYPES = b"""
#if HIP_FP8_TYPE_OCP
using fp8_type = __hip_fp8_e4m3;
using fp8x2_type = __hip_fp8x2_e4m3;
#else
using fp8_type = __hip_fp8_e4m3_fnuz;
using fp8x2_type = __hip_fp8x2_e4m3_fnuz;
using gradient_type = __hip_fp8_e5m2_fnuz;
#endif
"""


def test_types_of_one_name_are_one_format() -> None:
    def found(text: bytes) -> int:
        return len(list(aliases(CodeFile(SourceFile("fp8.hip", text), Kind.CUDA))))

    assert found(TYPES) == 0
    assert found(TYPES.replace(b"fp8_type = __hip_fp8_e4m3_fnuz", b"fp8_type = __hip_fp8_e5m2_fnuz")) == 1
    assert found(TYPES.replace(b"= __hip_fp8x2_e4m3_fnuz", b"= __hip_fp8x2_e4m3")) == 1


def test_static_asks_all_of_it(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "rocm.txt").write_text("-r cuda.txt\n")
    (tmp_path / "Dockerfile.rocm").write_text(
        "FROM rocm/pytorch\nENV ROCM_PATH=/usr/local/cuda\nRUN x --offload-arch=gfx90a\n"
    )
    (tmp_path / "rocm.py").write_text(
        'import torch\nclass A:\n    def set(self):\n        torch.cuda.set_device("rocm:0")\n'
    )
    checks = verify_static(tmp_path, arches=["gfx942"], jobs=1, use_cache=False).checks
    failed = {(check.path, check.line) for check in checks if check.outcome is Outcome.FAILED}
    assert failed == {("requirements/rocm.txt", 1), ("Dockerfile.rocm", 2), ("Dockerfile.rocm", 3), ("rocm.py", 4)}


@pytest.mark.parametrize(
    ("path", "arches", "aside"),
    [
        ("test_gluon_gfx1250.py", ["gfx942"], True),
        ("test_gluon_gfx1250.py", ["gfx942", "gfx1201"], False),
        ("gfx1250/kernel_gfx90a.py", ["gfx942"], False),
        ("kernel.py", ["gfx942"], False),
        ("kernel_gfx1100.py", [], False),
    ],
)
def test_files_for_another_generation(path: str, arches: list[str], aside: bool) -> None:
    assert is_for_another_gpu(path, arches) is aside
