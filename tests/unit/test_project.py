"""What a project tells: macros that are never defined on the target, and names that a header supplies there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rewarp import runner
from rewarp.api import scan
from rewarp.cache import context_digest
from rewarp.config import Config
from rewarp.findings import Finding, Severity
from rewarp.project import facts as project_facts
from rewarp.report import json as json_report
from rewarp.targets import GAUDI, ROCM, Context, ProjectFacts
from rewarp.workspace import find_files

FEATURES = """\
#pragma once
#if !defined(USE_HIP) && __CUDA_ARCH__ >= 800
#define TENSOR_CORES
#endif
"""
KERNEL = """\
#include "features.h"
__device__ void mma(float* d) {
#ifdef TENSOR_CORES
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1};" : "+f"(d[0]) : "f"(d[1]));
#endif
}
"""
HIP_HEADER = """\
#pragma once
#include <hip/hip_runtime.h>
#define cudaMalloc hipMalloc
#define cudaFree hipFree
#define __shfl_xor_sync(mask, value, lane, width) __shfl_xor(value, lane, width)
#define __trap() abort()
typedef __hip_bfloat16 nv_bfloat16;
static __device__ int __vsub4(int a, int b) { return a - b; }
"""
COMMON = """\
#if defined(USE_HIP)
#include "vendors/hip.h"
#else
#include "vendors/cuda.h"
#endif
"""
USER = '#include "common.h"\nvoid allocate(void** p) { cudaMalloc(p, 64); cudaFree(*p); }\n'


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


def write(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def facts(root: Path, files: dict[str, str], max_size: int = 1_000_000) -> ProjectFacts:
    return project_facts.read(find_files(write(root, files)).files, ROCM, max_size)


def alarms(root: Path, rule: str) -> list[Finding]:
    found = scan(root, config=Config(), use_cache=False, jobs=1).findings
    return [f for f in found if f.rule == rule and f.severity is not Severity.INFO]


def notes(root: Path, rule: str) -> list[str]:
    found = scan(root, config=Config(), use_cache=False, jobs=1).findings
    return [f.message for f in found if f.rule == rule and f.severity is Severity.INFO]


# --- own names ------------------------------------------------------------------------


def test_names_of_the_project_itself_are_not_cudas(tmp_path: Path) -> None:
    helpers = (
        "#define cudaFreeChecked(p) free_checked(p)\n#define NVTX_RANGE_FN()\n"
        "int cudaMallocOrManaged(void** out, size_t bytes);\n// a comment on cudaGraphUnheardOf(x)\n"
    )
    use = (
        "#include <nccl.h>\nvoid run(void** p) { NVTX_RANGE_FN(); cudaMallocOrManaged(p, 64); cudaFreeChecked(*p); "
        "cudaGraphUnheardOf(p); }\n"
    )
    write(tmp_path, {"use.cu": use})
    assert len(alarms(tmp_path, "CU-004")) == 3
    assert [f.symbol for f in alarms(tmp_path, "CU-003")] == ["NCCL", "NVTX"]
    found = facts(tmp_path, {"helpers.h": helpers})
    assert found.own_macros == {"cudaFreeChecked", "NVTX_RANGE_FN"}
    assert found.own_functions == {"cudaMallocOrManaged"}
    assert [f.symbol for f in alarms(tmp_path, "CU-004")] == ["cudaGraphUnheardOf"]
    assert [f.symbol for f in alarms(tmp_path, "CU-003")] == ["NCCL"]


# --- macros that wait for __CUDA_ARCH__ -------------------------------------------------

ARCH = "#pragma once\n#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900\n#define HAS_CONVERSION 1\n#endif\n"
CONVERT = """\
#include "arch.h"
__device__ float convert(float x) {
#ifdef HAS_CONVERSION
    asm("cvt.rn.f32.f64 %0, %0;" : "+f"(x));
    return x;
#else
    return slowly(x);
#endif
}
"""


def test_a_macro_that_waits_for_the_architecture(tmp_path: Path) -> None:
    write(tmp_path, {"convert.cuh": CONVERT})
    assert len(alarms(tmp_path, "CU-005")) == 1
    assert facts(tmp_path, {"arch.h": ARCH}).arch_macros == {"HAS_CONVERSION"}
    assert alarms(tmp_path, "CU-005") == []
    assert notes(tmp_path, "CU-005") == ["inline PTX: cvt.rn; HIP skips this branch"]


def test_an_else_that_gives_up_is_a_crash(tmp_path: Path) -> None:
    write(tmp_path, {"arch.h": ARCH, "convert.cuh": CONVERT.replace("return slowly(x)", "__trap()")})
    assert [f.severity for f in alarms(tmp_path, "CU-005")] == [Severity.CRASH]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("other.h", "#define HAS_CONVERSION 1\n"),
        ("Makefile", "FLAGS = -DHAS_CONVERSION\n"),
        ("hip.h", HIP_HEADER + "#define __CUDA_ARCH__ 900\n"),
    ],
)
def test_a_macro_that_may_be_defined_without_the_architecture(tmp_path: Path, path: str, text: str) -> None:
    user = '#include "hip.h"\n' if path == "hip.h" else ""
    assert not facts(tmp_path, {"arch.h": user + ARCH, "convert.cuh": CONVERT, path: text}).arch_macros
    assert len(alarms(tmp_path, "CU-005")) == 1


# --- macros ---------------------------------------------------------------------------


def test_a_macro_for_other_platforms_only_is_undefined(tmp_path: Path) -> None:
    write(tmp_path, {"kernel.cu": KERNEL})
    assert len(alarms(tmp_path, "CU-005")) == 1, "the file alone does not tell"
    assert facts(tmp_path, {"features.h": FEATURES}).undefined_macros == {"TENSOR_CORES"}
    assert alarms(tmp_path, "CU-005") == []
    (outcome,) = [o for o in scan(tmp_path, use_cache=False).result.scanned if o.path == "kernel.cu"]
    assert outcome.gated == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("other.h", "#define TENSOR_CORES\n"),
        ("other.h", "#ifdef SOMETHING\n  #  define TENSOR_CORES 1\n#endif\n"),
        ("other.h", "#ifdef USE_HIP\n#define TENSOR_CORES 1\n#endif\n"),
        ("other.h", "\ufeff#define TENSOR_CORES\n"),
        ("CMakeLists.txt", "target_compile_definitions(app PRIVATE TENSOR_CORES)\n"),
        ("CMakeLists.txt", "add_compile_definitions(TENSOR_CORES=1)\n"),
        ("CMakeLists.txt", 'set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -DTENSOR_CORES")\n'),
        ("Makefile", "CXXFLAGS += -DTENSOR_CORES\n"),
        ("setup.py", "CUDAExtension('x', [], define_macros=[('TENSOR_CORES', None)])\n"),
        ("tools/jit.py", "flags = ['-O3', '-DTENSOR_CORES=1']\n"),
        ("build.rs", 'fn main() { cc::Build::new().define("TENSOR_CORES", None); }\n'),
    ],
)
def test_a_macro_that_something_else_may_define_is_not(tmp_path: Path, path: str, text: str) -> None:
    assert not facts(tmp_path, {"features.h": FEATURES, "kernel.cu": KERNEL, path: text}).undefined_macros
    assert len(alarms(tmp_path, "CU-005")) == 1


def test_a_mention_in_other_code_is_no_definition(tmp_path: Path) -> None:
    files = {"features.h": FEATURES, "kernel.cu": KERNEL, "notes.py": "TENSOR_CORES = 'what features.h says'\n"}
    assert facts(tmp_path, files).undefined_macros == {"TENSOR_CORES"}


@pytest.mark.parametrize(
    "text",
    [
        # A header guard, and a default for what another header may define.
        "#ifndef USE_HIP\n#ifndef TENSOR_CORES\n#define TENSOR_CORES\n#endif\n#endif\n",
        "#ifndef TENSOR_CORES\n#define TENSOR_CORES\n#endif\n#ifdef USE_HIP\n#endif\n",
        # The platform does not decide.
        "#if __CUDA_ARCH__ >= 800\n#define TENSOR_CORES\n#endif\n#ifdef USE_HIP\n#endif\n",
        # A switch for a feature, not for the platform.
        "#if !defined(USE_HIP_NO_TENSORS) || !defined(HIP_NO_TENSORS)\n#define TENSOR_CORES\n#endif\n",
        "#if defined(USE_HIP) && !defined(APP_HIP_NO_TENSORS)\n#define TENSOR_CORES\n#endif\n",
        # Not code.
        "// #ifndef USE_HIP\n#define TENSOR_CORES\n// #endif\n#ifdef USE_HIP\n#endif\n",
    ],
)
def test_near_misses(tmp_path: Path, text: str) -> None:
    assert not facts(tmp_path, {"features.h": text, "kernel.cu": KERNEL}).undefined_macros


def test_names_of_compilers_and_toolkits_stay_unknown(tmp_path: Path) -> None:
    text = "#ifndef USE_HIP\n#define __GNUC__ 12\n#define CUDA_VERSION 12000\n#endif\n"
    text += "#if defined(__GNUC__) && defined(CUDA_VERSION)\n#endif\n"
    assert not facts(tmp_path, {"a.h": text}).undefined_macros


def test_one_macro_hides_the_next(tmp_path: Path) -> None:
    files = {
        "features.h": FEATURES,
        "second.h": "#ifdef TENSOR_CORES\n#define ASYNC_COPY\n#endif\n",
        "third.h": "#if defined(ASYNC_COPY) && ASYNC_COPY > 1\n#define BULK_COPY\n#endif\n",
        "user.cu": "#ifdef BULK_COPY\n#endif\n",
    }
    assert facts(tmp_path, files).undefined_macros == {"TENSOR_CORES", "ASYNC_COPY", "BULK_COPY"}


def test_macros_that_wait_for_each_other_end(tmp_path: Path) -> None:
    text = "#ifdef B\n#define A\n#endif\n#ifdef A\n#define B\n#endif\n#ifdef USE_HIP\n#endif\n"
    assert not facts(tmp_path, {"a.h": text}).undefined_macros, "nothing here is decided by the platform"
    chain = "".join(f"#ifdef M{n}\n#define M{n + 1}\n#endif\n" for n in range(20))
    found = facts(tmp_path, {"b.h": "#ifndef USE_HIP\n#define M0\n#endif\n" + chain}).undefined_macros
    assert "M0" in found, "a long chain is cut short, not followed for ever"


def test_the_other_branch_of_an_undefined_macro_stays(tmp_path: Path) -> None:
    kernel = KERNEL.replace("#ifdef", "#ifndef")
    write(tmp_path, {"features.h": FEATURES, "kernel.cu": kernel})
    assert len(alarms(tmp_path, "CU-005")) == 1


# --- aliases --------------------------------------------------------------------------


def test_names_that_a_header_supplies_inform(tmp_path: Path) -> None:
    found = facts(tmp_path, {"common.h": COMMON, "vendors/hip.h": HIP_HEADER, "user.cu": USER})
    names = {name for name, header in found.aliases if header == "vendors/hip.h"}
    assert names == {"cudaMalloc", "cudaFree", "__shfl_xor_sync", "__trap", "nv_bfloat16", "__vsub4"}
    assert {file for file, _ in found.includers} >= {"common.h", "user.cu"}
    assert alarms(tmp_path, "CU-001") == []
    assert notes(tmp_path, "CU-001") == [
        "2 uses of 2 CUDA runtime names with a HIP twin: cudaMalloc and cudaFree; vendors/hip.h supplies them for HIP"
    ]


def test_only_the_names_that_are_missing_are_reported(tmp_path: Path) -> None:
    user = USER + "void wait() { cudaDeviceSynchronize(); }\n"
    write(tmp_path, {"common.h": COMMON, "vendors/hip.h": HIP_HEADER, "user.cu": user})
    (finding,) = alarms(tmp_path, "CU-001")
    assert "1 use of 1 CUDA runtime name with a HIP twin: cudaDeviceSynchronize" in finding.message
    assert finding.line == 3


def test_every_rule_about_names_listens(tmp_path: Path) -> None:
    header = (
        HIP_HEADER + "#define cublasSgemm hipblasSgemm\n#define cuMemCreate hipMemCreate\n#define __CUDA_ARCH__ 1300\n"
    )
    header += "#define cudaGraphConditionalHandleCreate(...) hipErrorNotSupported\n"
    user = """\
