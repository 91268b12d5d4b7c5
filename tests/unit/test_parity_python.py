"""Python parity: platform subclasses, inherited defaults, registries, branches on the platform."""

from __future__ import annotations

import ast

import pytest

from rewarp.parity.python import analyse
from rewarp.parity.python.reading.bodies import body_of
from rewarp.parity.python.reading.facts import read_file
from rewarp.parity.units import Status, Unit

INTERFACE = """
from abc import ABC, abstractmethod
class Platform(ABC):
    @abstractmethod
    def name(self): ...
    def memory(self): raise NotImplementedError
    def fp8(self): return False
    def seed(self, n): self.set(n)
    def graph(self): return "none"
    def untouched(self): return 3
"""
CUDA = """
from .interface import Platform
class Mixin:
    def graph(self): return build()
class CudaPlatformBase(Platform):
    def name(self): raise NotImplementedError
    def memory(self): return query()
    def fp8(self): return True
    def seed(self, n): torch.cuda.manual_seed(n)
class NvmlCudaPlatform(CudaPlatformBase, Mixin):
    def name(self): return nvml()
    def graph(self): return build()
    def only_here(self): return 1
class NonNvmlCudaPlatform(CudaPlatformBase):
    def name(self): return "gpu"
    def graph(self): return build()
"""
ROCM = """
from .interface import Platform as Base
class RocmPlatform(Base):
    def memory(self):
        logger.warning("not yet")
        return None
    def seed(self, n):
        return super().seed(n)
    def graph(self):
        if self.old:
            raise NotImplementedError("old cards")
        return build()
"""
FILES = {
    "pkg/platforms/interface.py": INTERFACE.encode(),
    "pkg/platforms/cuda.py": CUDA.encode(),
    "pkg/platforms/rocm.py": ROCM.encode(),
}


def _units(files: dict[str, bytes], a: str = "cuda", b: str = "rocm") -> dict[str, Unit]:
    return {unit.name: unit for unit in analyse(files, a, b)[0]}


@pytest.mark.parametrize(
    ("name", "a", "b"),
    [
        ("name", Status.IMPLEMENTED, Status.MISSING),
        ("memory", Status.IMPLEMENTED, Status.NO_OP),
        ("fp8", Status.IMPLEMENTED, Status.DEFAULT),
        ("seed", Status.IMPLEMENTED, Status.IMPLEMENTED),
        ("graph", Status.IMPLEMENTED, Status.PARTIAL),
        ("untouched", Status.DEFAULT, Status.DEFAULT),
        ("only_here", Status.PARTIAL, Status.MISSING),
    ],
)
def test_platform_classes(name: str, a: Status, b: Status) -> None:
    unit = _units(FILES)[name]
    assert (unit.a.status, unit.b.status) == (a, b), (unit.a.why, unit.b.why)


def test_what_the_base_does_not_declare_is_shown_and_not_scored() -> None:
    units = _units(FILES)
    assert not units["only_here"].scored
    assert units["fp8"].scored
    assert "answers False" in units["fp8"].b.why
    assert units["fp8"].b.evidence[-1].path == "pkg/platforms/interface.py"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("pass", Status.NO_OP),
        ("...", Status.NO_OP),
        ("'''doc'''", Status.NO_OP),
        ("logger.warning('x')", Status.NO_OP),
        ("logger.warning('x'); return None", Status.NO_OP),
        ("return None", Status.NO_OP),
        ("raise NotImplementedError", Status.STUB),
        ("'''doc'''; raise NotImplementedError('x')", Status.STUB),
        ("raise RuntimeError('x')", Status.ERROR),
        ("return False", Status.IMPLEMENTED),
        ("return ['a', 'b']", Status.IMPLEMENTED),
        ("return compute()", Status.IMPLEMENTED),
        ("return super().f()", Status.DEFAULT),
        ("x = 1; raise ValueError(x)", Status.ERROR),
        ("if x: raise ValueError\n    return 1", Status.IMPLEMENTED),
        ("if x: raise NotImplementedError\n    return 1", Status.PARTIAL),
        ("if x: raise A\n    else: raise B", Status.ERROR),
        ("try: raise A\n    except A: return 1", Status.IMPLEMENTED),
        ("return 'raise NotImplementedError'", Status.IMPLEMENTED),
    ],
)
def test_bodies_by_their_structure(body: str, status: Status) -> None:
    function = ast.parse(f"def f(self):\n    {body}\n").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert body_of(function).status is status


