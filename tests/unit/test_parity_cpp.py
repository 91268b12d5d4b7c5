"""C++ parity: interfaces, tables of functions, operations chosen by a switch, shared sources."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.parity.cpp import analyse
from rewarp.parity.cpp.comparing import interfaces, operations
from rewarp.parity.cpp.following.bodies import classify
from rewarp.parity.cpp.following.evaluation import Evaluator
from rewarp.parity.cpp.following.exits import FAIL, NO, YES
from rewarp.parity.cpp.reading.program import Program
from rewarp.parity.cpp.reading.reader import read_file
from rewarp.parity.cpp.reading.tokens import macros_of
from rewarp.parity.kernels import Inventory
from rewarp.parity.units import Status, Unit

HEADER = """
struct backend_i {
    const char * (*get_name)(void * b);
    enum status (*compute)(void * b);
    void (*reset)(void * b);
    bool (*supports_op)(void * dev, const tensor * op);
};
"""
CUDA = """
static bool cuda_supports_op(void * dev, const tensor * op) {
    switch (op->op) {
        case OP_ADD:
        case OP_MUL:
            return true;
        case OP_SCALE: {
            const type_t t = op->src[0]->type;
            return t == TYPE_F32 || t == TYPE_F16 || t == TYPE_BF16;
        }
        case OP_VIEW:
            return true;
        case OP_ROPE:
            return true;
        default:
            return false;
    }
}
static void cuda_op_mul(ctx & c, tensor * dst) {
    const tensor * src0 = dst->src[0];
    ASSERT(src0->type == TYPE_F32 || src0->type == TYPE_F16);
    mul_kernel<<<1, 1>>>(src0->data);
}
static bool cuda_compute(ctx & c, tensor * dst) {
    switch (dst->op) {
        case OP_ADD: cuda_op_add(c, dst); break;
        case OP_MUL: cuda_op_mul(c, dst); break;
        case OP_SCALE: cuda_op_scale(c, dst); break;
        case OP_VIEW: break;
        case OP_ROPE: cuda_op_rope(c, dst); break;
        default: return false;
    }
    return true;
}
static const char * cuda_name(void * b) { return "CUDA"; }
static enum status cuda_run(void * b) { launch(b); return OK; }
static void cuda_reset(void * b) { free(b); }
static const struct backend_i cuda_backend = {
    /* .get_name    = */ cuda_name,
    /* .compute     = */ cuda_run,
    /* .reset       = */ cuda_reset,
    /* .supports_op = */ cuda_supports_op,
};
"""
METAL = """
static bool metal_supports_op(void * dev, const tensor * op) {
    bool ok = false;
    switch (op->op) {
        case OP_ADD:
        case OP_VIEW:
            return true;
        case OP_MUL:
            ok = op->src[0]->type == TYPE_F32 || op->src[0]->type == TYPE_F16;
            break;
        case OP_SCALE:
            switch (op->src[0]->type) {
                case TYPE_F32: return true;
                default: return false;
            }
        case OP_ROPE:
            return true;
        default:
            return false;
    }
    return ok;
}
static int metal_encode(ctx * c, int idx) {
    tensor * node = c->node(idx);
    switch (node->op) {
        case OP_ADD: return metal_op_add(c, idx);
        case OP_MUL: return metal_op_mul(c, idx);
        case OP_SCALE: return metal_op_scale(c, idx);
        case OP_ROPE: return metal_op_rope(c, idx);
        default: ABORT("unsupported");
    }
}
static int metal_op_rope(ctx * c, int idx) { ABORT("rope is yet to come"); }
static const char * metal_name(void * b) { return "Metal"; }
static enum status metal_run(void * b) { throw std::runtime_error("no"); }
static struct backend_i metal_backend = { metal_name, metal_run, NULL, metal_supports_op };
"""
FILES = {"src/backend.h": HEADER.encode(), "src/cuda/cuda.cu": CUDA.encode(), "src/metal/metal.m": METAL.encode()}


def _units(files: dict[str, bytes], a: str = "cuda", b: str = "metal", shares: str | None = None) -> dict[str, Unit]:
    taken = Inventory(b, {}, shared_with=shares, shared_files=frozenset(files) if shares else frozenset())
    one, other = Program(files, a), Program(files, b, taken)
    parts = (
        interfaces.virtual_units(one, other, {}),
        interfaces.table_units(one, other, {}),
        operations.units(one, other, {}),
    )
    return {f"{unit.owner}.{unit.name}": unit for found, _ in parts for unit in found}


@pytest.mark.parametrize(
    ("name", "a", "b"),
    [
        ("OP.ADD", Status.IMPLEMENTED, Status.IMPLEMENTED),
        ("OP.MUL", Status.IMPLEMENTED, Status.IMPLEMENTED),
        ("OP.SCALE", Status.IMPLEMENTED, Status.PARTIAL),
        ("OP.VIEW", Status.IMPLEMENTED, Status.IMPLEMENTED),
        ("OP.ROPE", Status.IMPLEMENTED, Status.ERROR),
        ("backend_i.get_name", Status.IMPLEMENTED, Status.IMPLEMENTED),
        ("backend_i.compute", Status.IMPLEMENTED, Status.ERROR),
        ("backend_i.reset", Status.IMPLEMENTED, Status.MISSING),
    ],
)
def test_a_project_of_operations_and_tables(name: str, a: Status, b: Status) -> None:
    unit = _units(FILES)[name]
    assert (unit.a.status, unit.b.status) == (a, b), (unit.a.why, unit.b.why)
    assert unit.b.evidence
    assert all(place.line > 0 for place in unit.b.evidence)


def test_types_are_compared_over_the_call_closure() -> None:
    """CUDA says no type in its answer and asserts one call deeper; Metal answers by type: they are level."""
    unit = _units(FILES)["OP.MUL"]
    assert unit.a.dtypes == unit.b.dtypes == {"f16": Status.IMPLEMENTED, "f32": Status.IMPLEMENTED}
    scale = _units(FILES)["OP.SCALE"]
    assert scale.b.dtypes == {"f32": Status.IMPLEMENTED, "f16": Status.MISSING, "bf16": Status.MISSING}


def test_the_failing_line_is_the_evidence() -> None:
    places = _units(FILES)["OP.ROPE"].b.evidence
    line = METAL[: METAL.index("rope is yet")].count("\n") + 1
    assert (places[-1].path, places[-1].line) == ("src/metal/metal.m", line)


def test_shared_sources_are_read_with_the_other_macros() -> None:
    source = CUDA.replace(
        "        case OP_ROPE:\n            return true;",
        "#if !defined(USE_HIP)\n        case OP_ROPE:\n            return true;\n#endif",
    )
    units = _units({"src/cuda/cuda.cu": source.encode()}, "cuda", "rocm", shares="cuda")
    assert units["OP.ROPE"].a.status is Status.IMPLEMENTED
    assert units["OP.ROPE"].b.status is Status.MISSING
    assert units["OP.ADD"].b.status is Status.IMPLEMENTED


VIRTUAL = """
class Executor {
public:
    virtual ~Executor() = default;
    virtual void sync() const = 0;
    virtual void copy(void * a) { throw NotImplemented(); }
    virtual int devices() const { return 0; }
    virtual void trace();
};
class CudaExecutor : public Executor {
public:
    void sync() const override;
    void copy(void * a) override { cudaMemcpy(a); }
    int devices() const override { return count(); }
    void trace() override { push(); }
};
"""
HIP = """
class HipExecutor final : public Executor {
public:
    void sync() const override { hipDeviceSynchronize(); }
    void copy(void * a) override { NOT_IMPLEMENTED(); }
    void trace() override {}
};
"""


def test_virtual_methods() -> None:
    files = {
        "include/executor.hpp": VIRTUAL.encode(),
        "hip/executor.hpp": HIP.encode(),
        "cuda/executor.cpp": b"void CudaExecutor::sync() const { cudaDeviceSynchronize(); }",
    }
    units = _units(files, "cuda", "rocm")
    found = {name: (unit.a.status, unit.b.status) for name, unit in units.items()}
    assert found == {
        "Executor.sync": (Status.IMPLEMENTED, Status.IMPLEMENTED),
        "Executor.copy": (Status.IMPLEMENTED, Status.STUB),
        "Executor.devices": (Status.IMPLEMENTED, Status.DEFAULT),
        "Executor.trace": (Status.IMPLEMENTED, Status.NO_OP),
    }
    assert "answers 0" in units["Executor.devices"].b.why


def test_a_declared_method_without_a_body_is_unknown() -> None:
    files = {"include/executor.hpp": VIRTUAL.encode(), "hip/executor.hpp": HIP.encode()}
    assert _units(files, "cuda", "rocm")["Executor.sync"].a.status is Status.UNKNOWN


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("return false;", Status.IMPLEMENTED),
        ("", Status.NO_OP),
        ('(void) x; LOG_WARN("not here");', Status.NO_OP),
        ("// TODO: write it\n", Status.STUB),
        ('throw std::runtime_error("x");', Status.ERROR),
        ("if (x) { throw E(); }\nwork(x);", Status.IMPLEMENTED),
        ("if (x) { throw E(); } else { abort(); }", Status.ERROR),
        ("fail_here(x);", Status.ERROR),
        ("for (int i = 0; i < x; i++) { abort(); }", Status.IMPLEMENTED),
        ("do { abort(); } while (x);", Status.ERROR),
        ("MY_CASE(x) { abort(); }", Status.IMPLEMENTED),
        ("NOTHING_YET(x);", Status.ERROR),
        ("LIB_CHECK(0);", Status.IMPLEMENTED),
        ("assert(false);", Status.ERROR),
        ('const char * s = "throw NotImplemented()"; use(s);', Status.IMPLEMENTED),
    ],
)
def test_bodies_by_their_structure(body: str, status: Status) -> None:
    text = f"""
