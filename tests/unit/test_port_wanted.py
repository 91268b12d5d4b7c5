"""What a port writes by itself, and what it writes where it is asked for alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from port_trees import UNPROVED, plain

from rewarp.port import engine
from rewarp.port.changes import OPTIONAL, PortOptions
from rewarp.port.result import Port
from rewarp.port.tree import Tree
from rewarp.report import pull_request
from rewarp.targets import TARGETS

TRAIN = b"""import torch
import triton

CONFIGS = [triton.Config({"BLOCK": 64}, num_stages=stages) for stages in [3, 4, 5]]
"""
LIST = b"--extra-index-url https://download.pytorch.org/whl/cu121\ntorch==2.4.0\nonnxruntime-gpu\nnvidia-ml-py\nnumpy\n"
FILES = {
    "tune.py": TRAIN,
    "requirements.txt": LIST,
    "Dockerfile": b"FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nRUN pip install -r requirements.txt\nCOPY . /work\n",
}
OLD = b"""from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension

modules = []
if CUDA_HOME is not None:
    modules.append(CUDAExtension("ops", ["ops.cu"]))
setup(name="ops", ext_modules=modules, cmdclass={"build_ext": BuildExtension})
"""
DISPATCH = b"""#include <torch/extension.h>
__global__ void k(float *x) { x[0] = 1; }
void run(at::Tensor input) {
  AT_DISPATCH_FLOATING_TYPES(input.type(), "run", [&] { cudaStream_t stream = at::cuda::getCurrentCUDAStream(); });
}
"""


def ported(folder: Path, files: dict[str, bytes], *wanted: str) -> Port:
    options = PortOptions(wanted=frozenset(wanted))
    return engine.port(Tree(plain(folder, files)), TARGETS["rocm"], phases=UNPROVED, options=options)


@pytest.mark.parametrize(
    ("wanted", "changed"),
    [
        ((), set()),
        (("lists",), {"requirements-rocm.txt"}),
        (("images",), {"Dockerfile.rocm"}),
        (("tuning",), {"tune.py"}),
        (tuple(OPTIONAL), {"requirements-rocm.txt", "Dockerfile.rocm", "tune.py"}),
    ],
)
def test_what_is_written(wanted: tuple[str, ...], changed: set[str], tmp_path: Path) -> None:
    port = ported(tmp_path, FILES, *wanted)
    assert {change.path for change in port.changes} == changed


def test_what_is_about_speed_is_told(tmp_path: Path) -> None:
    text = pull_request.body(ported(tmp_path, FILES))
    assert "`tune.py:4`" in text
    assert "--with tuning" in text


@pytest.mark.parametrize("older", [False, True])
def test_an_extension_keeps_its_sources_whatever_torch_it_is_for(older: bool, tmp_path: Path) -> None:
    readme = b"PyTorch 1.2 or newer\n" if older else b"PyTorch\n"
    port = ported(tmp_path, {"setup.py": OLD, "ops.cu": DISPATCH, "README.md": readme})
    assert {change.path for change in port.changes} == {"setup.py", "ops.cu"}
    assert not port.left
    script = port.after.read("setup.py") or b""
    assert (b'getattr(torch_version, "hip", None)' in script) is older
    assert b"scalar_type()" in (port.after.read("ops.cu") or b"")


def test_what_is_installed_is_told_and_counted_nowhere(tmp_path: Path) -> None:
    text = pull_request.body(ported(tmp_path, {"requirements.txt": LIST}))
    assert text.startswith("# AMD ROCm: what stands in the way\n")
    installing = text.partition("## Installing\n")[2]
    assert "pip install --index-url https://download.pytorch.org/whl/rocm" in installing
    assert "onnxruntime-gpu becomes onnxruntime-migraphx" in installing
    assert " place" not in text


def test_what_the_tool_does_not_do_is_no_place_of_the_projects(tmp_path: Path) -> None:
    kernel = (
        b"#include <cuda_runtime.h>\n__global__ void k(float *x) { x[0] = 1; }\nint main() { cudaFree(0); return 0; }\n"
    )
    text = pull_request.body(ported(tmp_path, {"build.sh": b"nvcc -o k k.cu\n", "k.cu": kernel}))
    assert "a HIP version was not added" in text.partition("## Not done, and why")[2]
    before, left = (text.partition(title)[2].partition(" place")[0].strip() for title in ("## Why", "## What is left"))
    assert before == left, "nothing was changed"


def test_where_no_cuda_source_is_there_that_is_said(tmp_path: Path) -> None:
    files = {"CMakeLists.txt": b"project(p)\n# with CUDA by a plugin\n", "README.md": b"p\n"}
    assert "rewarp saw no CUDA source here" in pull_request.body(ported(tmp_path / "a", files))
    assert "saw no CUDA" not in pull_request.body(ported(tmp_path / "b", {"README.md": b"p\n", "a.py": b"x = 1\n"}))