BRANCHES = b"""
def asserts(x):
    assert not current_platform.is_rocm()
    return x
def gated(x):
    if not current_platform.is_cuda():
        raise NotImplementedError("cuda only")
    return x
def sometimes(x):
    if torch.version.hip is not None and x.fp4:
        raise ValueError(x)
    return x
def alike(x):
    if not current_platform.is_cuda_alike():
        raise ValueError(x)
    return x
def caught(x):
    try:
        if _is_hip:
            raise ValueError(x)
    except ValueError:
        return other(x)
    return x
def tensor(x):
    if not x.is_cuda:
        raise ValueError(x)
    return x
def no_question(x):
    raise ValueError(x)
def only_for_cuda(x):
    if not is_cuda():
        raise ValueError(x)
"""


def test_branches_that_raise_on_one_platform() -> None:
    found = {name: (unit.a.status, unit.b.status) for name, unit in _units({"pkg/ops.py": BRANCHES}).items()}
    assert found == {
        "asserts": (Status.IMPLEMENTED, Status.ERROR),
        "gated": (Status.IMPLEMENTED, Status.ERROR),
        "sometimes": (Status.IMPLEMENTED, Status.PARTIAL),
        "alike": (Status.IMPLEMENTED, Status.IMPLEMENTED),
        "caught": (Status.IMPLEMENTED, Status.IMPLEMENTED),
    }


def test_a_question_for_support_that_is_always_denied() -> None:
    text = b"""
def is_supported(x):
    if not current_platform.is_cuda():
        return False, "only CUDA"
    return check(x), None
def supports_both(x):
    return current_platform.is_cuda_alike() and x
def flag(x):
    if is_hip():
        return False
    return x
"""
    found = {name: (unit.a.status, unit.b.status) for name, unit in _units({"pkg/ops.py": text}).items()}
    assert found == {
        "is_supported": (Status.IMPLEMENTED, Status.MISSING),
        "supports_both": (Status.IMPLEMENTED, Status.IMPLEMENTED),
        "flag": (Status.IMPLEMENTED, Status.IMPLEMENTED),
    }


def test_a_platforms_own_code_is_no_gap() -> None:
    assert _units({"pkg/cuda/ops.py": BRANCHES}) == {}


REGISTRIES = b"""
KERNELS = {PlatformEnum.CUDA: [A, B], PlatformEnum.CPU: [C]}
EMPTY = {PlatformEnum.CUDA: [A], PlatformEnum.ROCM: []}
BOTH = {"cuda": A, "rocm": B}
BY_DEVICE = {"cuda": "nccl", "xpu": "xccl", "cpu": "gloo"}
OTHER = {"one": 1, "cuda": 2, "three": 3, "four": 4, "rocm": 5}
@register(backend="cuda")
def cuda_add(): return 1
@register(backend="cuda")
def cuda_mul(): return 1
@register(backend="rocm")
def rocm_add(): return 1
"""


def test_registries() -> None:
    units = _units({"pkg/registry.py": REGISTRIES})
    assert {name: unit.b.status for name, unit in units.items()} == {
        "KERNELS": Status.MISSING,
        "EMPTY": Status.MISSING,
        "BOTH": Status.IMPLEMENTED,
        "add": Status.IMPLEMENTED,
        "mul": Status.MISSING,
    }
    assert _units({"pkg/registry.py": REGISTRIES}, "cuda", "xpu")["BY_DEVICE"].b.status is Status.IMPLEMENTED


COMMUNICATORS = {
    "pkg/base.py": b"class Communicator:\n    def send(self): raise NotImplementedError\n",
    "pkg/cuda_communicator.py": b"from pkg.base import Communicator\nclass CudaCommunicator(Communicator):\n    def send(self): go()\n",
    "pkg/xpu_communicator.py": b"from pkg.base import Communicator\nclass XpuCommunicator(Communicator):\n    def send(self): go()\n",
}


