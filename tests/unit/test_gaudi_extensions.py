"""What a project builds from CUDA sources is not there on Gaudi: who imports it is told."""

from __future__ import annotations

from pathlib import Path

from rewarp.api import scan
from rewarp.config import Config

SETUP = """\
from setuptools import setup
from torch.utils.cpp_extension import CppExtension, CUDAExtension
setup(ext_modules=[
    CUDAExtension("points", ["points.cu"]),
    CUDAExtension("net.ops._C", ["ops.cu"]),
    CppExtension("hosted", ["hosted.cpp"]),
])
"""
FILES = {
    "setup.py": SETUP,
    "points.cu": "__global__ void k() {}\n",
    "ops.cu": "__global__ void k() {}\n",
    "hosted.cpp": "int twice(int x) { return 2 * x; }\n",
    "model.py": "import hosted\nimport points\nimport points_reference\n",
    "net/__init__.py": "",
    "net/ops/__init__.py": "from . import _C\n",
    "net/run.py": "from net.ops import _C\nfrom net.other import _C as other\n",
    "net/way_out.py": "try:\n    import points\nexcept ImportError:\n    points = None\n",
}


def _told(root: Path, target: str) -> set[tuple[str, int]]:
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    report = scan(root, config=Config(target=target), jobs=1, use_cache=False)
    return {(found.path, found.line) for found in report.findings if found.rule == "HPU-010"}


def test_imports_of_what_is_built_from_cuda_sources(tmp_path: Path) -> None:
    assert _told(tmp_path, "gaudi") == {("model.py", 2), ("net/ops/__init__.py", 1), ("net/run.py", 1)}


def test_on_rocm_torch_builds_them(tmp_path: Path) -> None:
    assert _told(tmp_path, "rocm") == set()