#define MY_CASE(a) if (a) {{ run(a); }} else
#define NOTHING_YET(a) abort()
static void fail_here(int y) {{ abort(); }}
int cuda_f(int x) {{ {body} }}
"""
    program = Program({"cuda/f.cpp": text.encode()}, "cuda")
    verdict = classify(program, program.by_name["cuda_f"][0])
    assert verdict.status is status, verdict


def test_a_macro_that_may_return_makes_nothing_certain() -> None:
    text = "#define TRY(a) if (!(a)) return false\nbool cuda_f(int x) { TRY(x); abort(); }"
    program = Program({"cuda/f.cpp": text.encode()}, "cuda")
    assert Evaluator(program, {}).run(program.by_name["cuda_f"][0]) == {YES, NO, FAIL}


def test_a_flag_set_before_a_break_is_kept() -> None:
    text = """bool cuda_f(int x) { bool ok = false;
        for (int i = 0; i < 3; i++) { if (t[i] == x) { ok = true; break; } }
        if (!ok) { return false; } return true; }"""
    program = Program({"cuda/f.cpp": text.encode()}, "cuda")
    assert Evaluator(program, {}).run(program.by_name["cuda_f"][0]) == {YES, NO}


def test_branches_of_the_preprocessor() -> None:
    text = b"""
