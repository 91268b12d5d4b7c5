"""The static level: what a tree that was read again says, and what it must not say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rewarp.config import Config
from rewarp.translation.support import support_header
from rewarp.verify.checks import Check, Evidence, Level, Outcome, overall
from rewarp.verify.static import verify_static

HIP = "#include <hip/hip_runtime.h>\n__global__ void k(float* x) { x[threadIdx.x] += 1; }\n"


def check(root: Path) -> Evidence:
    return verify_static(root, config=Config(), use_cache=False)


def tree(root: Path, **files: str | bytes) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return root


def failures(evidence: Evidence) -> list[tuple[str, int | None, str]]:
    return [(c.path or "", c.line, c.why) for c in evidence.checks if c.outcome is Outcome.FAILED]


def test_a_clean_port_passes(tmp_path: Path) -> None:
    found = check(tree(tmp_path, k_DOT_hip=HIP, m_DOT_py="import torch\nx = torch.zeros(1).cuda()\n"))
    assert failures(found) == []
    assert found.outcome is Outcome.PASSED


def test_cuda_left_in_hip_is_named_with_its_line(tmp_path: Path) -> None:
    text = HIP + "void f(float* p) {\n  cudaFree(p);\n  cudaNoSuchThing(p);\n}\n"
    (found,) = failures(check(tree(tmp_path, k_DOT_hip=text)))
    assert found[:2] == ("k.hip", 4)
    assert "cudaFree" in found[2]
    assert "cudaNoSuchThing" in found[2]


def test_what_hip_calls_alike_is_not_left_over(tmp_path: Path) -> None:
    """Translation tells of it for GPUs without texture units, as does the rule for textures."""
    text = HIP + "__global__ void f(hipTextureObject_t t, float* p) { *p = tex2D<float>(t, 1, 2); }\n"
    assert all(why.startswith("CU-008") for _, _, why in failures(check(tree(tmp_path, k_DOT_hip=text))))


def test_cuda_in_comments_and_nvidia_branches_is_not_left_over(tmp_path: Path) -> None:
    text = (
        HIP + "// cudaFree\n#if defined(__HIP_PLATFORM_AMD__)\nvoid f() {}\n#else\nvoid f() { cudaFree(0); }\n#endif\n"
    )
    assert failures(check(tree(tmp_path, k_DOT_hip=text))) == []


def test_inline_ptx_fails(tmp_path: Path) -> None:
    text = HIP + '__device__ int lane() { int l; asm("mov.u32 %0, %laneid;" : "=r"(l)); return l; }\n'
    assert any("PTX" in why for _, _, why in failures(check(tree(tmp_path, k_DOT_hip=text))))


def test_an_untranslated_tree_fails(tmp_path: Path) -> None:
    text = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n"
    assert check(tree(tmp_path, k_DOT_cu=text)).outcome is Outcome.FAILED


def test_an_original_beside_its_translation_is_set_aside(tmp_path: Path) -> None:
    original = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n"
    found = check(tree(tmp_path, k_DOT_cu=original, k_DOT_hip=HIP))
    assert failures(found) == []
    assert any("k.cu" in c.why for c in found.checks)
    # The same original without a translation is not.
    assert failures(check(tree(tmp_path / "other", k_DOT_cu=original)))


def test_the_support_header_is_not_held_against_the_port(tmp_path: Path) -> None:
    assert failures(check(tree(tmp_path, k_DOT_hip=HIP, rewarp_hip_DOT_h=support_header()))) == []
    # Any other file of that name is read like all others.
    assert failures(check(tree(tmp_path, rewarp_hip_DOT_h="#include <cuda_runtime.h>\nvoid f() { cudaFree(0); }\n")))


def test_a_template_of_a_manifest_is_not_checked(tmp_path: Path) -> None:
    """It is no fault of a port, and it was not read either."""
    text = "[project]\nname = {{ cookiecutter.name }}\n"
    found = check(tree(tmp_path, k_DOT_hip=HIP, pyproject_DOT_toml=text))
    assert failures(found) == []
    (open_one,) = [one for one in found.checks if one.outcome is Outcome.NOT_CHECKED]
    assert (open_one.path, "template" in open_one.why) == ("pyproject.toml", True)


@pytest.mark.parametrize(
    ("name", "text"), [("pyproject_DOT_toml", "[project\nname = 1\n"), ("m_DOT_py", 'x = f"{{a}}" +\n')]
)
def test_what_is_broken_is_no_template(tmp_path: Path, name: str, text: str) -> None:
    assert failures(check(tree(tmp_path, k_DOT_hip=HIP, **{name: text})))


def test_what_does_not_parse_fails(tmp_path: Path) -> None:
    found = check(tree(tmp_path, m_DOT_py="import torch\ndef f(:\n  torch.cuda.synchronize()\n", k_DOT_hip=HIP))
    assert [path for path, _, _ in failures(found)] == ["m.py"]


LANES = (
    "#include <hip/hip_runtime.h>\n"
    "__global__ void k(const float* in, int* out) {\n"
    "  unsigned votes = __ballot(in[threadIdx.x] > 0);\n"
    "  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = __popc(votes);\n"
    "}\n"
)
"""Half of the votes of a 64-wide wave are lost."""


@pytest.mark.parametrize(
    "place",
    ["reduce.cu", "reduce.hip", "csrc/rocm/reduce.cu", "src/reduce-hip/main.cu", "amd/reduce_hip.cpp"]
    + ["tests/reduce.hip", "examples/reduce.hip", "third_party/x/reduce.hip"],
)
def test_the_name_of_a_file_switches_no_check_off(tmp_path: Path, place: str) -> None:
    file = tmp_path / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(LANES)
    assert {(path, line) for path, line, _ in failures(check(tmp_path))} >= {(place, 3)}


def test_what_is_wrong_on_one_architecture_is_judged_for_it(tmp_path: Path) -> None:
    tree(
        tmp_path,
        m_DOT_py="import torch\n\ndef q(x):\n    return torch._scaled_mm(x.to(torch.float8_e4m3fn), x)\n\nq(torch.ones(1))\n",
    )

    def judged(*arches: str) -> list[tuple[str, int | None, str]]:
        return failures(verify_static(tmp_path, config=Config(), arches=arches, use_cache=False))

    (fixed,) = judged("gfx942")
    assert fixed[:2] == ("m.py", 4)
    assert judged("gfx950") == []
    ((_, _, why),) = judged("gfx942", "gfx950")
    assert why.endswith("(on gfx942)")


def test_lanes_are_judged_for_the_width_that_was_asked_for(tmp_path: Path) -> None:
    tree(tmp_path, reduce_DOT_hip=LANES)
    assert failures(verify_static(tmp_path, config=Config(), arches=["gfx942"], use_cache=False))
    assert not failures(verify_static(tmp_path, config=Config(), arches=["gfx1100"], use_cache=False))


@pytest.mark.parametrize("files", [{}, {"notes_DOT_txt": "nothing"}])
def test_nothing_to_read_is_not_passed(tmp_path: Path, files: dict[str, str]) -> None:
    assert check(tree(tmp_path, **files)).outcome is Outcome.NOT_CHECKED


def test_python_that_breaks_on_amd_fails(tmp_path: Path) -> None:
    found = check(tree(tmp_path, m_DOT_py="import pynvml\npynvml.nvmlInit()\n"))
    assert [path for path, _, _ in failures(found)] != []


def test_overall() -> None:
    def one(outcome: Outcome) -> Check:
        return Check(Level.STATIC, "x", outcome, "because")

    passed, failed, not_checked = map(one, Outcome)
    assert overall([]) is Outcome.NOT_CHECKED
    assert overall([passed]) is Outcome.PASSED
    assert overall([passed, not_checked]) is Outcome.NOT_CHECKED
    assert overall([passed, not_checked, failed]) is Outcome.FAILED
    with pytest.raises(ValueError, match="no reason"):
        Check(Level.STATIC, "x", Outcome.NOT_CHECKED)


def test_a_branch_for_nvidia_beside_one_for_hip_is_no_name_left(tmp_path: Path) -> None:
    text = (
        "#ifdef USE_ROCM\n#include <hip/hip_runtime.h>\nusing stream = hipStream_t;\n#else\n"
        "#include <cuda_runtime.h>\nusing stream = cudaStream_t;\n#endif\n"
    )
    assert failures(check(tree(tmp_path, both_DOT_h=text))) == []
    left = failures(check(tree(tmp_path, both_DOT_h=text + "void f(void* p) { cudaFree(p); }\n")))
    assert ["cudaFree" in why for _, _, why in left] == [True]


def test_packages_for_cuda_fail_where_an_amd_machine_gets_the_list(tmp_path: Path) -> None:
    lists = {
        "requirements_DOT_txt": "numpy\n--extra-index-url https://download.pytorch.org/whl/cu121\ntorch==2.5.1+cu121\n"
    }
    found = failures(check(tree(tmp_path / "alone", k_DOT_hip=HIP, **lists)))
    assert [(path, line) for path, line, _ in found] == [("requirements.txt", 2), ("requirements.txt", 3)]
    beside = tree(tmp_path / "beside", k_DOT_hip=HIP, **lists)
    (beside / "requirements-rocm.txt").write_text("numpy\n")
    assert failures(check(beside)) == [], "AMD has a list of its own"
    plain = tree(tmp_path / "plain", k_DOT_hip=HIP, requirements_DOT_txt="numpy\ntorch>=2.6\n")
    assert failures(check(plain)) == []


@pytest.mark.parametrize(
    ("condition", "fails"),
    [
        ("#if defined(_WIN32) && defined(__NVCC__)", False),
        ("#if defined(_WIN32) || defined(__NVCC__)", True),
        ("#if !defined(_WIN32) && defined(__NVCC__)", True),
        ("#ifdef __NVCC__", True),
    ],
)
def test_a_condition_of_another_system_asks_nothing_here(tmp_path: Path, condition: str, fails: bool) -> None:
    text = HIP + f"{condition}\n#pragma nv_diag_suppress 108\n#endif\n"
    assert bool(failures(check(tree(tmp_path, k_DOT_hip=text)))) is fails


EXTRAS = """
[project]
name = "x"
[project.optional-dependencies]
rocm = ["torch", "{package}"]
cuda = ["cupy-cuda12x"]
"""
AMDS = {
    "an extra": ("pyproject.toml", EXTRAS.format(package="cupy-cuda12x"), EXTRAS.format(package="cupy-rocm-7-0")),
    "a list": ("requirements/rocm.txt", "nvidia-nccl-cu12==2.27", "nvidia-ml-py"),
    "an image": ("docker/Dockerfile.rocm", "FROM nvidia/cuda:12.8.1-devel-ubuntu22.04", "FROM rocm/pytorch:latest"),
    "a script": ("run_mi300x.sh", "export NCCL_ALGO=NVLS\n", "export NCCL_ALGO=Ring\n"),
    "a build": ("add-hip/Makefile", "CC = hipcc\nLIBS = -lcublas\n", "CC = hipcc\nLIBS = -lhipblas\n"),
    "a header": (
        "a.hip",
        HIP + "#include <cuda_fp16.h>\n",
        HIP + "#include <hip/hip_fp16.h>\n#include <thrust/sort.h>\n",
    ),
}


@pytest.mark.parametrize(("path", "wrong", "right"), AMDS.values(), ids=AMDS)
def test_what_amds_users_get_is_judged(tmp_path: Path, path: str, wrong: str, right: str) -> None:
    found = []
    for name, text in (("wrong", wrong), ("right", right)):
        file = tmp_path / name / path
        file.parent.mkdir(parents=True)
        file.write_text(text)
        found.append([place for place, _, _ in failures(check(tmp_path / name))])
    assert found == [[path], []]


def test_what_others_get_is_not_held_against_a_port(tmp_path: Path) -> None:
    """NVIDIA's images and lists stand beside AMD's."""
    for path, text in {
        "docker/Dockerfile.cuda": "FROM nvidia/cuda:12.8.1-devel-ubuntu22.04",
        "docker/Dockerfile.rocm": "FROM rocm/pytorch:latest",
        "requirements/cuda.txt": "nvidia-nccl-cu12==2.27\nflashinfer-python",
        "requirements/rocm.txt": "numpy",
        "run_h100.sh": "export NCCL_ALGO=NVLS\nexport CUDA_VISIBLE_DEVICES=-1\n",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    assert failures(check(tmp_path)) == []


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("#if defined(USE_HIP) && defined(__NVCC__)\nint a;\n#endif\n", True),
        ("#if defined(USE_HIP) || defined(__NVCC__)\nint a;\n#endif\n", False),
        ("#if defined(USE_HIP) && !defined(__NVCC__)\nint a;\n#endif\n", False),
        ("#ifdef FP8_FNUZ\nfloat most = 448.0f;\n#else\nfloat most = 448.0f;\n#endif\n", True),
        ("#ifdef FP8_FNUZ\nfloat most = 224.0f;\n#else\nfloat most = 448.0f;\n#endif\n", False),
        ("#ifndef FP8_FNUZ\nfloat most = 448.0f;\n#endif\n", False),
    ],
)
def test_conditions_that_cannot_hold_fail(tmp_path: Path, text: str, fails: bool) -> None:
    assert bool(failures(check(tree(tmp_path, k_DOT_h=text)))) is fails


def test_what_has_a_counterpart_for_amd_is_nvidias(tmp_path: Path) -> None:
    files = {"vendors/cuda.h": "#include <cuda_runtime.h>\n", "vendors/hip.h": "#include <hip/hip_runtime.h>\n"}
    (tmp_path / "vendors").mkdir()
    for path, text in files.items():
        (tmp_path / path).write_text(text)
    assert failures(check(tmp_path)) == []


def test_a_build_that_knows_hip_and_compiles_nothing_for_it_fails(tmp_path: Path) -> None:
    text = """project(x LANGUAGES CXX)
