"""Methods that choose by operation: each branch of A's is a unit, and what the class above brings is looked at."""

from __future__ import annotations

import textwrap

import pytest

from rewarp.parity.python import analyse
from rewarp.parity.units import Status, Unit

_BASE = """
from .ops import TorchGelu

class OpsBackend:
    def builder(self, op):
        if op == OpType.Gelu:
            return TorchGelu
        else:
            raise RuntimeError(f"{op} not supported")
"""
_GELU = """
class TorchGelu:
    def run(self, x):
        return x * x
"""
_KERNELS = """
class {0}Linear:
    def run(self, x):
        return launch_linear(x)

class {0}Norm:
    def run(self, x):
        return launch_norm(x)

class {0}Todo:
    def run(self, x):
        raise NotImplementedError
"""
_CUDA = """
from ..base import OpsBackend

class CudaOpsBackend(OpsBackend):
    def builder(self, op):
        if op == OpType.Linear:
            from .kernels import CudaLinear
            return CudaLinear
        elif op is OpType.Norm:
            from .kernels import CudaNorm
            return CudaNorm()
        elif op == OpType.Gelu:
            from .kernels import CudaNorm
            return CudaNorm
        else:
            return super().builder(op)
"""


def _units(rocm: str) -> dict[str, Unit]:
    files = {
        "core/base.py": _BASE,
        "core/ops.py": _GELU,
        "core/cuda/backend.py": _CUDA,
        "core/cuda/kernels.py": _KERNELS.format("Cuda"),
        "core/rocm/kernels.py": _KERNELS.format("Rocm"),
        "core/rocm/backend.py": f"from ..base import OpsBackend\n\nclass RocmOpsBackend(OpsBackend):\n"
        f"    def builder(self, op):\n{textwrap.indent(textwrap.dedent(rocm), ' ' * 8)}",
    }
    found = analyse({path: text.encode() for path, text in files.items()}, "cuda", "rocm").units
    return {unit.name: unit for unit in found if unit.kind == "chosen operation"}


_LEVEL = """
if op in (OpType.Linear,):
    from .kernels import RocmLinear
    return RocmLinear
elif op == OpType.Norm or op == OpType.RMSNorm:
    from .kernels import RocmNorm
    return RocmNorm
"""


def test_each_branch_is_a_unit_and_the_class_above_is_asked() -> None:
    found = _units(_LEVEL + "return super().builder(op)\n")
    assert {name: (unit.a.status, unit.b.status) for name, unit in found.items()} == dict.fromkeys(
        ("Linear", "Norm", "Gelu"), (Status.IMPLEMENTED, Status.IMPLEMENTED)
    )
    assert found["Gelu"].b.evidence[-1].text == "class TorchGelu"


@pytest.mark.parametrize(
    ("rocm", "status"),
    [
        (_LEVEL + "raise ValueError(op)\n", Status.MISSING),
        (_LEVEL + "if op == OpType.Gelu:\n    raise ValueError(op)\n", Status.ERROR),
        (_LEVEL + "if op == OpType.Gelu:\n    return None\n", Status.NO_OP),
        (_LEVEL + "if op == OpType.Gelu:\n    pass\n", Status.NO_OP),
        (_LEVEL + "if op == OpType.Gelu:\n    from .kernels import RocmTodo\n    return RocmTodo\n", Status.STUB),
        (_LEVEL + "if op == OpType.Gelu:\n    from elsewhere import Gelu\n    return Gelu\n", Status.UNKNOWN),
        ("return TABLE[op](op)\n", Status.UNKNOWN),
        (_LEVEL + "return TABLE[op]\n", Status.UNKNOWN),
        ("if op in TABLE:\n    return TABLE[op]\n" + _LEVEL + "raise ValueError(op)\n", Status.UNKNOWN),
        ("with lock:\n    return TABLE[op]\n" + _LEVEL + "raise ValueError(op)\n", Status.UNKNOWN),
        (_LEVEL.replace("return RocmNorm", "found = RocmNorm") + "return None\n", Status.MISSING),
        ("raise NotImplementedError\n", Status.MISSING),
    ],
)
def test_what_does_not_choose_something_that_works_is_not_implemented(rocm: str, status: Status) -> None:
    assert _units(rocm)["Gelu"].b.status is status


