"""What a report shows above info: what the project's own build and package come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.api import scan
from rewarp.config import Config
from rewarp.findings import Severity
from rewarp.project.overview import look
from rewarp.workspace import Folder

SPLIT = "import torch\nx = torch.version.cuda.split('.')\n"
PACKAGE = {"pyproject.toml": "[project]\nname = 'pkg'\nversion = '1'\n", "pkg/__init__.py": "import pkg.a\n"}
RETRY = """\
def fit(run):
    try:
        run()
    except RuntimeError as error:
        if "CUDA out of memory" in str(error):
            return fit(run)
        raise
"""
AUTOCAST = 'import torch\ndef run(model, x):\n    with torch.autocast("cuda"):\n        return model(x)\n'
IMAGE = "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\n"
WORKFLOW = "on: push\njobs:\n  t:\n    runs-on: ubuntu-latest\n    container: nvidia/cuda:12.4.1-devel-ubuntu22.04\n"
DEFERRED = "def export(model):\n    import torch_tensorrt\n    return torch_tensorrt.compile(model)\n"


def _worst(root: Path, files: dict[str, str], rule: str, target: str = "rocm") -> Severity:
    for path, text in (PACKAGE | files).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    report = scan(root, config=Config(target=target), jobs=1, use_cache=False)
    return max((f.severity for f in report.findings if f.rule == rule), key=lambda severity: severity.rank)


@pytest.mark.parametrize(
    ("path", "text", "rule", "severity"),
    [
        ("pkg/a.py", SPLIT, "PY-VER-001", Severity.CRASH),
        ("tests/test_a.py", SPLIT, "PY-VER-001", Severity.INFO),
        ("examples/a.py", SPLIT, "PY-VER-001", Severity.INFO),
        ("pkg/a.py", RETRY, "PY-RT-001", Severity.INFO),
        ("pkg/a.py", DEFERRED + "export(1)\n", "LIB-011", Severity.INFO),
        ("pkg/a.py", "import torch_tensorrt\n", "LIB-011", Severity.CRASH),
        ("Dockerfile", IMAGE, "DOC-001", Severity.ON_CPU),
        ("tests/Dockerfile", IMAGE, "DOC-001", Severity.INFO),
        (".github/workflows/ci.yml", WORKFLOW, "DOC-001", Severity.INFO),
    ],
)
def test_above_info_stands_what_the_project_comes_to(
    tmp_path: Path, path: str, text: str, rule: str, severity: Severity
) -> None:
    assert _worst(tmp_path, {path: text}, rule) is severity


NVCC = "nvcc -o main main.cu\n"
ONE_DEVICE = 'import torch\nnet = torch.nn.Linear(1, 1).to("cuda:0")\n'


@pytest.mark.parametrize(
    ("path", "text", "rule", "severity"),
    [
        ("tools/train.py", ONE_DEVICE, "HPU-003", Severity.CRASH),
        ("pkg/scripts/run.py", ONE_DEVICE, "HPU-003", Severity.CRASH),
        # What a service runs, and a test's own script, nobody starts who uses the project.
        (".github/scripts/check.py", ONE_DEVICE, "HPU-003", Severity.INFO),
        ("ci/tools/check.py", ONE_DEVICE, "HPU-003", Severity.INFO),
        ("tests/tools/check.py", ONE_DEVICE, "HPU-003", Severity.INFO),
        ("compile.sh", NVCC, "BLD-020", Severity.BUILD),
        ("examples/compile.sh", NVCC, "BLD-020", Severity.INFO),
        ("docker/compile.sh", NVCC, "BLD-020", Severity.INFO),
    ],
)
def test_programs_that_people_start(tmp_path: Path, path: str, text: str, rule: str, severity: Severity) -> None:
    assert _worst(tmp_path, {path: text}, rule, "gaudi") is severity


def test_how_much_slower_only_a_measurement_tells(tmp_path: Path) -> None:
    assert _worst(tmp_path, {"pkg/a.py": AUTOCAST + "run(1, 2)\n"}, "HPU-008", "gaudi") is Severity.INFO


CMAKE = """\
cmake_minimum_required(VERSION 3.21)
project(p LANGUAGES CXX)
option(USE_HIP "for AMD" OFF)
if(USE_HIP)
  enable_language(HIP)
  set_source_files_properties(k.cu PROPERTIES LANGUAGE HIP)
else()
  enable_language(CUDA)
endif()
add_library(k k.cu)
"""
KERNEL = '#ifdef USE_HIP\n#include "names.h"\n#endif\ncudaGraphExecUpdateResultInfo info;\n__global__ void k() {}\n'
SUMS = """\
__device__ float total(float v) {
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down(v, offset);
  return __shfl(v, 0);
}
__global__ void all(float *v) { v[threadIdx.x] = total(v[threadIdx.x]); }
"""
HIP = "#include <hip/hip_runtime.h>\n"
TWINS = {
    "CMakeLists.txt": CMAKE.replace("k.cu", "main_hip.cpp"),
    "main_hip.cpp": '#include "hip.hpp"\n__global__ void k() {}\n',
    "a.cu": "",
    "hip.hpp": HIP + "inline void f() { hipDeviceSynchronize(); }\n",
    "cuda.hpp": "#include <cuda_runtime.h>\ninline void f() { cudaDeviceSynchronize(); }\n",
}


def test_what_the_projects_own_build_for_the_target_compiles_does_not_stop_it(tmp_path: Path) -> None:
    files = {"names.h": HIP, "k.cu": KERNEL}
    assert _worst(tmp_path / "both", files | {"CMakeLists.txt": CMAKE}, "CU-004") is Severity.INFO
    sums = KERNEL.replace("cudaGraphExecUpdateResultInfo info;", SUMS)
    met = {"names.h": HIP, "k.cu": sums, "CMakeLists.txt": CMAKE}
    assert _worst(tmp_path / "sums", met, "WAV-005") is Severity.INFO
    for_nvidia = "project(p LANGUAGES CUDA)\nadd_library(k k.cu)\n"
    assert _worst(tmp_path / "more", met | {"CMakeLists.txt": for_nvidia}, "WAV-005") is Severity.WRONG
    assert _worst(tmp_path / "one", files | {"CMakeLists.txt": for_nvidia}, "CU-004") is Severity.BUILD


def test_a_header_with_a_twin_for_the_target(tmp_path: Path) -> None:
    assert _worst(tmp_path, TWINS, "CU-001") is Severity.INFO
    assert "cuda.hpp" in look(Folder(tmp_path)).not_built


def test_a_header_that_its_twin_includes_is_built(tmp_path: Path) -> None:
    _worst(tmp_path, TWINS | {"hip.hpp": '#include "cuda.hpp"\n' + TWINS["hip.hpp"]}, "CU-001")
    assert "cuda.hpp" not in look(Folder(tmp_path)).not_built


STREAM = """\
import cuda.bindings.driver as cuda
import torch
def run():
    return cuda.CUstream(torch.cuda.current_stream().cuda_stream)
"""


def test_a_stream_for_a_library_that_is_asked_for(tmp_path: Path) -> None:
    importing = "def go(fast):\n    if fast:\n        from pkg.fast import run\n        run()\n"
    assert _worst(tmp_path, {"pkg/fast.py": STREAM, "pkg/a.py": importing}, "PY-RT-016") is Severity.INFO
