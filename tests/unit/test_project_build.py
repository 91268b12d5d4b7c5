"""What a project's build files come to on NVIDIA and on ROCm; CMake builds are held against CMake itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cmake_machine import configure

from rewarp.project.build import Build, BuildUnit, read_build
from rewarp.project.build.settings import setting_of
from rewarp.project.build.switches import platform_of
from rewarp.project.gates import GAUDI, NVIDIA, ROCM, Platform
from rewarp.workspace import Folder


def written(folder: Path, files: dict[str, str]) -> Folder:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return Folder(folder, everything=True)


def units(build: Build) -> dict[str, BuildUnit]:
    return {unit.source: unit for unit in build.units}


def languages(tree: Folder, platform: Platform) -> dict[str, str | None]:
    return {unit.source: unit.language for unit in read_build(tree, platform).units}


# --- CMake ----------------------------------------------------------------------------------

SWITCHED = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.21)
project(k LANGUAGES CXX)
option(K_CUDA "for NVIDIA" ON)
option(K_HIP "for AMD" OFF)
set(SOURCES main.cpp)
if(K_HIP)
  enable_language(HIP)
  find_package(hip REQUIRED)
  list(APPEND SOURCES gpu.cu amd.hip)
  set_source_files_properties(gpu.cu PROPERTIES LANGUAGE HIP)
elseif(K_CUDA)
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  list(APPEND SOURCES gpu.cu nvidia.cu)
endif()
add_library(k STATIC ${SOURCES})
target_include_directories(k PRIVATE include)
if(K_HIP)
  target_compile_definitions(k PRIVATE USE_HIP)
  target_link_libraries(k PRIVATE hip::device)
else()
  target_link_libraries(k PRIVATE CUDA::cudart)
endif()
""",
    **dict.fromkeys(("main.cpp", "gpu.cu", "amd.hip", "nvidia.cu"), ""),
}
OF_TORCH = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.21)
project(ops LANGUAGES CXX)
set(TARGET_DEVICE "cuda" CACHE STRING "what to build for")
find_package(Torch REQUIRED)
if(TARGET_DEVICE STREQUAL "cuda" OR TARGET_DEVICE STREQUAL "rocm")
  if(NOT HIP_FOUND AND CUDA_FOUND)
    set(GPU_LANG "CUDA")
  elseif(HIP_FOUND)
    set(GPU_LANG "HIP")
    enable_language(HIP)
  else()
    message(FATAL_ERROR "neither")
  endif()
endif()
set(SOURCES ops.cpp)
if(GPU_LANG STREQUAL "CUDA")
  list(APPEND SOURCES only_cuda.cu)
endif()
add_library(ops MODULE ${SOURCES})
target_compile_definitions(ops PRIVATE $<$<STREQUAL:${GPU_LANG},HIP>:USE_ROCM>)
""",
    **dict.fromkeys(("ops.cpp", "only_cuda.cu"), ""),
}
VALUED = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.21)
set(BACKEND "cpu" CACHE STRING "cpu, cuda or hip")
set_property(CACHE BACKEND PROPERTY STRINGS cpu cuda hip)
project(v LANGUAGES CXX)
if(BACKEND STREQUAL "cuda")
  enable_language(CUDA)
  add_executable(v v.cpp k.cu)
elseif(BACKEND STREQUAL "hip")
  enable_language(HIP)
  add_executable(v v.cpp k.hip)
else()
  add_executable(v v.cpp)
endif()
""",
    **dict.fromkeys(("v.cpp", "k.cu", "k.hip"), ""),
}
PROJECTS = {"switched": SWITCHED, "of torch": OF_TORCH, "valued": VALUED}


@pytest.mark.parametrize("platform", [NVIDIA, ROCM], ids=lambda platform: platform.name)
@pytest.mark.parametrize("name", sorted(PROJECTS))
def test_a_platform_s_build_is_the_one_that_cmake_configures(name: str, platform: Platform, tmp_path: Path) -> None:
    tree = written(tmp_path / "project", PROJECTS[name])
    build = read_build(tree, platform)
    setting = setting_of(platform)
    real = configure(
        tree.root,
        tmp_path,
        languages=[language for language, there in setting.compilers.items() if there],
        absent=[package for package, there in setting.packages.items() if not there],
        brought=setting.brought,
        variables=setting.variables,
        switches={
            "CMAKE_CUDA_ARCHITECTURES": "75",
            "CMAKE_HIP_ARCHITECTURES": "gfx942",
            **{switch.name: switch.value for switch in build.switches},
        },
    )
    ours = {
        (unit.target, unit.source): (unit.language, frozenset(define.text for define in unit.defines))
        for unit in build.units
    }
    assert ours == {key: (unit.language, unit.defines) for key, unit in real.items()}
    assert all(unit.conditions == () for unit in build.units)


