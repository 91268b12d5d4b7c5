"""What never counts as done: errors, stubs and no-ops behind helpers, tables, registries and switches; work of the CPU."""

from __future__ import annotations

import ast

import pytest

from rewarp.parity.cpp import analyse as analyse_cpp
from rewarp.parity.python import analyse as analyse_python
from rewarp.parity.python.reading.bodies import body_of
from rewarp.parity.units import Status, Unit


def _cpp(method: str, more: str = "") -> Unit:
    files = {
        "src/backend.h": "struct Backend { virtual int run(int x) = 0; };",
        "src/cuda/a.cu": "struct CudaBackend : Backend { int run(int x) override { k<<<1, 1>>>(x); return sync(); } };",
        "src/hip/a.cpp": f"struct HipBackend : Backend {{ int run(int x) override {{ {method} }} }};",
        "src/hip/far.cpp": "int far_away(int x) { return farther(x); }",
        "src/hip/farther.cpp": f"int farther(int x) {{ throw NotImplemented(); }} {more}",
    }
    units, *_ = analyse_cpp({path: text.encode() for path, text in files.items()}, "cuda", "rocm")
    (unit,) = units
    assert unit.a.status is Status.IMPLEMENTED
    return unit


@pytest.mark.parametrize(
    ("method", "status"),
    [
        ('throw std::runtime_error("no");', Status.ERROR),
        ("return far_away(x);", Status.STUB),
        ('GGML_ABORT("not implemented");', Status.ERROR),
        ("assert(false); return 0;", Status.ERROR),
        ("return GGML_STATUS_FAILED;", Status.ERROR),
        ('return Status::NotImplemented("k");', Status.STUB),
        ('return ORT_MAKE_STATUS(A, NOT_IMPLEMENTED, "q");', Status.STUB),
        ('LOG(FATAL) << "no"; return 1;', Status.ERROR),
        ("UNIMPLEMENTED();", Status.STUB),
        ("if (x) { throw 1; } else { abort(); }", Status.ERROR),
        ('LOG_WARN("nope");', Status.NO_OP),
        ('fprintf(stderr, "no"); return -1;', Status.NO_OP),
        ('static bool told = false; if (!told) { std::cerr << "o"; told = true; }', Status.NO_OP),
        ("return cpu_->run(x);", Status.CPU_ONLY),
        # Near misses: an answer, an operation called log, work beside a log line.
        ("UNUSED(x); return 128;", Status.IMPLEMENTED),
        ("op_log(ctx, x); return sync();", Status.IMPLEMENTED),
        ('LOG_INFO("start"); launch(x); return sync();', Status.IMPLEMENTED),
        ("return LOG_LEVEL;", Status.IMPLEMENTED),
        ("if (x) { return GGML_STATUS_FAILED; } return launch(x);", Status.IMPLEMENTED),
    ],
)
def test_a_method_of_cpp(method: str, status: Status) -> None:
    assert _cpp(method).b.status is status


SWITCH = """
static bool {b}_supports_op(void * d, const tensor * op) {{
    switch (op->op) {{ case OP_ADD: case OP_MUL: case OP_SUB: case OP_NEG: return true; default: return false; }}
}}
static void {b}_add(ctx & c, tensor * dst) {{ add_kernel<<<1, 1>>>(dst); }}
{more}
static bool {b}_compute(ctx & c, tensor * dst) {{ switch (dst->op) {{ {cases} default: return false; }} return true; }}
"""


def test_a_switch_whose_support_promises_too_much() -> None:
    every = "".join(f"case OP_{name}: cuda_add(c, dst); break;" for name in ("ADD", "MUL", "SUB", "NEG"))
    some = (
        "case OP_ADD: hip_add(c, dst); break; case OP_MUL: hip_mul(c, dst); break; case OP_NEG: hip_neg(c, dst); break;"
    )
    more = 'static void hip_mul(ctx & c, tensor * d) { ABORT("no"); } static void hip_neg(ctx & c, tensor * d) { LOG_WARN("no"); }'
    files = {
        "cuda/ops.cu": SWITCH.format(b="cuda", more="", cases=every).encode(),
        "hip/ops.cpp": SWITCH.format(b="hip", more=more, cases=some).encode(),
    }
    units, *_ = analyse_cpp(files, "cuda", "rocm")
    found = {unit.name: unit.b.status for unit in units if unit.kind == "operation"}
    assert found == {"ADD": Status.IMPLEMENTED, "MUL": Status.ERROR, "SUB": Status.MISSING, "NEG": Status.NO_OP}


