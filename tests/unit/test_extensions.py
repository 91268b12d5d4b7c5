"""Extensions with a build script of their own, and what a verdict makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.api import scan
from rewarp.findings import Severity
from rewarp.project.extensions import Need
from rewarp.project.overview import look
from rewarp.project.role_names import Role
from rewarp.verdict import Conclusion
from rewarp.workspace import Folder

SETUP = """\
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension
setup(name="ops", ext_modules=[CUDAExtension("fast_ops", ["ops.cu"])])
"""
KERNEL = "__global__ void k(float *x) { x[0] = 1; }\n"
WRAPPER = "import fast_ops\ndef run(x): return fast_ops.run(x)\n"
SOFT = "try:\n    from kernels.fused.wrapper import run\nexcept ImportError:\n    run = None\n"
RAISED = SOFT.replace("run = None", "raise")
HARD = "from kernels.fused.wrapper import run\n"


def project(folder: Path, model: str, place: str = "kernels/fused", **more: str) -> Path:
    files = {
        f"{place}/setup.py": SETUP,
        f"{place}/ops.cu": KERNEL,
        f"{place}/wrapper.py": WRAPPER,
        "model.py": model,
        **more,
    }
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


@pytest.mark.parametrize(
    ("model", "need", "conclusion"),
    [
        (HARD, Need.NEEDED, Conclusion.AUTOMATIC),
        (SOFT, Need.OPTIONAL, Conclusion.AS_IS),
        (RAISED, Need.NEEDED, Conclusion.AUTOMATIC),
        (SOFT + HARD, Need.NEEDED, Conclusion.AUTOMATIC),
        ("import fast_ops\n", Need.NEEDED, Conclusion.AUTOMATIC),
        ("import torch\nfused = 1\n", Need.UNKNOWN, Conclusion.AUTOMATIC),
    ],
)
def test_does_the_package_need_it(tmp_path: Path, model: str, need: Need, conclusion: Conclusion) -> None:
    root = project(tmp_path, model)
    assert look(Folder(root)).needs == {"kernels/fused": need}
    assert scan(root, use_cache=False).verdict.conclusion is conclusion


def test_a_copy_that_is_imported_and_built_here_is_a_part_of_the_project(tmp_path: Path) -> None:
    def role(folder: Path, model: str) -> Role:
        return look(Folder(project(folder, model, "submodules/ops"))).roles["submodules/ops/ops.cu"].role

    assert role(tmp_path / "used", "import fast_ops\n") is Role.PACKAGE
    assert role(tmp_path / "unused", "import torch\n") is Role.VENDORED


def test_a_cmake_file_beside_the_script_that_builds_is_a_second_build(tmp_path: Path) -> None:
    # find_library() is left to a person: by itself this build takes manual work.
    cmake = "project(ops LANGUAGES CXX CUDA)\nfind_library(BLAS cublas)\nadd_library(ops STATIC ops.cu)\n"
    root = project(tmp_path / "both", "import fast_ops\n", **{"kernels/fused/CMakeLists.txt": cmake})
    report = scan(root, use_cache=False)
    assert report.verdict.conclusion is Conclusion.AUTOMATIC
    assert {f.severity for f in report.findings if f.path.endswith("CMakeLists.txt")} == {Severity.INFO}
    (root / "kernels/fused/setup.py").unlink()
    assert scan(root, use_cache=False).verdict.conclusion is Conclusion.MANUAL