set(BACKEND "cpu" CACHE STRING "cpu, cuda or hip")
if(BACKEND STREQUAL "cuda")
  enable_language(CUDA)
  set(SOURCES a.cu)
elseif(BACKEND STREQUAL "hip")
  enable_language(HIP)
  set(SOURCES {sources})
  set_source_files_properties(a.cu PROPERTIES LANGUAGE HIP)
else()
  set(SOURCES b.cpp)
endif()
add_library(x ${{SOURCES}})
"""
    for name, sources in (("wrong", "b.cpp"), ("right", "a.cu")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "a.cu").write_text("__global__ void k() {}\n")
        (folder / "b.cpp").write_text("int f() { return 0; }\n")
        (folder / "CMakeLists.txt").write_text(text.format(sources=sources))
        assert any("for ROCm none" in why for _, _, why in failures(check(folder))) is (name == "wrong")


def test_fp8_that_is_only_stored_is_right_on_every_gpu(tmp_path: Path) -> None:
    text = "import torch\n\ndef store(layer):\n    layer.to(torch.float8_e4m3fn)\n\nstore(torch.nn.Linear(2, 2))\n"
    tree(tmp_path, m_DOT_py=text)
    assert failures(verify_static(tmp_path, config=Config(), arches=["gfx942"], use_cache=False)) == []


def test_a_header_of_aliases_defines_the_names_of_cuda(tmp_path: Path) -> None:
    text = "#include <hip/hip_runtime.h>\n#define cublasSetMathMode(handle, mode) CUBLAS_STATUS_SUCCESS\n"
    text += "#define CUBLAS_STATUS_SUCCESS HIPBLAS_STATUS_SUCCESS\n#define cudaFree hipFree\n"
    assert failures(check(tree(tmp_path, vendors__hip_DOT_h=text))) == []
    found = failures(check(tree(tmp_path, vendors__hip_DOT_h=text + "inline void f(void* p) { cudaFreeHost(p); }\n")))
    assert [why for _, _, why in found] == ["cudaFreeHost"]


def test_a_branch_of_nvidia_beside_one_of_hip_may_speak_cuda(tmp_path: Path) -> None:
    text = "#ifdef WITH_CUDA\n#include <cuda_runtime.h>\nauto f = cudaFree;\n#elif WITH_HIP\n#include <hip/hip_runtime.h>\n"
    text += "auto f = hipFree;\n#endif\n"
    assert failures(check(tree(tmp_path, f_DOT_cpp=text))) == []
    wrong = text.replace("auto f = hipFree", "auto f = cudaFree")
    assert [line for _, line, _ in failures(check(tree(tmp_path, f_DOT_cpp=wrong)))] == [6]


def test_a_counterpart_for_amd_in_another_folder_or_with_another_word(tmp_path: Path) -> None:
    cuda = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n"
    tree(tmp_path, src__my_cuda_vector_DOT_cu=cuda, src__my_hip_vector_DOT_hip_DOT_cpp=HIP)
    assert failures(check(tmp_path)) == []
    tree(tmp_path, src__my_cuda_matrix_DOT_cu=cuda)
    assert {path for path, _, _ in failures(check(tmp_path))} == {"src/my_cuda_matrix.cu"}


HIPIFIES = """project(x CXX)
option(USE_HIP "" OFF)
if(USE_HIP)
  find_package(hip REQUIRED)
  execute_process(COMMAND hipify-perl -o k.cpp k.cu)
  add_library(x k.cpp)