#include "common.h"
__global__ void kernel(float* x, int* y) {
    x[0] += __shfl_xor_sync(0xffffffff, x[0], 1, 32);
    y[0] = __vsub4(y[0], y[1]);
#if __CUDA_ARCH__ >= 800
    y[1] = y[0];
#endif
}
void host() { cublasSgemm(); cuMemCreate(); cudaGraphConditionalHandleCreate(); }
"""
    write(tmp_path, {"user.cu": user})
    rules = ("CU-002", "CU-003", "CU-004", "WAV-001", "CU-011", "CU-015")
    assert {rule for rule in rules if alarms(tmp_path, rule)} == set(rules)
    write(tmp_path, {"common.h": COMMON, "vendors/hip.h": header})
    assert {rule for rule in rules if alarms(tmp_path, rule)} == set()
    assert {rule for rule in rules if any("vendors/hip.h" in note for note in notes(tmp_path, rule))} == set(rules)


def test_a_branch_for_hip_supplies_names_too(tmp_path: Path) -> None:
    header = "#ifndef USE_HIP\n#include <cuda.h>\n#else\n#define cudaMalloc my_malloc\nusing CUdevice = int;\n#endif\n"
    found = facts(tmp_path, {"common.h": header, "user.cu": USER})
    assert found.aliases == {("cudaMalloc", "common.h"), ("CUdevice", "common.h")}


@pytest.mark.parametrize(
    "header",
    [
        "#ifndef USE_HIP\n#define cudaMalloc my_malloc\n#endif\n",  # in the CUDA branch
        "#ifdef USE_HIP\n#define cudaMalloc cudaMalloc\n#endif\n",  # itself
        "#ifdef USE_HIP\n#define cudaMalloc(p, n) checked(cudaMalloc(p, n))\n#endif\n",
        "#ifdef USE_HIP\n// #define cudaMalloc hipMalloc\n#endif\n",  # a comment
        "#define cudaMalloc musaMalloc\n#define cudaFree musaFree\n",  # for a third platform
        "#if MY_OPTION\n#define cudaMalloc my_malloc\n#endif\n#ifdef USE_HIP\n#endif\n",  # who knows
    ],
)
def test_what_supplies_nothing(tmp_path: Path, header: str) -> None:
    files = {"common.h": header, "user.cu": USER.replace("cudaFree(*p);", "")}
    assert facts(tmp_path, files).aliases == frozenset()
    assert len(alarms(tmp_path, "CU-001")) == 1


def test_a_file_that_does_not_include_the_header_gets_nothing(tmp_path: Path) -> None:
    other = "#include <cuda_runtime.h>\nvoid allocate(void** p) { cudaMalloc(p, 64); }\n"
    write(tmp_path, {"common.h": COMMON, "vendors/hip.h": HIP_HEADER, "user.cu": USER, "tools/other.cu": other})
    assert [f.path for f in alarms(tmp_path, "CU-001")] == ["tools/other.cu"]


def test_includes_are_followed(tmp_path: Path) -> None:
    files = {
        "src/vendors/hip.h": HIP_HEADER,
        "src/common.h": COMMON,
        "src/deep/one.cuh": '#include "../common.h"\n#include "bare.cuh"\n',
        "src/deep/bare.cuh": "void allocate(cudaError_t);\n",
        "apps/two.cu": "#include <deep/one.cuh>\n",
        "apps/common.h": "#pragma once\n",
        "apps/three.cu": '#include "common.h"\n',
    }
    reached = {file for file, _ in facts(tmp_path, files).includers}
    assert {"src/common.h", "src/deep/one.cuh", "apps/two.cu"} <= reached
    assert "src/deep/bare.cuh" in reached, "whoever includes it has included the other header"
    assert "apps/three.cu" not in reached, "its common.h is the one beside it"


def test_include_cycles_end(tmp_path: Path) -> None:
    files = {"a.h": '#include "b.h"\n', "b.h": '#include "a.h"\n#include "hip.h"\n', "hip.h": HIP_HEADER}
    assert facts(tmp_path, files).includers == {("a.h", "hip.h"), ("b.h", "hip.h")}


# --- the pass itself --------------------------------------------------------------------


def test_nothing_to_tell(tmp_path: Path) -> None:
    assert facts(tmp_path, {"a.cu": USER, "a.py": "x = 1\n"}) == ProjectFacts()
    listing = find_files(write(tmp_path, {"common.h": COMMON, "vendors/hip.h": HIP_HEADER, "user.cu": USER}))
    assert project_facts.read(listing.files, GAUDI, 1_000_000) == ProjectFacts()


def test_unreadable_and_odd_files_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, {"features.h": FEATURES, "kernel.cu": KERNEL, "gone.h": "#define X\n", "secret.h": "#define Y\n"})
    (tmp_path / "binary.h").write_bytes(b"\0#define TENSOR_CORES\n" * 10)
    (tmp_path / "wide.h").write_bytes(b"\xff\xfe#" + "define A\n#ifdef USE_HIP\n#endif\n".encode("utf-16-le") + b"\0")
    os.chmod(tmp_path / "secret.h", 0)
    listing = find_files(tmp_path)
    (tmp_path / "gone.h").unlink()
    assert project_facts.read(listing.files, ROCM, 1_000_000).undefined_macros == {"TENSOR_CORES"}


def test_files_over_the_limit_are_not_read(tmp_path: Path) -> None:
    files = {"features.h": FEATURES, "kernel.cu": KERNEL, "large.h": "#define TENSOR_CORES\n" + "// padding\n" * 200}
    assert facts(tmp_path, files).undefined_macros == frozenset()
    assert facts(tmp_path, files, max_size=1000).undefined_macros == {"TENSOR_CORES"}


def test_one_file_tells_of_itself(tmp_path: Path) -> None:
    write(tmp_path, {"all.cu": FEATURES + KERNEL, "elsewhere.h": "#define TENSOR_CORES\n"})
    assert len(alarms(tmp_path, "CU-005")) == 1
    assert alarms(tmp_path / "all.cu", "CU-005") == []


def test_one_or_two_workers_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"features.h": FEATURES, "common.h": COMMON, "vendors/hip.h": HIP_HEADER}
    files |= {f"k{n}.cu": KERNEL + USER for n in range(60)}
    write(tmp_path, files)
    monkeypatch.setattr(runner, "_POOL_WORTH", 0)
    reports = [json_report.render(scan(tmp_path, jobs=jobs, use_cache=False)) for jobs in (1, 2)]
    assert reports[0] == reports[1]
    assert "vendors/hip.h supplies them" in reports[0]


def test_a_changed_header_is_noticed_in_cached_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"features.h": FEATURES, "kernel.cu": KERNEL, "tool.py": "import torch\ntorch.version.cuda\n"})
    assert not [f for f in scan(tmp_path).findings if f.rule == "CU-005"]
    scanned: list[str] = []
    real = runner._scan_data
    monkeypatch.setattr(runner, "_scan_data", lambda entry, *rest: scanned.append(entry.path) or real(entry, *rest))
    write(tmp_path, {"features.h": "#define TENSOR_CORES\n"})
    assert len([f for f in scan(tmp_path).findings if f.rule == "CU-005"]) == 1
    assert scanned == ["features.h", "kernel.cu"], "and the Python file is not scanned again"
    write(tmp_path, {"features.h": FEATURES})
    assert not [f for f in scan(tmp_path).findings if f.rule == "CU-005"]
    assert len(scanned) == 2, "seen before"


def test_facts_are_part_of_the_digest() -> None:
    several = [
        ProjectFacts(),
        ProjectFacts(frozenset({"A"})),
        ProjectFacts(frozenset(), frozenset({("cudaFree", "h")})),
        ProjectFacts(frozenset(), frozenset({("cudaFree", "h")}), frozenset({("f", "h")})),
    ]
    assert len({context_digest(Context(ROCM, project=each)) for each in several}) == len(several)
    assert len({hash(Context(ROCM, project=each)) for each in several}) == len(several)


def test_importing_the_own_package_is_no_dependency(tmp_path: Path) -> None:
    for name, text in (
        ("src/flash_attn/__init__.py", ""),
        ("tests/test_it.py", "import flash_attn.cute\nimport cupy\n"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = {finding.rule for finding in scan(tmp_path, use_cache=False).findings}
    assert "LIB-003" in found
    assert "LIB-001" not in found


def test_a_sibling_for_the_target_makes_a_file_the_other_side(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM nvidia/cuda:12.8.0-devel-ubuntu22.04\n")

    def severities() -> set[Severity]:
        return {f.severity for f in scan(tmp_path, use_cache=False).findings if f.rule == "DOC-001"}

    assert severities() == {Severity.ON_CPU}
    (tmp_path / "Dockerfile.rocm").write_text("FROM rocm/pytorch:latest\n")
    assert severities() == {Severity.INFO}


@pytest.mark.parametrize(
    ("name", "twin", "settled"),
    [
        ("serve.yaml", "serve_amd.yaml", True),
        ("nvidia.yaml", "amd.yaml", True),
        ("serve.yaml", "train_amd.yaml", False),
        ("serve.yaml", "sub/serve_amd.yaml", False),
    ],
)
def test_a_manifest_for_the_target_stands_beside_its_own_name(
    tmp_path: Path, name: str, twin: str, settled: bool
) -> None:
    pod = "kind: Pod\nspec:\n  containers:\n    - resources:\n        limits:\n          {}/gpu: 1\n"
    write(tmp_path, {name: pod.format("nvidia.com"), twin: pod.format("amd.com")})
    assert bool(alarms(tmp_path, "DOC-003")) is not settled


def test_modules_with_a_twin_for_the_target(tmp_path: Path) -> None:
    files = {"gds/cufile.py": "", "gds/hipfile.py": "", "build/cuda.py": "", "other/cuda_ops.py": "", "cudart.py": ""}
    assert facts(tmp_path, files).doubled == {"gds/cufile.py"}
    assert facts(tmp_path, {"build/rocm.py": ""}).doubled == {"gds/cufile.py", "build/cuda.py"}


EXTENSION = (
    "from torch.utils.cpp_extension import CUDAExtension\next = CUDAExtension('x', ['csrc/x.cpp', 'csrc/k.cu'])\n"
)


def test_what_torch_translates_includes_the_headers_that_are_reached(tmp_path: Path) -> None:
    use = "void f(void** p) { cudaMalloc(p, 64); }\n"
    files = {
        "csrc/x.cpp": '#include "helpers/alloc.h"\n' + use,
        "csrc/k.cu": use,
        "csrc/helpers/alloc.h": "#pragma once\n" + use,
        "csrc/alone.cpp": use,
    }
    assert facts(tmp_path, files).hipified == set()
    assert {f.path for f in alarms(tmp_path, "CU-001")} == set(files)
    assert facts(tmp_path, {"setup.py": EXTENSION}).hipified == set(files) - {"csrc/alone.cpp"}
    assert sum("torch's extension build" in note for note in notes(tmp_path, "CU-001")) == 3
    # Another build compiles one of them as it is.
    assert facts(tmp_path, {"CMakeLists.txt": "add_library(other csrc/other.cu)\n"}).hipified
    assert not facts(tmp_path, {"CMakeLists.txt": "add_library(k csrc/k.cu)\n"}).hipified


def test_facts_about_macros_do_not_change_what_python_is_for_the_target(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("#ifdef USE_ROCM\n#else\n#define HAS_PTX 1\n#endif\n")
    (tmp_path / "b.cu").write_text("#ifdef HAS_PTX\nvoid f();\n#endif\n")
    (tmp_path / "m.py").write_text("import torch\n\nif torch.version.hip:\n    torch.backends.cudnn.enabled = False\n")
    report = scan(tmp_path, use_cache=False)
    assert all("for every AMD GPU" in f.message for f in report.findings if f.rule == "PY-BCK-003")


OLD_SOLVER = "//#define OLD_SOLVER\n#define NEW_SOLVER\n"
SOLVE = "#ifdef OLD_SOLVER\ncublasDoItAsync(a);\n#endif\n#ifdef NEW_SOLVER\ncudaFree(a);\n#endif\n"


def test_a_macro_whose_definition_is_commented_out_is_not_defined(tmp_path: Path) -> None:
    assert facts(tmp_path, {"a.h": OLD_SOLVER, "b.cu": SOLVE}).undefined_macros == {"OLD_SOLVER"}
    found = scan(tmp_path, config=Config(target="rocm"), jobs=1, use_cache=False).findings
    assert not any("cublasDoItAsync" in finding.message for finding in found)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("c.h", "#define OLD_SOLVER 1\n"),
        ("CMakeLists.txt", "target_compile_definitions(a PRIVATE OLD_SOLVER)\n"),
        ("a.h", "/* a note */ #define OLD_SOLVER\n"),
    ],
)
def test_a_macro_that_something_else_may_define(tmp_path: Path, path: str, text: str) -> None:
    assert not facts(tmp_path, {"a.h": OLD_SOLVER, "b.cu": SOLVE, path: text}).undefined_macros


HELPERS = """
def is_hopper(): return torch.cuda.get_device_capability()[0] >= 9
def is_ampere(): return torch.cuda.get_device_capability()[0] >= 8
def is_blackwell(): return is_cuda() and torch.cuda.get_device_capability()[0] >= 10
"""


def test_helpers_that_ask_for_the_platform_first_are_nvidias(tmp_path: Path) -> None:
    use = "from helpers import {0}\nif not {0}():\n    raise RuntimeError\n"
    names = ("is_hopper", "is_ampere", "is_blackwell")
    write(tmp_path, {"helpers.py": "import torch\n" + HELPERS} | {f"use_{n}.py": use.format(n) for n in names})
    found = {f.path: f for f in scan(tmp_path, use_cache=False).findings if f.rule == "PY-CAP-002"}
    compared = {path for path, finding in found.items() if "compares torch's capability" in finding.message}
    assert compared == {"use_is_hopper.py", "use_is_ampere.py"}
    assert {finding.severity for finding in found.values()} == {Severity.INFO}  # how much slower, nobody has measured
