"""Builds for HIP that a port writes are whole, or are not written."""

from __future__ import annotations

from pathlib import Path

import pytest
from port_trees import plain

from rewarp.port import engine
from rewarp.port.changes import OPTIONAL, Change, Manual, PortOptions, PortPhase
from rewarp.port.cpp.old_torch import speaks_of_old_torch
from rewarp.port.dropping.builds import failures, written_builds
from rewarp.port.result import Port
from rewarp.port.tree import Tree
from rewarp.project.build.cmake import read_top
from rewarp.project.gates import ROCM
from rewarp.report import pull_request
from rewarp.targets import TARGETS
from rewarp.verdict import Approach
from rewarp.verify.checks import Check, Evidence, Level, Outcome

KERNEL = "#include <cuda_runtime.h>\n__global__ void k(float *x) { x[0] = 1; }\nint main() { return cudaDeviceSynchronize(); }\n"
MAKEFILE = "NVCC = nvcc\nNVCCFLAGS = -O3 -arch=sm_80\nk: k.cu\n\t$(NVCC) $(NVCCFLAGS) -o $@ $<\n"
CMAKE = "cmake_minimum_required(VERSION 3.24)\nproject(k LANGUAGES CXX CUDA)\nadd_executable(k k.cu)\n"
UNTESTED = frozenset(PortPhase) - {PortPhase.VERIFICATION}


def ported(root: Path, files: dict[str, str], verified: bool = False) -> Port:
    tree = Tree(plain(root, {path: text.encode() for path, text in files.items()}))
    phases = frozenset(PortPhase) if verified else UNTESTED
    return engine.port(tree, TARGETS["rocm"], phases=phases, options=PortOptions(wanted=frozenset(OPTIONAL)))


def paths(port: Port) -> set[str]:
    return {change.path for change in port.changes}


def stops(port: Port) -> list[str]:
    return [f"{item.path}:{item.line} {item.why}" for item in port.manual if item.stops]


@pytest.mark.parametrize("build", [{"Makefile": MAKEFILE}, {"CMakeLists.txt": CMAKE}], ids=["make", "cmake"])
def test_a_build_that_compiles_what_nvidias_does_is_written(build: dict[str, str], tmp_path: Path) -> None:
    port = ported(tmp_path, {"k.cu": KERNEL, **build})
    assert "hip_shim/cuda_to_hip.h" in paths(port)
    assert {"Makefile.rocm", "CMakeLists.txt"} & paths(port)
    assert stops(port) == []
    assert port.left == []


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"Makefile": MAKEFILE, "k.cu": "#include <helper_cuda.h>\n" + KERNEL}, "k.cu:1 helper_cuda.h has no HIP twin"),
        ({"Makefile": "lib:\n\t$(MAKE) -C lib\n" + MAKEFILE, "k.cu": KERNEL}, "Makefile:2 `$(MAKE) -C lib` builds"),
        ({"Makefile": MAKEFILE.replace("k.cu", "j.cu"), "k.cu": KERNEL}, "could not be followed"),
        ({"CMakeLists.txt": CMAKE.replace("k.cu", "k.cu ${UNKNOWN}/j.cu"), "k.cu": KERNEL, "j.cu": KERNEL}, ""),
    ],
)
def test_a_build_that_cannot_go_through_is_not(files: dict[str, str], why: str, tmp_path: Path) -> None:
    port = ported(tmp_path, files)
    if not why:  # what is not known on either side stops nothing
        assert "CMakeLists.txt" in paths(port)
        return
    assert paths(port) == set()
    assert any(why in text for text in stops(port)), stops(port)
    assert f"1 place that stops it on {port.target.title}" in pull_request.body(port) or len(port.left) > 0


def test_headers_of_a_source_that_is_not_copied_go_with_it(tmp_path: Path) -> None:
    files = {"k.cu": '#include "k.cuh"\n' + KERNEL, "k.cuh": KERNEL.partition("int main")[0], "build.sh": "nvcc k.cu\n"}
    assert paths(ported(tmp_path, files)) == set()


