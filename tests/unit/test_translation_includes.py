"""Headers: which ones a translated file includes."""

from __future__ import annotations

from pathlib import Path

from rewarp.source import SourceFile
from rewarp.translation.changes import Options, Project
from rewarp.translation.translator import translate
from rewarp.translation.tree import translate_tree, with_suffix

RUNTIME = "#include <hip/hip_runtime.h>\n"
PROJECT = Project(files=frozenset({"helper.h", "helper.cu", "main.cpp"}))


def translated(path: str, code: str, project: Project = PROJECT) -> str:
    return translate(SourceFile(path, code.encode()), Options(project=project)).text


def test_a_unit_whose_own_header_may_use_the_runtime_gets_it_first() -> None:
    """nvcc puts the runtime's header before the first line of every .cu file."""
    code = '#include "helper.h"\nint three() { return 3; }\n'
    assert translated("helper.cu", code) == RUNTIME + code
    assert translated("helper.cu", RUNTIME + code) == RUNTIME + code


def test_the_runtime_comes_before_the_projects_own_headers() -> None:
    own = '#include "helper.h"\n'
    assert translated("helper.cu", own + "#include <cuda_runtime.h>\n") == RUNTIME + own + RUNTIME
    assert translated("helper.cu", "#include <cuda_runtime.h>\n" + own) == RUNTIME + own


def test_a_unit_without_any_cuda_stays_as_it_is() -> None:
    code = "#include <vector>\nint three() { return 3; }\n"
    assert translated("helper.cu", code) == code


def test_host_code_does_not_get_what_its_compiler_never_brought() -> None:
    code = '#include "helper.h"\nint three() { return 3; }\n'
    assert translated("main.cpp", code) == code


def test_torch_on_rocm_moves_its_headers_and_keeps_its_names() -> None:
    """So it is since version 2 of torch's hipify; before, `c10::cuda` was `c10::hip` there."""
    code = "#include <torch/extension.h>\n#include <{}>\n#include <{}>\n#include <{}>\n{}"
    use = "void* f() { return at::cuda::getCurrentCUDAStream().stream(); }\n"
    cuda = code.format("ATen/cuda/CUDAContext.h", "c10/cuda/CUDAGuard.h", "ATen/cuda/Atomic.cuh", use)
    hip = code.format("ATen/hip/HIPContext.h", "c10/hip/HIPGuard.h", "ATen/hip/Atomic.cuh", use)
    assert translated("main.cpp", cuda) == hip
    assert translated("main.cpp", hip) == hip


def test_names_that_both_sides_spell_alike_come_with_the_runtime() -> None:
    code = "__device__ float first(float4 v) { return v.x; }\n"
    assert translated("helper.cu", code) == RUNTIME + code


def test_hip_of_the_project_that_gets_the_runtime_elsewhere_is_left_alone() -> None:
    code = '#include "helper.h"\nint three() { return hipSuccess; }\n'
    assert translated("main.hip", code) == code


def test_what_the_support_header_stands_for_is_included_once_from_any_folder() -> None:
    code = "#include <vector>\n#include <cooperative_groups/reduce.h>\n"
    below = Options(project=PROJECT, support="../rewarp_hip.h")
    found = translate(SourceFile("kernels/sum.cuh", code.encode()), below).text
    assert found == '#include "../rewarp_hip.h"\n#include <vector>\n'


def test_mathematics_that_hip_has_in_kernels_only_comes_from_the_support_header() -> None:
    support = '#include "rewarp_hip.h"\n'
    host = "#include <cmath>\nfloat scale(int n) { if (n) { return rsqrtf(n); } return 0; }\n"
    kernel = "__global__ void k(float* p) { if (p) { *p = rsqrtf(*p); } }\n"
    both = "__host__ __device__ float f(float x) { return rsqrtf(x); }\n"
    assert translated("helper.cu", host) == support + host
    assert translated("helper.cu", both) == support + both
    assert translated("helper.cu", kernel) == RUNTIME + kernel


def test_a_header_behind_one_condition_is_still_wanted_behind_another() -> None:
    code = "#ifdef A\n#include <cuda.h>\n#endif\n#ifdef B\n#include <cuda_runtime.h>\n#endif\n"
    assert translated("helper.h", code) == f"#ifdef A\n{RUNTIME}#endif\n#ifdef B\n{RUNTIME}#endif\n"


def test_a_header_that_came_before_a_condition_is_not_included_behind_it() -> None:
    code = "#include <cuda.h>\n#ifdef B\n#include <cuda_runtime.h>\n#endif\n"
    assert translated("helper.h", code) == f"{RUNTIME}#ifdef B\n#endif\n"


def test_a_file_that_a_macro_names_is_included_under_its_new_name(tmp_path: Path) -> None:
    (tmp_path / "vadd.cu").write_text("__global__ void add(float* x) {}\n")
    harness = '#ifndef KERNELS\n#define KERNELS "vadd.cu"\n#endif\n#define TITLE "vadd.cu"\n#include KERNELS\n'
    (tmp_path / "harness.cu").write_text(harness)
    tree = translate_tree(tmp_path, naming=with_suffix(".hip"))
    text = next(one.text for one in tree.translations if one.path == "harness.cu")
    assert '#define KERNELS "vadd.hip"' in text
    assert '#define TITLE "vadd.cu"' in text
    kept = next(one.text for one in translate_tree(tmp_path).translations if one.path == "harness.cu")
    assert '#define KERNELS "vadd.cu"' in kept