def test_a_project_s_own_switches_are_set_and_said(tmp_path: Path) -> None:
    tree = written(tmp_path, SWITCHED)
    amd = read_build(tree, ROCM)
    assert [(switch.name, switch.value) for switch in amd.switches] == [("K_CUDA", "OFF"), ("K_HIP", "ON")]
    assert amd.switches[1].reason == ("CMakeLists.txt", 4)
    assert languages(tree, ROCM) == {"main.cpp": "CXX", "gpu.cu": "HIP", "amd.hip": "HIP"}
    assert languages(tree, NVIDIA) == {"main.cpp": "CXX", "gpu.cu": "CUDA", "nvidia.cu": "CUDA"}
    assert languages(tree, GAUDI) == {"main.cpp": "CXX"}
    assert units(amd)["amd.hip"].reason == ("CMakeLists.txt", 16)


def test_a_build_that_needs_cuda_is_refused_on_rocm(tmp_path: Path) -> None:
    tree = written(tmp_path, {"CMakeLists.txt": "project(k LANGUAGES CXX CUDA)\nadd_library(k k.cu)\n", "k.cu": ""})
    build = read_build(tree, ROCM)
    assert build.units == ()
    assert build.refusals == ((("CMakeLists.txt", 1), "there is no compiler for CUDA"),)
    assert languages(tree, NVIDIA) == {"k.cu": "CUDA"}


def test_sources_of_findcuda_are_cuda_though_the_language_is_not_enabled(tmp_path: Path) -> None:
    text = "project(k)\nfind_package(CUDA REQUIRED)\ncuda_add_library(k k.cu host.cpp OPTIONS -O3)\ncuda_compile(O l.cu)\nadd_library(l ${O} m.cpp)\n"
    tree = written(tmp_path, {"CMakeLists.txt": text, **dict.fromkeys(("k.cu", "l.cu", "host.cpp", "m.cpp"), "")})
    assert languages(tree, NVIDIA) == {"k.cu": "CUDA", "l.cu": "CUDA", "host.cpp": "CXX", "m.cpp": "CXX"}


def test_what_the_build_translates_first_is_the_cuda_source(tmp_path: Path) -> None:
    text = (
        "cmake_minimum_required(VERSION 3.21)\nproject(k LANGUAGES CXX)\nfind_package(Torch REQUIRED)\nif(HIP_FOUND)\n"
        "enable_language(HIP)\nadd_library(k ${CMAKE_CURRENT_BINARY_DIR}/csrc/k.hip ${CMAKE_CURRENT_BINARY_DIR}/csrc/hip_view.hip)\n"
        "endif()\n"
    )
    tree = written(tmp_path, {"CMakeLists.txt": text, "csrc/k.cu": "", "csrc/cuda_view.cu": ""})
    assert {(unit.source, unit.hipified) for unit in read_build(tree, ROCM).units} == {
        ("csrc/k.cu", True),
        ("csrc/cuda_view.cu", True),
    }


def test_a_variable_that_the_files_ask_for_and_nobody_sets_is_given(tmp_path: Path) -> None:
    text = 'project(k)\nif(NOT K_PYTHON)\nmessage(FATAL_ERROR "set K_PYTHON")\nendif()\nadd_library(k a.cpp)\n'
    build = read_build(written(tmp_path, {"CMakeLists.txt": text, "a.cpp": ""}), NVIDIA)
    assert (build.given, build.refusals) == (("K_PYTHON",), ())
    assert units(build)["a.cpp"].conditions == ()


@pytest.mark.parametrize(
    ("name", "platform"),
    [
        ("USE_ROCM", "rocm"),
        ("GGML_HIP", "rocm"),
        ("FAISS_ENABLE_ROCM", "rocm"),
        ("BUILD_HIP_BACKEND", "rocm"),
        ("LLAMA_HIPBLAS", "rocm"),
        ("NO_CUDA", "nvidia"),
        ("WITH_CUDA", "nvidia"),
        ("ESSENTIALS_NVIDIA_BACKEND", "nvidia"),
        ("GGML_CUDA_FORCE_CUBLAS", None),
        ("GGML_HIP_GRAPHS", None),
        ("CUDA_ARCH_LIST", None),
        ("USE_SHIPPED_LIBRARY", None),
        ("RELATIONSHIP", None),
        ("x" * 5000 + "_HIP", None),
    ],
)
def test_which_names_are_switches_for_a_platform(name: str, platform: str | None) -> None:
    assert platform_of(name) == platform