def test_what_did_not_compile_takes_its_build_with_it(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"CMakeLists.txt": CMAKE.encode(), "k.cu": KERNEL.encode()}))
    text = (
        CMAKE.replace("CXX CUDA", "CXX HIP").encode()
        + b'option(USE_HIP "Build for AMD GPUs with HIP instead of CUDA" OFF)\n'
    )
    text += b"set_source_files_properties(k.cu PROPERTIES LANGUAGE HIP)\n"
    change = Change("CMakeLists.txt", text, PortPhase.BUILD, "")
    (build,) = written_builds([change])
    after = tree.with_changes([change])

    def level(path: str, outcome: Outcome) -> Evidence:
        return Evidence(Level.BUILD, (Check(Level.BUILD, f"{path} for gfx942", outcome, "no such name", path, 3),))

    assert failures(after, [build], [level("k.cu", Outcome.FAILED)])[build].line == 3
    assert failures(after, [build], [level("k.cu", Outcome.NOT_CHECKED)]) == {}
    assert failures(after, [build], [level("other.cu", Outcome.FAILED)]) == {}


def test_host_sources_see_hips_headers(tmp_path: Path) -> None:
    cmake = CMAKE.replace("k.cu", "k.cu host.cpp")
    files = {
        "CMakeLists.txt": cmake,
        "k.cu": KERNEL,
        "host.cpp": "#include <cuda_runtime.h>\nvoid f() { cudaFree(0); }\n",
    }
    after = ported(tmp_path / "a", files).after
    assert b"link_libraries(hip::host)" in (after.read("CMakeLists.txt") or b"")
    after = ported(tmp_path / "b", {**files, "host.cpp": "void f() {}\n"}).after
    assert b"link_libraries(hip::host)" not in (after.read("CMakeLists.txt") or b"")


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("PyTorch 0.4.1", True),
        ("torch==1.3.1\n", True),
        ("PyTorch >= 1.0", True),
        ("torch==1.13.1", False),
        ("torch>=2.0", False),
        ("orchestra 1.0", False),
        ("PyTorch 1.10", False),
    ],
)
def test_old_torch(text: str, old: bool, tmp_path: Path) -> None:
    assert speaks_of_old_torch(Tree(plain(tmp_path, {"README.md": text.encode()}))) is old


def test_the_text_says_what_was_not_checked(tmp_path: Path) -> None:
    port = ported(tmp_path, {"k.cu": "#include <nowhere.h>\n" + KERNEL, "Makefile": MAKEFILE}, verified=True)
    text = pull_request.body(port)
    assert "needs nowhere.h" in text
    assert "what could not be checked (above) may hold more" in text
    assert "was not run here" in text


RECIPE = "CUDA_HOME := $(shell dirname $(shell which nvcc))/..\nk: k.cu\n\t@nvcc -arch=sm_80 -I$(CUDA_HOME)/include -o $@ $<\n"


def test_nvcc_in_a_recipe_makes_a_whole_second_makefile(tmp_path: Path) -> None:
    port = ported(tmp_path, {"Makefile": RECIPE, "k.cu": KERNEL})
    text = (port.after.read("Makefile.rocm") or b"").decode()
    assert "CUDA_HOME := $(ROCM_PATH)\n" in text
    assert "\t@$(HIPCC) -I$(CUDA_HOME)/include -o $@ $<\n" in text
    assert "nvcc" not in text
    assert port.left == []


@pytest.mark.parametrize("more", ["\tnvcc -ptx k.cu\n", "\tsh -c 'x=`nvcc --version`; echo $$x'\n", "#\n" * 200])
def test_what_would_leave_something_of_nvccs_is_not_written(more: str, tmp_path: Path) -> None:
    assert paths(ported(tmp_path, {"Makefile": RECIPE + more, "k.cu": KERNEL})) == set()


def test_a_compiler_that_stands_in_cudas_folder_stays_hipcc(tmp_path: Path) -> None:
    makefile = MAKEFILE.replace("NVCC = nvcc", "NVCC = /usr/local/cuda/bin/nvcc")
    port = ported(tmp_path, {"Makefile": makefile, "k.cu": KERNEL})
    assert (port.after.read("Makefile.rocm") or b"").count(b"override NVCC") == 1
    assert stops(port) == []


def test_host_sources_of_a_makefile_need_hips_headers(tmp_path: Path) -> None:
    host = "#include <cuda_runtime.h>\nvoid f() { cudaFree(0); }\n"
    by_name = MAKEFILE + "host.o: host.cpp\n\tg++ -c host.cpp\n"
    port = ported(tmp_path / "a", {"Makefile": by_name, "k.cu": KERNEL, "host.cpp": host})
    assert any("is compiled without HIP's headers" in text for text in stops(port))
    port = ported(tmp_path / "b", {"Makefile": by_name.replace("g++", "$(CXX)"), "k.cu": KERNEL, "host.cpp": host})
    assert b"CXX := $(CXX) -D__HIP_PLATFORM_AMD__ -Ihip_shim" in (port.after.read("Makefile.rocm") or b"")
    assert stops(port) == []