def test_a_match_chooses_as_well() -> None:
    found = _units(
        """
        match op:
            case OpType.Linear | OpType.Norm:
                from .kernels import RocmLinear
                return RocmLinear
            case OpType.Gelu if fast():
                return None
            case OpType.Tanh:
                return None
            case _:
                return super().builder(op)
        """
    )
    assert {name: unit.b.status for name, unit in found.items()} == dict.fromkeys(found, Status.IMPLEMENTED)


def test_two_branches_or_answers_without_a_name_are_no_operations() -> None:
    def method(*branches: str) -> bytes:
        lines = [f"        if op == '{at}':\n            return {answer}" for at, answer in enumerate(branches)]
        return "\n".join(["    def pick(self, op):", *lines, "        raise ValueError(op)"]).encode()

    for branches in (("CudaNorm", "CudaLinear"), ("1", "2", "3", "4")):
        files = {"core/base.py": b"class Base:\n    def pick(self, op):\n        raise NotImplementedError\n"}
        for name in ("Cuda", "Rocm"):
            head = f"from .base import Base\nclass {name}Base(Base):\n".encode()
            files[f"core/{name.lower()}.py"] = _KERNELS.format(name).encode() + head + method(*branches)
        assert not [unit for unit in analyse(files, "cuda", "rocm").units if unit.kind == "chosen operation"]


def _tables(cuda: str, rocm: str, base: str = "{}") -> dict[str, Status]:
    head = "from .base import Renderer\nfrom .helpers import sin_of, none_yet\n"
    files = {
        "render/base.py": f"class Renderer:\n    code = {base}\n    def render(self, op):\n        return self.code[op]\n",
        "render/helpers.py": "def sin_of(x):\n    return emit(x)\n\ndef none_yet(x):\n    raise NotImplementedError\n",
        "render/cuda.py": f"{head}class CudaRenderer(Renderer):\n    code = {cuda}\n",
        "render/rocm.py": f"{head}class RocmRenderer(Renderer):\n    code = {rocm}\n",
    }
    found = analyse({path: text.encode() for path, text in files.items()}, "cuda", "rocm").units
    return {unit.name: unit.b.status for unit in found if unit.kind == "chosen operation"}


_OPS = "{Ops.SIN: sin_of, Ops.EXP: lambda x: f'exp({x})', Ops.LOG: lambda x: f'log({x})'}"


@pytest.mark.parametrize(
    ("rocm", "base", "exp"),
    [
        (_OPS, "{}", Status.IMPLEMENTED),
        ("{**Renderer.code, Ops.SIN: sin_of}", _OPS, Status.IMPLEMENTED),
        ("{Ops.SIN: sin_of}", _OPS, Status.UNKNOWN),
        ("{Ops.EXP: lambda x: None}", _OPS, Status.NO_OP),
        ("{Ops.SIN: sin_of, Ops.EXP: None}", _OPS, Status.NO_OP),
        ("{Ops.SIN: sin_of, Ops.EXP: none_yet}", _OPS, Status.STUB),
        ("{**OTHERS, Ops.SIN: sin_of}", _OPS, Status.UNKNOWN),
        ("made()", _OPS, Status.UNKNOWN),
    ],
)
def test_dictionaries_of_classes_by_operation(rocm: str, base: str, exp: Status) -> None:
    assert _tables(_OPS, rocm, base)["EXP"] is exp


def test_dictionaries_by_back_end_or_of_two_are_no_operations() -> None:
    assert not _tables("{'cuda': sin_of, 'rocm': sin_of, 'cpu': sin_of}", _OPS)
    assert not _tables("{Ops.SIN: sin_of, Ops.EXP: sin_of}", _OPS)
    assert not _tables("{Ops.SIN: 1, Ops.EXP: 2, Ops.LOG: 3}", _OPS)