def test_entries_of_a_table_on_one_line_are_told_apart() -> None:
    text = """static void {b}_run(void * c) {{ {run} }} static int {b}_log(void * c) {{ {log} }}
    static const struct backend_i {b}_backend = {{ /* .run = */ {b}_run, /* .log = */ {b}_log }};"""
    header = b"struct backend_i { void (*run)(void *); int (*log)(void *); };"
    cuda = text.format(b="cuda", run="k<<<1, 1>>>(c);", log="k<<<1, 1>>>(c); return sync();").encode()
    hip = text.format(b="hip", run='LOG("x");', log='printf("only logs"); return 0;').encode()
    units, *_ = analyse_cpp({"b.h": header, "cuda/b.cu": cuda, "hip/b.cpp": hip}, "cuda", "rocm")
    assert {unit.name: unit.b.status for unit in units} == {"run": Status.NO_OP, "log": Status.NO_OP}


TYPES = """
static bool {b}_supports_op(void * d, const tensor * op) {{
    switch (op->op) {{
        case OP_SET: {{ const type_t t = op->type; return {set}; }}
        case OP_CPY: {{ type_t from = op->src[0]->type; type_t to = op->src[1]->type; {cpy} }}
        case OP_ADD: return true;
        default: return false;
    }}
}}
"""


def test_types_that_are_tied_to_each_other() -> None:
    tied = "(t == TYPE_F32 || t == TYPE_I32) && t == op->src[0]->type && t == op->src[1]->type"
    apart = "t == TYPE_F32 && op->src[0]->type == TYPE_F32 && (op->src[1]->type == TYPE_F32 || op->src[1]->type == TYPE_F16)"
    same = "return from == to;"
    refused = "if (from == to && to == TYPE_Q4) { return false; } if (from == TYPE_Q4 && to != TYPE_Q4) { return false; } return true;"
    files = {
        "cuda/ops.cu": TYPES.format(b="cuda", set=tied, cpy=same).encode(),
        "hip/ops.cpp": TYPES.format(b="hip", set=apart, cpy=refused).encode(),
    }
    units = {unit.name: unit for unit in analyse_cpp(files, "cuda", "rocm")[0]}
    assert units["SET"].a.dtypes["src1 f16"] is Status.MISSING, "src1 is what the result is: f32 or i32"
    assert units["SET"].a.dtypes["src1 f32"] is Status.IMPLEMENTED
    assert units["CPY"].a.dtypes["src0 q4"] is Status.IMPLEMENTED
    assert units["CPY"].b.dtypes["src0 q4"] is Status.MISSING, "no type of the other operand makes it a yes"


BASE = """
from abc import ABC, abstractmethod
class Platform(ABC):
    @abstractmethod
    def run(self, x): ...
"""
HELPERS = """
def unsupported(what):
    text = f"{what} is not there"
    raise NotImplementedError(text)
def two_away(what):
    return unsupported(what)
def only_logs(x):
    logger.warning("later")
def on_cpu(x):
    return work(x.cpu()).to(x.device)
def works(x):
    return launch(x)
"""


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("return helpers.unsupported('run')", Status.STUB),
        ("return two_away('run')", Status.STUB),
        ("return self.later(x)", Status.STUB),
        ("y = two_away(x)\n        return launch(y)", Status.STUB),
        ("return only_logs(x)", Status.NO_OP),
        ("import warnings\n        warnings.warn('no')\n        return None", Status.NO_OP),
        ("'''Runs.'''\n        pass", Status.NO_OP),
        ("return super().run(x)", Status.MISSING),
        ("from .helpers import no_such_name\n        return no_such_name(x)", Status.ERROR),
        ("from .rocm_extra import kernel\n        return kernel(x)", Status.UNKNOWN),
        ("return 'pkg.helpers.NoSuchClass'", Status.ERROR),
        ("return work(x.cpu()).to(x.device)", Status.CPU_ONLY),
        ("return on_cpu(x)", Status.CPU_ONLY),
        (
            "if x.small:\n            return work(x.to('cpu')).to(self.device)\n        return launch(x)",
            Status.CONDITIONAL_CPU,
        ),
        # Near misses.
        ("return works(x)", Status.IMPLEMENTED),
        ("return x.cpu().tolist()", Status.IMPLEMENTED),
        ("n = lengths.cpu()\n        return launch(x).to(self.device)", Status.IMPLEMENTED),
        ("if x:\n            unsupported('x')\n        return launch(x)", Status.IMPLEMENTED),
        ("return 'pkg.helpers.works'", Status.IMPLEMENTED),
    ],
)
def test_a_method_of_python(body: str, status: Status) -> None:
    cuda = "from .base import Platform\nclass CudaPlatform(Platform):\n    def run(self, x): return launch(x)\n"
    rocm = (
        "from . import helpers\nfrom .base import Platform\nfrom .helpers import *\n"
        "from .helpers import two_away, only_logs, on_cpu, works, unsupported\n"
        "class RocmPlatform(Platform):\n    def later(self, x): raise NotImplementedError\n"
        f"    def run(self, x):\n        {body}\n"
    )
    files = {
        "pkg/__init__.py": "",
        "pkg/base.py": BASE,
        "pkg/helpers.py": HELPERS,
        "pkg/cuda.py": cuda,
        "pkg/rocm.py": rocm,
    }
    units, *_ = analyse_python({path: text.encode() for path, text in files.items()}, "cuda", "rocm")
    (unit,) = [unit for unit in units if unit.kind == "method" and unit.name == "run"]
    assert unit.a.status is Status.IMPLEMENTED
    assert unit.b.status is status