#ifdef USE_HIP
void hip_only() {}
#elif defined(USE_METAL)
void metal_only() {}
#else
void others() {}
#endif
#if OPTION
void with_option() {}
#else
void without_option() {}
#endif
void split(
#if OPTION
    int a) {
#else
    ) {
#endif
}
void last() {}
"""
    names = [function.name for function in read_file("f.cpp", text, macros_of("rocm")).functions]
    assert names == ["hip_only", "with_option", "without_option", "split", "last"]
    assert next(f.name for f in read_file("f.cpp", text, macros_of("cuda")).functions) == "others"


def test_declarations() -> None:
    text = b"""
namespace a { extern "C" {
template <typename T, int N> static __global__ void __launch_bounds__(256, 1) kern(const T * x, int n = 3) { x[0]; }
} }
struct __attribute__((packed)) P { int (*go)(int); int z; };
A::B<int> & Thing<int>::method(std::map<int, int> m) const noexcept try { } catch (...) { }
Thing::Thing(int a) : x(a), y{2} { z(); }
enum class E : int { A, B };
static const P table[] = { { .go = run } };
static P one = { .go = &run };
int after;
"""
    file = read_file("f.cu", text, macros_of("cuda"))
    assert [(f.owner, f.name, f.parameters) for f in file.functions] == [
        ("", "kern", ("x", "n")),
        ("Thing", "method", ("m",)),
        ("Thing", "Thing", ("a",)),
    ]
    assert file.classes[0].name == "P"
    assert file.classes[0].pointers == ["go"]
    assert [(t.name, [(e.field, e.value) for e in t.entries]) for t in file.tables][-1] == ("one", [("go", "& run")])


def test_a_brace_without_partner_blocks_the_score_of_its_side() -> None:
    program = Program({"cuda/f.cpp": b"void f() { if (x) { }\n", "common.h": b"void g() {\n"}, "cuda")
    assert {problem.path: problem.blocks_score for problem in program.problems} == {
        "cuda/f.cpp": True,
        "common.h": False,
    }


def test_a_binary_is_said_and_not_read() -> None:
    program = Program({"cuda/f.cpp": b"\0\1\2", "cuda/k.cubin.cc": b"0x12,0x34," * 20_000}, "cuda")
    assert len(program.problems) == 2
    assert not list(program.functions)


def test_nothing_to_compare() -> None:
    assert analyse({"src/a.cpp": b"int f() { return 1; }"}, "cuda", "rocm") == ([], [], [], [])
    assert analyse({}, "cuda", "rocm") == ([], [], [], [])


@given(st.text(alphabet="ab(){}[];:=<>,.#\n\"'/*ifelscawithdru ", max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    for backend in ("cuda", "rocm"):
        program = Program({"cuda/f.cpp": text.encode()}, backend, Inventory(backend, {}, shared_with="cuda"))
        for function in program.functions:
            Evaluator(program, {"a->b": "X_Y"}).run(function)


def test_only_what_the_other_compiles_is_shared() -> None:
    """A build that takes some sources of CUDA takes no others."""
    interface = b"struct Op { virtual void run(int) = 0; };\n"
    body = b"struct %s : Op { void run(int x) override { launch(x); } };\n"
    files = {
        "src/op.h": interface,
        "src/a/cuda/near.h": body % b"CudaNear",
        "src/a/cuda/k.cu": body % b"CudaTaken" + b"__global__ void k(int *x) {}\n",
        "src/a/cuda/left.cu": body % b"CudaLeft",
        "src/b/cuda/far.h": body % b"CudaFar",
        "CMakeLists.txt": b"enable_language(HIP)\nset_source_files_properties(src/a/cuda/k.cu PROPERTIES LANGUAGE HIP)\n",
    }
    found = {unit.owner: unit.b.status for unit in analyse(files, "cuda", "rocm")[0] if unit.kind == "virtual method"}
    assert found == {"Op (near)": Status.IMPLEMENTED, "Op (taken)": Status.IMPLEMENTED}
    classes = {unit.name: unit.b.status for unit in analyse(files, "cuda", "rocm")[0] if unit.kind == "class"}
    assert {name for name, status in classes.items() if status is Status.MISSING} == {"left", "far"}
    assert {name for name, status in classes.items() if status is Status.IMPLEMENTED} == {"near", "taken"}


def test_a_comment_may_go_on_in_the_next_line_of_a_macro() -> None:
    text = (
        "#define RUN(x) \\\n    { go(x); /* what the \\\n  caller wants */ \\\n    }\nvoid f() { if (x) { RUN(1) } }\n"
    )
    assert read_file("cuda/f.cpp", text.encode(), macros_of("cuda")).tokens.unmatched is None
    # Without a backslash as well; what follows a comment that ends in its line is not the macro's.
    open_comment = "#define A 1 /* one\n two */\nvoid g() { }\n"
    assert "g" in read_file("cuda/f.cpp", open_comment.encode(), macros_of("cuda")).tokens.list
    closed = "#define A 1 /* one */\nvoid g() { /* x */ }\n"
    assert "g" in read_file("cuda/f.cpp", closed.encode(), macros_of("cuda")).tokens.list


def test_a_lambda_that_calls_itself() -> None:
    text = "void f(int x) { std::function<void(int)> go = [&](int n) { if (n > 0) { go(n - 1); } work(n); }; go(x); }"
    program = Program({"cuda/f.cpp": text.encode()}, "cuda")
    assert classify(program, next(iter(program.functions))).status is Status.IMPLEMENTED


def test_a_table_by_place_goes_by_the_places() -> None:
    """A comment may call a place otherwise than the struct does."""
    header = b"struct reg_i { int (*count)(void *); int (*device)(void *, int); };\n"
    table = "static int {0}_count(void * r) {{ return go(r); }}\nstatic int {0}_device(void * r, int i) {{ return go(r, i); }}\n"
    table += "static struct reg_i {0}_reg = {{ /* .{1} = */ {0}_count, /* .{2} = */ {0}_device }};\n"
    files = {
        "src/reg.h": header,
        "src/cuda/reg.cu": table.format("cuda", "count", "device").encode(),
        "src/metal/reg.cpp": table.format("metal", "device_count", "device_get").encode(),
    }
    found = {name: (unit.a.status, unit.b.status) for name, unit in _units(files).items()}
    assert found == dict.fromkeys(("reg_i.count", "reg_i.device"), (Status.IMPLEMENTED, Status.IMPLEMENTED))