# --- Make, Meson, Cargo, databases ----------------------------------------------------------

MAKEFILE = """
NVCC ?= nvcc
CFLAGS := -O3 -DN=4 -Iinclude
SRC = $(wildcard src/*.cu) main.c
OBJ = $(patsubst src/%.cu,obj/%.o,$(filter %.cu,$(SRC))) main.o
ifdef DEBUG
CFLAGS += -DDEBUG
endif
all: app tool
app: $(OBJ)
\t$(NVCC) -o $@ $^
obj/%.o: src/%.cu
\t@mkdir -p obj && $(NVCC) $(CFLAGS) -c $< -o $@
tool: tool.cpp
\tg++ $(CFLAGS) \\
\t  tool.cpp -o tool
clean:
\trm -f app
"""


def test_a_makefile_s_rules_are_followed(tmp_path: Path) -> None:
    files = dict.fromkeys(("src/a.cu", "src/b.cu", "src/deep/c.cu", "main.c", "tool.cpp", "unused.cu"), "")
    tree = written(tmp_path, {"Makefile": MAKEFILE, **files})
    found = units(read_build(tree, NVIDIA))
    assert {path: unit.language for path, unit in found.items()} == {
        "src/a.cu": "CUDA",
        "src/b.cu": "CUDA",
        "main.c": "C",
        "tool.cpp": "CXX",
    }
    assert found["src/a.cu"].reason == ("Makefile", 13)
    assert [define.text for define in found["src/a.cu"].defines] == ["N=4"]
    assert [include.text for include in found["src/a.cu"].includes] == ["include"]
    amd = read_build(tree, ROCM)
    assert set(units(amd)) == {"main.c", "tool.cpp"}
    assert amd.refusals == ((("Makefile", 13), "nvcc is not there"),)


def test_a_makefile_for_amd_is_the_one_for_rocm(tmp_path: Path) -> None:
    both = {"Makefile": "a: a.cu\n\tnvcc -o a a.cu\n", "Makefile.hip": "a: a.cu\n\thipcc -o a a.cu\n", "a.cu": ""}
    tree = written(tmp_path, both)
    assert (languages(tree, NVIDIA), languages(tree, ROCM)) == ({"a.cu": "CUDA"}, {"a.cu": "HIP"})
    assert read_build(tree, ROCM).systems == ("Makefile.hip",)


def test_a_switch_of_a_makefile_is_given_and_what_is_not_known_is_a_condition(tmp_path: Path) -> None:
    text = (
        "ifdef USE_HIP\nCC = hipcc\nelse\nCC = nvcc\nendif\nifeq ($(shell arch-of),Linux)\nb: b.cu\n\t$(CC) b.cu\nendif\n"
        "a: a.cu\n\t$(CC) a.cu\n"
    )
    tree = written(tmp_path, {"Makefile": text, "a.cu": "", "b.cu": ""})
    amd = read_build(tree, ROCM)
    assert [(switch.name, switch.value, switch.reason) for switch in amd.switches] == [
        ("USE_HIP", "1", ("Makefile", 1))
    ]
    assert units(amd)["a.cu"].language == "HIP"
    assert units(amd)["b.cu"].conditions == ("ifeq ($(shell arch-of),Linux)",)
    assert languages(tree, NVIDIA) == {"a.cu": "CUDA", "b.cu": "CUDA"}


def test_targets_with_a_folder_and_sources_that_only_a_shell_knows(tmp_path: Path) -> None:
    text = "all: ./a.o prog\n./a.o: ./a.cu\n\tnvcc -c ./a.cu -o ./a.o\nS = $(shell ./sources.sh)\nprog: $(S:.cu=.o)\n\tnvcc $^\n"
    build = read_build(written(tmp_path, {"Makefile": text, "a.cu": "", "src/b.cu": ""}), NVIDIA)
    assert set(units(build)) == {"a.cu"}
    assert build.unread == ((("Makefile", 5), "what prog is made of is not known"),)