SHUFFLE = "#include <cuda_runtime.h>\n__global__ void k(float *x) { x[0] += __shfl_xor_sync(0xffffffff, x[0], 1); }\n"
SETUP = (
    "from setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"
    'setup(ext_modules=[CUDAExtension("x", ["a.cu"])], cmdclass={"build_ext": BuildExtension})\n'
)


def test_warp_code_that_only_nvidias_build_compiles_stays(tmp_path: Path) -> None:
    files = {
        "setup.py": SETUP,
        "a.cu": SHUFFLE,
        "b.cu": "#include <helper_cuda.h>\n" + SHUFFLE,
        "bench/CMakeLists.txt": CMAKE.replace("k.cu", "../b.cu"),
    }
    port = ported(tmp_path, files)
    assert paths(port) == {"a.cu", "rewarp_waves.h"}
    assert "bench/CMakeLists.txt" not in paths(port)


def test_cmake_is_called_with_all_that_it_takes(tmp_path: Path) -> None:
    cmake = """cmake_minimum_required(VERSION 3.24)
project(k LANGUAGES CXX)
option(WITH_CUDA "the GPU" OFF)
add_subdirectory(host)
if(WITH_CUDA)
  enable_language(CUDA)
  add_executable(k k.cu)
endif()
"""
    files = {
        "CMakeLists.txt": cmake,
        "k.cu": KERNEL,
        "host/CMakeLists.txt": "add_library(h h.cpp)\n",
        "host/h.cpp": "\n",
    }
    port = ported(tmp_path, files)
    assert "-DUSE_HIP=ON -DWITH_CUDA=ON" in pull_request.body(port)
    assert "host/CMakeLists.txt" not in paths(port)


def test_places_that_are_alike_are_told_once(tmp_path: Path) -> None:
    port = ported(tmp_path, {"Makefile": MAKEFILE, "k.cu": KERNEL})
    alike = [Manual("k.cu", line, PortPhase.BUILD, "change it", "it is odd") for line in (3, 5, 9)]
    assert [item.what for item in pull_request._by_importance(alike, port.left)] == ["change it (and 2 more like it)"]


def test_checks_end_when_their_time_is_up(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"Makefile": MAKEFILE.encode(), "k.cu": KERNEL.encode()}))
    port = engine.port(tree, TARGETS["rocm"], options=PortOptions(checks_until=0.0))
    assert port.proof is not None
    levels = {level.level: level.outcome for level in port.proof.levels}
    assert levels[Level.BUILD] is levels[Level.STATIC] is Outcome.NOT_CHECKED
    assert port.proof.certificate.files
    assert "the time for checks was up" in pull_request.body(port)


IMAGE = "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nRUN apt-get update && apt-get install -y python3\nCOPY . /work\n"


@pytest.mark.parametrize(
    ("more", "comes"),
    [
        ({}, True),
        ({"Makefile": MAKEFILE.replace("nvcc", "nvcc -dlink", 1)}, False),
        ({"Makefile": "all:\n\techo nothing\n"}, True),
        ({"Makefile": MAKEFILE.replace("nvcc", "nvcc -dlink", 1), "train.py": "import torch\n"}, True),
    ],
    ids=["its build is ported", "its build is not", "nothing is built for a GPU", "it is for torch"],
)
def test_an_image_comes_with_what_it_is_to_hold(more: dict[str, str], comes: bool, tmp_path: Path) -> None:
    port = ported(tmp_path, {"k.cu": KERNEL, "Makefile": MAKEFILE, "Dockerfile": IMAGE, **more})
    assert ("Dockerfile.rocm" in paths(port)) is comes
    assert any(item.what == "an image for AMD was not added" for item in port.manual) is not comes


def test_a_macro_that_nobody_gives_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    makefile = "NVCC = nvcc\nk: k.cu\n\t$(NVCC) -DWIDTH=$(WIDTH) -DKEPT=1 -o $@ $<\n"
    kernel = KERNEL.replace("x[0] = 1", "x[WIDTH] = KEPT")
    port = ported(tmp_path, {"Makefile": makefile, "k.cu": kernel}, verified=True)
    assert port.proof is not None
    build = next(level for level in port.proof.levels if level.level is Level.BUILD)
    assert {(check.outcome, check.why.partition(" is ")[0]) for check in build.checks} == {
        (Outcome.NOT_CHECKED, "WIDTH")
    }
    assert "Makefile.rocm" in paths(port)


