"""Python modules that stand for each other, and registrations whose name says whose they are."""

from __future__ import annotations

import pytest

from rewarp.parity.python import analyse
from rewarp.parity.units import Analysis, Status, Unit

GPU = "import cupy as cp\n@cp.fuse()\ndef add(x):\n    return cp.add(x, x)\ndef mul(x):\n    return cp.mul(x, x)\ndef own(x):\n    return cp.own(x)\n"
CL = "from pyopencl import clmath\ndef add(x):\n    return clmath.add(x)\ndef mul(x):\n    raise NotImplementedError\n"
SOLVER = """
from . import kernels_gpu, kernels_cl, kernels_cpu
class Solver:
    def __init__(self, kind):
        if kind == "GPU":
            self._kernels = kernels_gpu
        elif kind == "CL":
            self._kernels = kernels_cl
        else:
            self._kernels = kernels_cpu
    def step(self, x):
        return self._kernels.add(self._kernels.mul(x))
"""


def _analysed(files: dict[str, str], b: str = "rocm") -> Analysis:
    return analyse({path: text.encode() for path, text in files.items()}, "cuda", b)


def _units(files: dict[str, str], b: str = "rocm") -> dict[str, Unit]:
    return {unit.name: unit for unit in _analysed(files, b).units}


def test_modules_that_one_attribute_is_bound_to() -> None:
    files = {
        "pkg/kernels_gpu.py": GPU,
        "pkg/kernels_cl.py": CL,
        "pkg/kernels_cpu.py": "def add(x): pass\n",
        "pkg/solver.py": SOLVER,
    }
    more = (
        "from .solver import Solver\nclass Other(Solver):\n    def go(self, x):\n        return self._kernels.own(x)\n"
    )
    units = _units({**files, "pkg/other.py": more}, "opencl")
    assert {name: (unit.kind, unit.a.status, unit.b.status) for name, unit in units.items()} == {
        "add": ("bound function", Status.IMPLEMENTED, Status.IMPLEMENTED),
        "mul": ("bound function", Status.IMPLEMENTED, Status.STUB),
        "own": ("bound function", Status.IMPLEMENTED, Status.UNKNOWN),
    }
    assert all(unit.scored for unit in units.values())
    # Only what is taken from the name is asked of both.
    assert set(_units(files, "opencl")) == {"add", "mul"}


@pytest.mark.parametrize(
    "without",
    [
        "if kind == 'CL':\n            pass",  # one back end alone
        "self.other = kernels_cl",  # another name
    ],
)
def test_modules_that_no_name_joins_are_no_pair(without: str) -> None:
    solver = SOLVER.replace("self._kernels = kernels_cl", without)
    assert not _units({"pkg/kernels_gpu.py": GPU, "pkg/kernels_cl.py": CL, "pkg/solver.py": solver}, "opencl")


def test_a_module_with_the_libraries_of_two_back_ends_is_of_neither() -> None:
    files = {"pkg/kernels_gpu.py": "import pyopencl\n" + GPU, "pkg/kernels_cl.py": CL, "pkg/solver.py": SOLVER}
    assert not _units(files, "opencl")


def test_functions_imported_under_one_name() -> None:
    chosen = """
if is_cuda():
    from .nvidia.ops import wait_cuda as wait, matmul
else:
    from .amd.ops import wait_hip as wait, fast_matmul as matmul
def run(x):
    return wait(matmul(x))
"""
    ours = "def wait_cuda(x):\n    return ptx(x)\ndef matmul(x):\n    return dot(x)\n"
    theirs = "def wait_hip(x):\n    return asm(x)\ndef fast_matmul(x):\n    raise NotImplementedError\n"
    units = _units({"pkg/ops.py": chosen, "pkg/nvidia/ops.py": ours, "pkg/amd/ops.py": theirs})
    found = {name: unit.b.status for name, unit in units.items() if unit.kind == "bound function"}
    assert found == {"wait_cuda": Status.IMPLEMENTED, "matmul": Status.STUB}


def test_files_of_one_name_are_scored_where_shared_code_calls_their_functions() -> None:
    files = {
        "pkg/nvidia/gemm.py": "def gemm(x):\n    return ptx(x)\ndef helper(x):\n    return 2 * go(x)\ndef alone(x):\n    return go(x)\n",
        "pkg/amd/gemm.py": "def gemm(x):\n    return asm(x)\ndef helper(x):\n    return 2 * go(x)\n",
        "pkg/run.py": "def run(x):\n    return gemm(x), alone(x)\n",
    }
    units = _units(files)
    # What only its name asks of the other is no unit.
    assert {name: unit.scored for name, unit in units.items()} == {"gemm": True, "helper": False}
    (classes, functions) = _analysed(files).coverage
    assert (classes.total, functions.what, functions.total, functions.seen) == (0, "functions", 3, 2)
    assert functions.unseen == ("alone (pkg/nvidia/gemm.py)",)


REGISTERED = """
@registry.reg("{}.add.{}")
def f(x): return go(x)
"""


def test_registrations_whose_name_says_whose_they_are() -> None:
    ours = "".join(REGISTERED.format("cuda", name) for name in ("gen", "decl", "call"))
    theirs = REGISTERED.format("rocm", "gen") + '@registry.reg("rocm.add.decl")\ndef g(x): raise NotImplementedError\n'
    units = _units({"pkg/a.py": ours, "pkg/b.py": theirs})
    assert {name: unit.b.status for name, unit in units.items()} == {
        "add_gen": Status.IMPLEMENTED,
        "add_decl": Status.STUB,
        "add_call": Status.MISSING,
    }


@pytest.mark.parametrize("decorator", ["route", "app.get", "parametrize"])
def test_other_decorators_with_such_texts_register_nothing(decorator: str) -> None:
    text = REGISTERED.replace("registry.reg", decorator)
    assert not _units({"pkg/a.py": text.format("cuda", "x") + text.format("rocm", "y")})
