"""What decides the verdict for Gaudi: no compiler takes device code there."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp import api
from rewarp.config import Config
from rewarp.findings import Severity
from rewarp.verdict import Conclusion, Standing, standing

_KERNEL = "__global__ void k{n}(float *x) {{ x[threadIdx.x] += {n}; }}\n"
_TRITON = "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef kernel(x):\n    tl.store(x, 1.0)\n"
_CHOSEN = 'import torch\n\nDEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
_PLAIN = """from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(name="mine", ext_modules=[CUDAExtension("mine_cuda", ["ops.cpp", "ops.cu"])], cmdclass={"build_ext": BuildExtension})
"""
_SWITCHED = """from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension

modules = []
if CUDA_HOME is not None:
    modules.append(CUDAExtension("mine_cuda", ["ops.cpp", "ops.cu"]))
setup(name="mine", ext_modules=modules, cmdclass={"build_ext": BuildExtension})
"""
_CMAKE = """project(p LANGUAGES CXX)
option(USE_CUDA "for NVIDIA" OFF)
add_library(p a.cpp)
if(USE_CUDA)
  enable_language(CUDA)
  target_sources(p PRIVATE ops.cu)
endif()
"""
_IN_CPP = {
    "CMakeLists.txt": _CMAKE,
    "a.cpp": "int f(int x) { return x; }\n" * 2000,
    "ops.cu": _KERNEL.format(n=1) * 150,
}


def scan(folder: Path, files: dict[str, str]) -> api.ScanReport:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return api.scan(folder, config=Config(target="gaudi"), jobs=1, use_cache=False)


def kernels(lines: int) -> str:
    return "".join(_KERNEL.format(n=n) for n in range(lines))


@pytest.mark.parametrize(
    ("files", "conclusion"),
    [
        ({"train.py": "import torch\n\nx = torch.zeros(8)\n"}, Conclusion.AS_IS),
        ({"train.py": _CHOSEN}, Conclusion.AUTOMATIC),
        ({"setup.py": _PLAIN, "ops.cpp": "", "ops.cu": kernels(50)}, Conclusion.MANUAL),
        ({"setup.py": _PLAIN, "ops.cpp": "", "ops.cu": kernels(150)}, Conclusion.REWRITE),
        ({"setup.py": _SWITCHED, "ops.cpp": "", "ops.cu": kernels(150)}, Conclusion.REWRITE),
        (
            {"setup.py": _SWITCHED, "ops.cpp": "", "ops.cu": kernels(150), "mine/model.py": "x = 1\n" * 2000},
            Conclusion.MANUAL,
        ),
        ({"mine/ops.py": _TRITON, "mine/__init__.py": ""}, Conclusion.REWRITE),
        ({"mine/ops.py": _TRITON, "mine/__init__.py": "", "mine/model.py": "x = 1\n" * 100}, Conclusion.MANUAL),
        (_IN_CPP, Conclusion.REWRITE),
        ({**_IN_CPP, "embed.py": "print(1)\n" * 20}, Conclusion.REWRITE),
        ({**_IN_CPP, "mine/__init__.py": "import torch\n" + "x = 1\n" * 100}, Conclusion.AS_IS),
        ({**_IN_CPP, "ops.cu": kernels(50)}, Conclusion.AS_IS),
    ],
    ids=[
        "plain",
        "chosen",
        "few lines",
        "many lines",
        "all left out",
        "little left out",
        "triton",
        "little triton",
        "in C++ alone",
        "a script",
        "beside Python",
        "few lines in C++",
    ],
)
def test_conclusion(tmp_path: Path, files: dict[str, str], conclusion: Conclusion) -> None:
    assert scan(tmp_path, files).verdict.conclusion is conclusion


def test_what_the_build_leaves_out_is_told_where_it_is_decided(tmp_path: Path) -> None:
    report = scan(tmp_path, {"setup.py": _SWITCHED, "ops.cpp": "", "ops.cu": kernels(150)})
    stands = {(f.rule, f.path): standing(f, report.project) for f in report.findings}
    assert stands["CU-100", "ops.cu"] is Standing.NOT_BUILT
    assert stands["BLD-024", "setup.py"] is Standing.COUNTS


def test_a_program_on_the_cpu_stands_in_the_way(tmp_path: Path) -> None:
    report = scan(tmp_path, {"train.py": _CHOSEN})
    assert [f.severity for f in report.at_least(Severity.ON_CPU)] == [Severity.ON_CPU]
    assert report.at_least(Severity.WRONG) == []