def test_a_launch_that_asks_for_too_much_is_told_and_stops_no_build(tmp_path: Path) -> None:
    asked = "  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304);\n  return"
    port = ported(tmp_path, {"Makefile": MAKEFILE, "k.cu": KERNEL.replace("return", asked)})
    assert "Makefile.rocm" in paths(port)
    assert [finding.rule for finding in port.left] == ["CU-010"]
    big = KERNEL.replace("x[0] = 1;", "__shared__ float s[32768]; s[0] = 1; x[0] = s[0];")
    assert "Makefile.rocm" not in paths(ported(tmp_path / "static", {"Makefile": MAKEFILE, "k.cu": big}))


def test_a_build_that_was_taken_back_is_not_cited(tmp_path: Path) -> None:
    files = {
        "Makefile": MAKEFILE + "other:\n\tcd other && make\n",
        "k.cu": KERNEL,
    }
    port = ported(tmp_path, files)
    assert stops(port)
    assert all(item.path in files for item in port.manual)


def test_a_makefile_with_windows_ends_of_lines(tmp_path: Path) -> None:
    makefile = "LIBS = -lcudart\r\nk: k.cu\r\n\tnvcc -O3 -arch=sm_80 -o $@ $< $(LIBS)\r\n"
    port = ported(tmp_path, {"Makefile": makefile, "k.cu": KERNEL})
    text = port.after.read("Makefile.rocm") or b""
    assert b"LIBS = -lamdhip64\n" in text
    assert b"\r" not in text


def test_libraries_that_are_one_on_amd_are_linked_once(tmp_path: Path) -> None:
    makefile = "LIBS = -lcudart -lm -lcuda -lm\nk: k.cu\n\tnvcc -O3 -arch=sm_80 -o $@ $< $(LIBS)\n"
    port = ported(tmp_path, {"Makefile": makefile, "k.cu": KERNEL})
    assert b"LIBS = -lamdhip64 -lm -lm\n" in (port.after.read("Makefile.rocm") or b"")


OTHER = "#include <cublas_v2.h>\nvoid f() { cublasHandle_t h; cublasCreate(&h); }\n"


def test_the_text_names_first_what_ends_the_build(tmp_path: Path) -> None:
    files = {
        "Makefile": MAKEFILE.replace("nvcc", "nvcc -dlink", 1) + "profile:\n\tsudo ncu -o p ./k\n",
        "k.cu": KERNEL,
        "unused/blas.cu": OTHER,
        "old.py": "print 'python 2'\n",
    }
    text = pull_request.body(ported(tmp_path, files, verified=True))
    why = text.partition("## Why")[2].partition("## What is proved")[0]
    assert "ncu" not in why.partition("\n- ")[2].partition("\n")[0]
    assert "blas.cu" not in why
    assert "`unused/blas.cu:1` (no build here compiles it)" in text
    assert "old.py" not in text, "it could not be parsed before"


@pytest.mark.parametrize(
    ("more", "said"), [({}, "The program itself"), ({"tests/test_k.py": ""}, "The project's own tests")]
)
def test_the_text_says_how_to_build_and_try_it(more: dict[str, str], said: str, tmp_path: Path) -> None:
    kernel = KERNEL.replace("int main", "int main ").encode()
    files = {"k.cu": kernel, "README.md": b"read\n", **{path: text.encode() for path, text in more.items()}}
    options = PortOptions(Approach.COMMITTED)
    port = engine.port(Tree(plain(tmp_path, files)), TARGETS["rocm"], phases=UNTESTED, options=options)
    text = pull_request.body(port)
    assert "`hipcc -o k k.hip` is to build it" in text
    assert said in text


ORPHAN = KERNEL.replace("int main", "int rain")
SCRIPTED = {"build.sh": "nvcc -o k k.cu\n", "k.cu": KERNEL, "examples/forum.cu": KERNEL}


@pytest.mark.parametrize(
    ("files", "builds"),
    [
        ({"k.cu": KERNEL, "README.md": "read\n"}, False),
        (SCRIPTED, False),
        ({"Makefile": MAKEFILE, "k.cu": KERNEL}, True),
        ({"Makefile": MAKEFILE, "k.cu": KERNEL, "old/forum.cu": ORPHAN}, True),
    ],
    ids=["no build", "a shell script builds", "a build is told", "one of them is an orphan"],
)
def test_only_what_a_build_takes_is_written(files: dict[str, str], builds: bool, tmp_path: Path) -> None:
    changed = paths(ported(tmp_path, files))
    assert ("Makefile.rocm" in changed) is builds
    assert bool(changed) is builds
    assert not any(path.startswith(("old/", "examples/")) for path in changed)