def test_a_makefile_without_end_is_said(tmp_path: Path) -> None:
    doubling = (
        "A0 = xxxxxxxx\n" + "".join(f"A{n + 1} = $(A{n})$(A{n})\n" for n in range(60)) + "a: a.cu\n\tnvcc $(A60) a.cu\n"
    )
    build = read_build(written(tmp_path, {"Makefile": doubling, "a.cu": ""}), NVIDIA)
    assert build.units == ()
    assert [reason for reason, _ in build.unread] == [("Makefile", 1)]


def test_a_database_speaks_for_the_build_that_wrote_it(tmp_path: Path) -> None:
    entries = [
        {"directory": "build", "file": "../a.cu", "command": "nvcc -DA=1 -I../inc -c ../a.cu"},
        {"directory": "build", "file": "../b.cpp", "arguments": ["/opt/rocm/bin/hipcc", "-x", "hip", "-c", "../b.cpp"]},
        {"directory": "build", "file": "../gone.cu", "command": "nvcc -c ../gone.cu"},
    ]
    tree = written(tmp_path, {"compile_commands.json": json.dumps(entries), "a.cu": "", "b.cpp": ""})
    assert languages(tree, NVIDIA) == {"a.cu": "CUDA"}
    assert languages(tree, ROCM) == {"b.cpp": "HIP"}
    unit = units(read_build(tree, NVIDIA))["a.cu"]
    assert ([d.text for d in unit.defines], [i.text for i in unit.includes]) == (["A=1"], ["inc"])
    broken = written(tmp_path / "broken", {"compile_commands.json": "[{"})
    assert read_build(broken, NVIDIA).unread


def test_meson_s_targets_with_the_conditions_around_them(tmp_path: Path) -> None:
    text = "project('m', 'cpp')\nsrc = ['a.cpp']\nsrc += ['b.cpp']\nif get_option('cuda')\n  executable('g', 'g.cu', src, install: true)\nendif\n"
    tree = written(tmp_path, {"meson.build": text, **dict.fromkeys(("a.cpp", "b.cpp", "g.cu"), "")})
    found = units(read_build(tree, NVIDIA))
    assert set(found) == {"a.cpp", "b.cpp", "g.cu"}
    assert found["g.cu"].conditions == ("get_option('cuda')",)
    assert "g.cu" not in units(read_build(tree, ROCM))


def test_kernels_of_a_build_script_are_for_nvidia(tmp_path: Path) -> None:
    text = 'fn main() {\n    let b = bindgen_cuda::Builder::default()\n        .kernel_paths(vec!["src/k.cu"]);\n    b.build_ptx().unwrap();\n}\n'
    tree = written(tmp_path, {"kernels/build.rs": text, "kernels/Cargo.toml": "", "kernels/src/k.cu": ""})
    (unit,) = read_build(tree, NVIDIA).units
    assert (unit.source, unit.system, unit.reason) == ("kernels/src/k.cu", "cargo", ("kernels/build.rs", 3))
    assert read_build(tree, ROCM).refusals == ((("kernels/build.rs", 1), "nvcc is not there"),)


def test_a_tree_is_read_once(tmp_path: Path) -> None:
    tree = written(tmp_path, SWITCHED)
    assert read_build(tree, ROCM) is read_build(tree, ROCM)


def test_override_wins_over_what_is_included_later(tmp_path: Path) -> None:
    files = {
        "Makefile": "NVCC = nvcc\nk: k.cu\n\t$(NVCC) -o $@ $<\n",
        "Makefile.rocm": "override NVCC = hipcc\ninclude Makefile\n",
        "k.cu": "",
    }
    tree = written(tmp_path, files)
    assert languages(tree, ROCM) == {"k.cu": "HIP"}
    assert languages(tree, NVIDIA) == {"k.cu": "CUDA"}


def test_targets_of_a_directory_are_asked_for(tmp_path: Path) -> None:
    text = """cmake_minimum_required(VERSION 3.21)
project(k LANGUAGES CXX HIP)
add_executable(k k.cu main.cpp)
get_property(names DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
foreach(name IN LISTS names)
  get_target_property(sources ${name} SOURCES)
  list(FILTER sources INCLUDE REGEX "cu$")
  set_source_files_properties(${sources} PROPERTIES LANGUAGE HIP)
endforeach()
"""
    tree = written(tmp_path, {"CMakeLists.txt": text, "k.cu": "", "main.cpp": ""})
    assert languages(tree, ROCM) == {"k.cu": "HIP", "main.cpp": "CXX"}