else()
  enable_language(CUDA)
  add_library(x k.cu)
endif()
"""


def test_names_of_cuda_in_what_the_build_gives_to_hipify(tmp_path: Path) -> None:
    cuda = "#include <cuda_runtime.h>\n__global__ void k() {}\nvoid f(void* p) { cudaFree(p); k<<<1, 1>>>(); }\n"
    tree(tmp_path, k_DOT_cu=cuda, CMakeLists_DOT_txt=HIPIFIES)
    assert failures(check(tmp_path)) == []
    tree(
        tmp_path,
        CMakeLists_DOT_txt=HIPIFIES.replace("execute_process(COMMAND hipify-perl -o k.cpp k.cu)", "# hipify-perl"),
    )
    assert any("cuda" in why for _, _, why in failures(check(tmp_path)))


def test_what_is_nvidias_by_the_name_around_it(tmp_path: Path) -> None:
    text = "import subprocess\n\nclass Info:\n    def get_gpu_nvidia(self):\n        return subprocess.run(['nvidia-smi'])\n"
    text += "\n\nif __name__ == '__main__':\n    Info().get_gpu_nvidia()\n"
    assert failures(check(tree(tmp_path, info_DOT_py=text))) == []
    other = text.replace("get_gpu_nvidia", "get_gpus")
    assert [line for _, line, _ in failures(check(tree(tmp_path, info_DOT_py=other)))] == [5]


BROKEN = {
    "broken": ("m.py", "def f(:\n    pass\n", "", Outcome.FAILED),
    "a type of Python 3.12": ("m.py", "type Grid = int | tuple[int]\n", "", Outcome.NOT_CHECKED),
    "a project for a newer Python": ("m.py", "x = ?\n", '[project]\nrequires-python = ">=3.99"\n', Outcome.NOT_CHECKED),
    "a project for an older one": ("m.py", "x = ?\n", '[project]\nrequires-python = ">=3.8"\n', Outcome.FAILED),
    "Python 2": ("m.py", "print 'x'\n", "", Outcome.NOT_CHECKED),
    "documents": ("docs/make.py", "def f(:\n", "", Outcome.NOT_CHECKED),
}


@pytest.mark.parametrize(("path", "text", "project", "outcome"), BROKEN.values(), ids=BROKEN)
def test_what_cannot_be_read_here_is_not_broken(
    tmp_path: Path, path: str, text: str, project: str, outcome: Outcome
) -> None:
    if outcome is Outcome.NOT_CHECKED and "3.12" in text and sys.version_info >= (3, 12):
        pytest.skip("this Python reads it")
    root = tree(tmp_path, pyproject_DOT_toml=project) if project else tmp_path
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_text(f"import torch\ntorch.cuda.synchronize()\n{text}")
    found = [one for one in check(root).checks if one.path == path]
    if found or sys.version_info < (3, 12):
        assert [one.outcome for one in found] == [outcome]


LISTS = {
    "everybody's": ("requirements.txt", "cupy-cuda12x\n", True),
    "for developers": ("requirements-dev.txt", "cupy-cuda12x\n", False),
    "one more thing": ("requirements/vllm.txt", "cupy-cuda12x\n", False),
    "the package's": ("pyproject.toml", '[project]\nname = "a"\ndependencies = ["cupy-cuda12x"]\n', True),
    "an extra": (
        "pyproject.toml",
        '[project]\nname = "a"\n[project.optional-dependencies]\nfast = ["cupy-cuda12x"]\n',
        False,
    ),
    "an extra of setup.cfg": ("setup.cfg", "[options.extras_require]\nfast =\n    cupy-cuda12x\n", False),
    "setup.cfg": ("setup.cfg", "[options]\ninstall_requires =\n    cupy-cuda12x\n", True),
}


@pytest.mark.parametrize(("path", "text", "fails"), LISTS.values(), ids=LISTS)
def test_lists_count_where_everybody_takes_them(tmp_path: Path, path: str, text: str, fails: bool) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(text)
    assert bool(failures(check(tmp_path))) is fails


def test_a_switch_for_cuda_beside_one_for_hip(tmp_path: Path) -> None:
    text = "#ifdef LIB_USE_CUDA\n#include <cuda_runtime.h>\n#endif\n"
    other = "#ifdef LIB_USE_HIP\n#include <hip/hip_runtime.h>\n#endif\n"
    assert failures(check(tree(tmp_path / "both", b_DOT_hip=text + other))) == []
    (found,) = failures(check(tree(tmp_path / "one", b_DOT_hip=text + "#include <hip/hip_runtime.h>\n")))
    assert found[:2] == ("b.hip", 2)


def test_a_name_of_its_own_that_looks_like_cudas(tmp_path: Path) -> None:
    own = HIP + "struct S { bool nvtxEnabled{false}; };\nbool f(S& s) { return s.nvtxEnabled; }\n"
    assert failures(check(tree(tmp_path / "own", a_DOT_hip=own))) == []
    call = HIP + "void f() { nvtxNoSuchThing(); }\n"
    assert [path for path, _, _ in failures(check(tree(tmp_path / "call", a_DOT_hip=call)))] == ["a.hip"]


def test_a_feature_that_says_it_is_nvidias_is_no_slip(tmp_path: Path) -> None:
    text = (
        "import triton\n\ndef f():\n    target = triton.runtime.driver.active.get_current_target()\n"
        "    if target.backend != 'cuda':\n        raise RuntimeError({})\n\nf()\n"
    )
    told = text.format("'graphs are not attributed on HIP'")
    assert failures(check(tree(tmp_path / "told", a_DOT_py=told))) == []
    assert failures(check(tree(tmp_path / "mute", a_DOT_py=text.format("'no'"))))


def test_a_method_that_amds_class_has_another_of(tmp_path: Path) -> None:
    base = (
        "import torch\n\nclass Platform:\n    def fp8_dtype(self):\n        return torch.float8_e4m3fn\n\n"
        "    def kernel(self, x):\n        return torch._scaled_mm(x, x, out_dtype=torch.float8_e4m3fn)\n"
    )
    amds = "import torch\n\nclass Rocm:\n    def fp8_dtype(self):\n        return torch.float8_e4m3fnuz\n"
    arches = ["gfx942"]
    root = tree(tmp_path / "both", p__interface_DOT_py=base, p__rocm_DOT_py=amds)
    found = failures(verify_static(root, config=Config(), arches=arches, use_cache=False))
    assert [line for _, line, _ in found] == [8]
    root = tree(tmp_path / "one", p__interface_DOT_py=base)
    found = failures(verify_static(root, config=Config(), arches=arches, use_cache=False))
    assert [line for _, line, _ in found] == [5, 8]


def test_extensions_for_some_of_nvidias_gpus_are_no_loss(tmp_path: Path) -> None:
    """A kernel for Hopper alone, which NVIDIA's own build leaves out elsewhere; one for every GPU of NVIDIA's is a loss."""
    setup = (
        "import torch\nfrom setuptools import setup\n"
        "from torch.utils.cpp_extension import CUDAExtension\n"
        "modules = []\n"
        "if torch.version.cuda and {}():\n    modules.append(CUDAExtension('p._C90', ['csrc/k90.cu']))\n"
        "setup(name='p', packages=['p'], ext_modules=modules)\n"
    )
    ptx = '__global__ void k(int* x) { asm volatile("mov.u32 %0, %laneid;" : "=r"(*x)); }\n'
    for name, condition, fails in (("some", "wants_sm90a", False), ("all", "wants_speed", True)):
        root = tree(tmp_path / name, csrc__k90_DOT_cu=ptx)
        (root / "setup.py").write_text(setup.format(condition))
        assert bool(failures(check(root))) is fails, name


def test_lanes_of_a_function_for_waves_of_32(tmp_path: Path) -> None:
    text = (
        "#include <hip/hip_runtime.h>\n__global__ void reduce{}(const float* in, float* out) {{\n  float v = in[threadIdx.x];\n"
        "  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);\n  if (threadIdx.x % 32 == 0) out[0] = v;\n}}\n"
    )
    for name, arch, fails in (("_navi", "gfx942", False), ("", "gfx942", True), ("_navigation", "gfx942", True)):
        root = tree(tmp_path / f"{name}{arch}", a_DOT_hip=text.format(name))
        found = failures(verify_static(root, config=Config(), arches=[arch], use_cache=False))
        assert bool(found) is fails, (name, found)