def test_the_text_does_not_contradict_itself(tmp_path: Path) -> None:
    files = {
        "Dockerfile": "FROM nvidia/cuda:12.4.1-base-ubuntu22.04\nRUN strange thing\n",
        "train.py": "import torch\n",
    }
    text = pull_request.body(ported(tmp_path, files))
    assert "Nothing stops it on AMD ROCm; 1 place gives wrong results there or leaves the GPU idle" in text
    assert "1 place that does not stop it" in text


def test_an_example_alone_is_not_ported(tmp_path: Path) -> None:
    own = {"Makefile": MAKEFILE, "k.cu": "#include <helper_cuda.h>\n" + KERNEL, "Dockerfile": IMAGE}
    example = {"examples/Makefile": MAKEFILE, "examples/k.cu": KERNEL}
    port = ported(tmp_path / "a", {**own, **example})
    assert paths(port) == set()
    assert any(item.path == "examples/Makefile" and "comes first" in item.why for item in port.manual)
    beside = ported(tmp_path / "b", {**own, "lib/Makefile": MAKEFILE, "lib/k.cu": KERNEL})
    assert "lib/Makefile.rocm" in paths(beside)
    assert "Dockerfile.rocm" not in paths(beside), "not all that it is to hold is built for AMD"


def test_a_name_that_is_newer_than_the_headers_here_is_not_checked(tmp_path: Path) -> None:
    kernel = KERNEL.replace("return cudaDeviceSynchronize()", "return cudaEventRecordWithFlags(nullptr, nullptr, 0)")
    port = ported(tmp_path, {"Makefile": MAKEFILE, "k.cu": kernel}, verified=True)
    assert port.proof is not None
    build = next(level for level in port.proof.levels if level.level is Level.BUILD)
    version = str(build.provenance["compilers"][0]["hip"]) if "compilers" in build.provenance else "6.2"
    if [int(part) for part in version.split(".")[:2]] < [6, 4]:
        assert {check.why.partition(",")[0] for check in build.checks} == {
            "hipEventRecordWithFlags is there since HIP 6.4"
        }
    assert Outcome.FAILED not in {check.outcome for check in build.checks}
    assert "Makefile.rocm" in paths(port)


@pytest.mark.parametrize(
    "cmake",
    [
        "find_package(CUDA)\nif(CUDA_FOUND)\n  cuda_add_executable(k k.cu)\nelse()\n  add_executable(k k.cpp)\nendif()\n",
        "include(CheckLanguage)\ncheck_language(CUDA)\nif(CMAKE_CUDA_COMPILER)\n  enable_language(CUDA)\n"
        "  add_executable(k k.cu)\nendif()\n",
    ],
    ids=["package", "language"],
)
def test_a_build_that_leaves_the_gpu_out_without_cuda_gets_hip(cmake: str, tmp_path: Path) -> None:
    text = f"cmake_minimum_required(VERSION 3.24)\nproject(k LANGUAGES CXX)\n{cmake}"
    port = ported(tmp_path, {"CMakeLists.txt": text, "k.cu": KERNEL, "k.cpp": "int main() { return 0; }\n"})
    assert paths(port) == {"CMakeLists.txt", "hip_shim/cuda_runtime.h", "hip_shim/cuda_to_hip.h"}
    assert not port.left
    hip = read_top(port.after.files, ROCM, "CMakeLists.txt")
    assert [(unit.source, unit.language) for unit in hip.units] == [("k.cu", "HIP")]


def test_a_quote_within_a_definition_is_part_of_it(tmp_path: Path) -> None:
    cmake = CMAKE + 'target_compile_definitions(k PRIVATE FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/a b")\n'
    port = ported(tmp_path, {"CMakeLists.txt": cmake, "k.cu": KERNEL})
    (unit,) = read_top(port.after.files, ROCM, "CMakeLists.txt").units
    assert [given.text for given in unit.defines] == ['FOLDER="/project/a b"']