def test_a_family_without_a_class_of_b() -> None:
    unknown = _units(COMMUNICATORS)["communicator"].b
    assert unknown.status is Status.UNKNOWN
    assert _units(COMMUNICATORS, "cuda", "hpu")["communicator"].b.status is Status.MISSING
    user = {**COMMUNICATORS, "pkg/rocm.py": b"def cls(): return 'pkg.cuda_communicator.CudaCommunicator'\n"}
    shared = _units(user)["communicator"].b
    assert shared.status is Status.IMPLEMENTED
    assert shared.evidence[0].path == "pkg/rocm.py"


def test_a_file_that_does_not_parse_is_said() -> None:
    files = {**FILES, "pkg/platforms/rocm_extra.py": b"def f(:\n", "pkg/other.py": b"class (\n"}
    problems = {problem.path: problem for problem in analyse(files, "cuda", "rocm")[1]}
    assert problems["pkg/platforms/rocm_extra.py"].blocks_score
    assert not problems["pkg/other.py"].blocks_score


@pytest.mark.parametrize("data", [b"", b"\0\0", b"\xff\xfe\x00", "class A:\n    pass\n".encode("utf-16"), b"x" * 10])
def test_odd_files_never_raise(data: bytes) -> None:
    read_file("a.py", data)


def test_tests_are_no_part_of_a_platform() -> None:
    assert analyse({f"tests/{path}": data for path, data in FILES.items()}, "cuda", "rocm") == ([], [], [], [])


# --- a constant that holds the platform's name ------------------------------------------


def _branches(code: str) -> dict[str, Unit]:
    return {unit.name: unit for unit in analyse({"pkg/layers.py": code.encode()}, "cuda", "rocm")[0]}


@pytest.mark.parametrize(
    ("test", "status"),
    [
        ('SYSTEM == "cuda"', Status.ERROR),
        ("torch.version.hip == None", Status.ERROR),
        ("torch.version.hip is None", Status.ERROR),
        ("torch.version.hip != None or SYSTEM != 'rocm'", Status.IMPLEMENTED),
        ('SYSTEM != "rocm"', Status.ERROR),
        ('SYSTEM in ("cuda", "xpu")', Status.ERROR),
        ('SYSTEM not in {"rocm"}', Status.ERROR),
        ('SYSTEM in ["cuda", "rocm"]', Status.IMPLEMENTED),
        ('SYSTEM == "rocm" or SYSTEM == "cuda"', Status.IMPLEMENTED),
    ],
)
def test_a_constant_that_holds_the_platform(test: str, status: Status) -> None:
    unit = _branches(f"import torch\ndef f(x):\n    if {test}:\n        return go(x)\n    raise NotImplementedError\n")[
        "f"
    ]
    assert (unit.a.status, unit.b.status) == (Status.IMPLEMENTED, status)


@pytest.mark.parametrize(
    "test", ['DEVICE == "cuda"', 'system == "cuda"', 'SYSTEM == "linux"', "SYSTEM == KIND", 'SYSTEM < "cuda"']
)
def test_what_holds_no_platform(test: str) -> None:
    # PyTorch for ROCm calls its devices `cuda`; a name that is no constant may hold anything.
    assert not _branches(f"def f(x):\n    if {test}:\n        return go(x)\n    raise NotImplementedError\n")


def test_where_only_a_is_asked_for_and_nothing_fails_a_alone_may_be_meant() -> None:
    code = "def f(x):\n    if is_cuda():\n        fast(x)\n    slow(x)\ndef g(x):\n    if is_cuda():\n        return fast(x)\n    raise E\n"
    units = _branches(code + "def h(x):\n    if is_cuda() or is_hip():\n        fast(x)\n    slow(x)\n")
    assert {name: unit.scored for name, unit in units.items()} == {"f": False, "g": True, "h": True}


def test_kernels_registered_under_a_name_of_their_own() -> None:
    code = """
@register_kernel("lib::scale", "cuda")
def _(x): return go(x)
@register_kernel("lib::shift", "cuda")
def _(x): return go(x)
@register_kernel("lib::scale", "{b}")
def _(x): return go(x)
@register_kernel("lib::any")
def _(x): return go(x)
"""
    found = _branches(code.format(b="rocm"))
    assert {name: unit.b.status for name, unit in found.items()} == {
        "lib_scale": Status.IMPLEMENTED,
        "lib_shift": Status.MISSING,
    }
    # Nothing is registered for ROCm at all: torch's `cuda` serves it.
    assert not _branches(code.format(b="cpu"))