def _branch(text: str) -> Unit:
    (unit,) = analyse_python({"pkg/ops.py": text.encode()}, "cuda", "rocm")[0]
    return unit


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("if not is_cuda():\n        logger.info('no')\n        return\n    self.buffer = make()", Status.NO_OP),
        ("if is_cuda():\n        t = table()\n    else:\n        return None\n    return t", Status.NO_OP),
        ("if not is_cuda():\n        self.failed = True\n        return\n    build()", Status.NO_OP),
        ("found = look(x)\n    if not is_cuda():\n        return\n    build(found)", Status.NO_OP),
        ("self.buffer = make()\n    if not is_cuda():\n        return\n    self.graph = capture()", Status.PARTIAL),
        ("if is_rocm():\n        return work(x.cpu()).to(x.device)\n    return launch(x)", Status.CPU_ONLY),
        ("if is_rocm():\n        self.rocm_way()\n        return\n    self.cuda_way()", Status.IMPLEMENTED),
        ("if is_cuda():\n        return fast(x)\n    return slow(x)", Status.IMPLEMENTED),
    ],
)
def test_a_platform_that_is_left_out(body: str, status: Status) -> None:
    assert _branch(f"def build(self, x):\n    {body}\n").b.status is status


def test_an_answer_in_a_name_and_a_device_that_is_not_here() -> None:
    text = """
def is_fp8_supported(device_type):
    if device_type in ["cuda", "auto"]:
        version = torch.version.cuda
        if version is not None and int(version) > 11:
            return True
        return False
    elif device_type == "xpu":
        return True
"""
    unit = _branch(text)
    assert (unit.a.status, unit.b.status) == (Status.IMPLEMENTED, Status.MISSING)


def test_what_is_said_differently_after_a_failure_is_no_gap_of_the_platform() -> None:
    text = """
def make(x):
    if is_cuda():
        try:
            return fast(x)
        except Exception as error:
            raise RuntimeError("failed") from error
    return slow(x)
"""
    assert _branch(text).a.status is Status.IMPLEMENTED


def test_a_registry_under_a_condition() -> None:
    text = """
@register_op("relu")
def relu(x): return launch(x)
if is_cuda():
    @register_op("matmul")
    def matmul(x): return launch(x)
"""
    units, *_ = analyse_python({"pkg/ops.py": text.encode()}, "cuda", "rocm")
    (unit,) = [unit for unit in units if unit.kind == "registry entry"]
    assert (unit.name, unit.a.status, unit.b.status) == ("matmul", Status.IMPLEMENTED, Status.MISSING)


def test_registered_functions_that_only_raise_and_classes_that_are_not_there() -> None:
    text = """
@register("op", backend="cuda")
def op_cuda(x): return launch(x)
@register("op", backend="rocm")
def op_rocm(x): raise NotImplementedError
PLATFORMS = {"cuda": "pkg.platforms.CudaPlatform", "rocm": "pkg.platforms.RocmPlatform"}
"""
    files = {"pkg/__init__.py": b"", "pkg/ops.py": text.encode(), "pkg/platforms.py": b"class CudaPlatform: ..."}
    units, *_ = analyse_python(files, "cuda", "rocm")
    found = {unit.owner: unit.b.status for unit in units if unit.kind == "registry entry"}
    assert found == {"@register": Status.STUB, "pkg/ops.py": Status.ERROR}


def test_data_that_only_go_to_the_host_fall_back_to_nothing() -> None:
    function = ast.parse("def f(x):\n    n = x.cpu()\n    log(n)\n    return launch(x).to(device)\n").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert body_of(function).status is Status.IMPLEMENTED