def test_sources_that_are_called_cuda_are_called_hip(tmp_path: Path) -> None:
    makefile = "NVCC = nvcc\nFLAGS = \\\n\t-arch=sm_80 \\\n\nk: k.o\n\t$(NVCC) -o $@ $^\n%.o: %.cpp\n\t$(NVCC) -x cu $(FLAGS) -c $< -o $@\n"
    port = ported(tmp_path, {"Makefile": makefile, "k.cpp": KERNEL})
    text = port.after.read("Makefile.rocm") or b""
    assert b"$(NVCC) -x hip $(FLAGS) -c $< -o $@" in text
    assert b"sm_80" not in text


def test_sources_that_make_looks_for_are_found(tmp_path: Path) -> None:
    makefile = MAKEFILE.replace("k: k.cu", "SRCS := $(shell find src -name '*.cu')\nk: $(SRCS)").replace("$<", "$^")
    port = ported(tmp_path, {"Makefile": makefile, "src/k.cu": KERNEL, "src/deep/l.cu": KERNEL})
    assert {"Makefile.rocm", "hip_shim/cuda_to_hip.h"} <= paths(port)


def test_a_source_that_no_build_compiles_is_not_respelled(tmp_path: Path) -> None:
    spaced = KERNEL.replace("return cuda", "k<< <1, 1 >> >(0); return cuda")
    port = ported(tmp_path, {"CMakeLists.txt": CMAKE, "k.cu": spaced, "templates/t.cu": spaced})
    assert "k.cu" in paths(port)
    assert "templates/t.cu" not in paths(port)


def test_sources_are_not_respelled_for_a_build_that_is_not_there(tmp_path: Path) -> None:
    spaced = KERNEL.replace("return cuda", "k<< <1, 1 >> >(0); return cuda")
    cmake = "cmake_minimum_required(VERSION 3.24)\nproject(k LANGUAGES CXX CUDA)\nelsewhere(k)\n"
    port = ported(tmp_path, {"CMakeLists.txt": cmake, "k.cu": spaced})
    assert not paths(port)
    assert "CMakeLists.txt" in {item.path for item in port.manual}


def test_what_a_target_alone_hands_on_is_changed_as_well(tmp_path: Path) -> None:
    port = ported(tmp_path, {"Makefile": MAKEFILE + "debug: NVCCFLAGS += -lineinfo -g\ndebug: k\n", "k.cu": KERNEL})
    text = port.after.read("Makefile.rocm") or b""
    assert b"\ndebug: NVCCFLAGS += -gline-tables-only -g\n" in text
    assert b"include Makefile" not in text
    plain = ported(tmp_path / "plain", {"Makefile": MAKEFILE + "debug: NVCCFLAGS += -g\ndebug: k\n", "k.cu": KERNEL})
    assert b"include Makefile" in (plain.after.read("Makefile.rocm") or b"")


@pytest.mark.parametrize("lower", ["A-Z a-z", "'[:upper:]' '[:lower:]'", "[:upper:] [:lower:]"])
def test_what_is_for_another_system_is_passed_by(lower: str, tmp_path: Path) -> None:
    makefile = (
        "NVCC = nvcc\nOS := $(shell uname 2>/dev/null | tr " + lower + ")\nFLAGS = -O3\n"
        "ifeq ($(OS),darwin)\nFLAGS += -arch $(ARCH)\nendif\nk: k.cu\n\t$(NVCC) $(FLAGS) -o $@ $<\n"
    )
    port = ported(tmp_path, {"Makefile": makefile, "k.cu": KERNEL})
    assert "Makefile.rocm" in paths(port), stops(port)


@pytest.mark.parametrize(
    ("asked", "followed"),
    [
        ("which nvcc", True),
        ("command -v nvcc 2>/dev/null", True),
        ("which nvcc | head -1", False),
        ("locate nvcc", False),
    ],
)
def test_a_compiler_is_known_where_the_makefile_asks_where_it_is(asked: str, followed: bool, tmp_path: Path) -> None:
    makefile = (
        f"export NVCC := $(shell {asked})\nFLAGS = -O3 -Xptxas -O3 -lineinfo\nk: k.cu\n\t@$(NVCC) $(FLAGS) -o $@ $<\n"
    )
    port = ported(tmp_path, {"Makefile": makefile, "k.cu": KERNEL})
    assert ("Makefile.rocm" in paths(port)) is followed, stops(port)
    # Of `-Xptxas -O3` the second word stands by itself, too, and hipcc takes it.
    text = (port.after.read("Makefile.rocm") or b"").decode()
    assert ("filter-out -Xptxas,$(FLAGS)" in text) is followed
