"""Which files are compiled, with whose flags, and where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rewarp.errors import UsageError
from rewarp.verify.build.flags import Flags
from rewarp.verify.build.includes import IncludeGraph
from rewarp.verify.build.launches import Launch, find_launches
from rewarp.verify.build.staging import staged
from rewarp.verify.build.units import CompileUnit, Tree, read_tree

CUDA = "#include <cuda_runtime.h>\n__global__ void k() {}\nvoid f(void **p) { cudaMalloc(p, 4); }\n"
HIP = "#include <hip/hip_runtime.h>\n__global__ void k() {}\nvoid f(void **p) { hipMalloc(p, 4); }\n"


_SETUP = """from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="x",
    ext_modules=[CUDAExtension("x", ["c.cu"], define_macros=[("SETUP", None)])],
    cmdclass={"build_ext": BuildExtension},
)
"""


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def paths(tree: Tree) -> list[str]:
    return [unit.path for unit in tree.units]


def unit(tree: Tree, path: str) -> CompileUnit:
    return next(unit for unit in tree.units if unit.path == path)


def test_units_are_sources_with_device_code(tmp_path: Path) -> None:
    files = {
        "a.cu": CUDA,
        "b.hip": HIP,
        "c.cpp": HIP,
        "host.cpp": "#include <hip/hip_runtime.h>\nint main() {}\n",
        "plain.cpp": "__global__ is only a word here\n",
        "d.cuh": CUDA,
        "e.h": HIP,
        "part.cu": CUDA,
        "whole.cu": '#include "part.cu"\n',
        "kernel.hip": HIP,
        "kernel.cu": CUDA,
    }
    tree = read_tree(write(tmp_path, files))
    assert paths(tree) == ["a.cu", "b.hip", "c.cpp", "kernel.hip", "whole.cu"]
    reasons = {"kernel.cu": "its translation kernel.hip stands beside it", "part.cu": "other files include it"}
    assert dict(tree.set_aside) == reasons


def test_a_single_file_is_a_unit_whatever_its_folder_holds(tmp_path: Path) -> None:
    write(tmp_path, {"part.cu": CUDA, "whole.cu": '#include "part.cu"\n'})
    assert paths(read_tree(tmp_path / "part.cu")) == ["part.cu"]


def test_a_single_file_belongs_to_the_repository_around_it(tmp_path: Path) -> None:
    files = {
        "csrc/a.cu": '#include "x.cuh"\n',
        "include/x.cuh": "",
        "Makefile": "CFLAGS = -DMAKE\n",
        ".git": "gitdir: x",
    }
    (found,) = read_tree(write(tmp_path, files) / "csrc/a.cu").units
    assert (found.path, found.flags.options, found.guessed) == ("csrc/a.cu", ("-DMAKE",), (tmp_path / "include",))


def test_around_a_single_file_elsewhere_only_its_folder_counts(tmp_path: Path) -> None:
    files = {
        "a.cu": CUDA + '#include "sub/y.cuh"\n#include "x.cuh"\n',
        "sub/y.cuh": CUDA,
        "sub/x.cuh": "",
        "b.cu": CUDA,
    }
    tree = read_tree(write(tmp_path, files) / "a.cu")
    assert tree.files == ("a.cu", "b.cu")
    with staged(tree) as (translated, units):
        base = translated.base
        assert [unit.unit.guessed for unit in units] == [()]
        assert "hipMalloc" in (base / "sub/y.cuh").read_text()


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        read_tree(tmp_path / "nothing")


def test_the_build_file_that_names_a_source_speaks_for_it(tmp_path: Path) -> None:
    database = [{"directory": str(tmp_path), "file": "a.cu", "command": "nvcc -DFROM_DATABASE -c a.cu"}]
    files = {
        "a.cu": CUDA,
        "b.cu": CUDA,
        "deep/d.cu": CUDA,
        "build/compile_commands.json": json.dumps(database),
        "CMakeLists.txt": "project(x CUDA)\nadd_definitions(-DFOLDER)\nadd_library(x b.cu a.cu)\n"
        "target_compile_definitions(x PRIVATE CMAKE)\n",
        "more/setup.py": _SETUP,
        "more/c.cu": CUDA,
        "deep/Makefile": "CFLAGS = -DMAKE",
        ".gitignore": "build/\n",
    }
    tree = read_tree(write(tmp_path, files), Flags(options=("-DEXTRA",)))
    found = {unit.path: (unit.flags.origin, unit.flags.options) for unit in tree.units}
    assert found == {
        "a.cu": ("build/compile_commands.json", ("-DFROM_DATABASE", "-DEXTRA")),
        "b.cu": ("CMakeLists.txt", ("-DCMAKE", "-DFOLDER", "-DEXTRA")),
        "deep/d.cu": ("deep/Makefile", ("-DMAKE", "-DEXTRA")),
        "more/c.cu": ("more/setup.py", ("-DSETUP", "-DUSE_ROCM=1", "-D__HIP_PLATFORM_AMD__=1", "-DEXTRA")),
    }


CMAKE = """cmake_minimum_required(VERSION 3.21)
project(demo LANGUAGES CXX)
option(USE_CUDA "NVIDIA" ON)
option(USE_ROCM "AMD" OFF)
option(WITH_FAST "fast" ON)
if(USE_ROCM)
  enable_language(HIP)
else()
  enable_language(CUDA)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_HIP_STANDARD 17)
find_package(Magma)
include_directories(common)
add_definitions(-DALL)
add_library(demo STATIC a.cu host.cpp)
set_source_files_properties(host.cpp PROPERTIES LANGUAGE HIP COMPILE_DEFINITIONS HOST)
if(USE_ROCM)
  set_source_files_properties(a.cu PROPERTIES LANGUAGE HIP)
  target_compile_definitions(demo PRIVATE ROCM)
else()
  target_sources(demo PRIVATE only.cu)
  target_compile_definitions(demo PRIVATE CUDA)
endif()
target_include_directories(demo PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/inc> $<INSTALL_INTERFACE:include>)
target_compile_options(demo PRIVATE $<$<COMPILE_LANGUAGE:CUDA,HIP>:--use_fast_math> $<$<COMPILE_LANGUAGE:CXX>:-DCXX>)
if(WITH_FAST)
  target_compile_definitions(demo PRIVATE FAST=1)
endif()
if(Magma_FOUND)
  target_compile_definitions(demo PRIVATE WITH_MAGMA)
  target_include_directories(demo PRIVATE perhaps)
endif()
set_target_properties(demo PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
"""


def test_a_unit_has_the_flags_of_the_build_for_rocm_else_nvidia_s(tmp_path: Path) -> None:
    sources = dict.fromkeys(("a.cu", "only.cu", "host.cpp"), CUDA)
    tree = read_tree(write(tmp_path, {"CMakeLists.txt": CMAKE, **sources}))
    assert paths(tree) == ["a.cu", "host.cpp", "only.cu"]
    # CMake hands CUDA_SEPARABLE_COMPILATION to nvcc alone.
    for name, own in (("a.cu", {"-DROCM", "-std=c++17"}), ("only.cu", {"-DCUDA", "-std=c++20", "-fgpu-rdc"})):
        flags = unit(tree, name).flags
        assert set(flags.options) == {*own, "-DFAST=1", "-DALL", "-ffast-math"}
        assert flags.includes == (tmp_path / "common", tmp_path / "inc", tmp_path / "perhaps")
        assert flags.undecided == ("-DWITH_MAGMA",)
    assert "-DHOST" in unit(tree, "host.cpp").flags.options


def test_a_makefile_without_flags_hides_no_other_build_file(tmp_path: Path) -> None:
    files = {"a.cu": CUDA, "Makefile": "lint:\n\truff check\n", "CMakeLists.txt": "add_definitions(-DFOLDER)\n"}
    assert unit(read_tree(write(tmp_path, files)), "a.cu").flags.options == ("-DFOLDER",)


# --- includes -------------------------------------------------------------------------------


def test_folders_that_nobody_names_are_found(tmp_path: Path) -> None:
    files = {
        "src/a.cu": '#include "lib/x.h"\n#include <own/y.h>\n#include <string.h>\n#include <cuda_fp16.h>\n#include "two.h"\n',
        "include/lib/x.h": '#include "z.h"\n',
        "include/lib/z.h": "",
        "third/own/y.h": "",
        "odd/string.h": "",
        "odd/cuda_fp16.h": "",
        "one/two.h": "",
        "two/two.h": "",
    }
    root = write(tmp_path, files)
    graph = IncludeGraph(root / name for name in files)
    reach = graph.reach(root / "src/a.cu", ())
    assert set(reach.guessed) == {root / "include", root / "third"}
    reached = {"src/a.cu", "include/lib/x.h", "include/lib/z.h", "third/own/y.h"}
    assert reach.files == {root / name for name in reached}


def test_known_folders_go_before_guesses_and_rings_end(tmp_path: Path) -> None:
    files = {"a.cu": '#include "x.h"\n', "here/x.h": '#include "../a.cu"\n#include "x.h"\n', "there/x.h": ""}
    root = write(tmp_path, files)
    reach = IncludeGraph(root / name for name in files).reach(root / "a.cu", (root / "here",))
    assert reach.guessed == ()
    assert reach.files == {root / "a.cu", root / "here/x.h"}


# --- staging --------------------------------------------------------------------------------


def test_cuda_is_translated_elsewhere_and_hip_stays(tmp_path: Path) -> None:
    files = {
        "csrc/a.cu": '#include "common.cuh"\n' + CUDA,
        "csrc/common.cuh": "inline void g(void *p) { cudaFree(p); }\n",
        "hip/b.hip": HIP,
        "hip/c.cu": HIP,
        "CMakeLists.txt": "include_directories(csrc)\n",
    }
    tree = read_tree(write(tmp_path, files))
    with staged(tree) as (translated, units):
        base = translated.base
        by_path = {unit.unit.path: unit for unit in units}
        moved = by_path["csrc/a.cu"]
        assert moved.translated
        assert moved.source == base / "csrc/a.cu"
        assert "hipMalloc" in moved.source.read_text()
        assert "hipFree" in (base / "csrc/common.cuh").read_text()
        assert moved.options.index(str(base / "csrc")) < moved.options.index(str(tmp_path / "csrc"))
        for name in ("hip/b.hip", "hip/c.cu"):
            assert by_path[name].source == tmp_path / name
            assert not by_path[name].translated
    assert not base.exists()
    assert (tmp_path / "csrc/a.cu").read_text() == files["csrc/a.cu"]


def test_nothing_is_translated_on_request(tmp_path: Path) -> None:
    tree = read_tree(write(tmp_path, {"a.cu": CUDA}))
    with staged(tree, translate=False) as (_, units):
        assert [(unit.source, unit.translated) for unit in units] == [(tmp_path / "a.cu", False)]


def test_a_source_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_bytes(b"\x00\x01\x02" * 400)
    with staged(read_tree(tmp_path)) as (_, units):
        assert [bool(unit.trouble) for unit in units] == [True]


# --- launches -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "block", "lds"),
    [
        ("k<<<g, 256>>>(x);", 256, 0),
        ("k<<<(n + 255) / 256, 2 * 128, 1024, stream>>>(x);", 256, 1024),
        ("#define BLOCK 512\nk<<<g, BLOCK>>>(x);", 512, 0),
        ("constexpr int T = 64, U = 2;\nk<<<g, T * 4>>>(x);", 256, 0),
        ("const unsigned int T = 1 << 7;\nk<<<g, T, T * sizeof(float)>>>(x);", 128, 512),
        ("k<<<g, dim3(16, 16, 2)>>>(x);", 512, 0),
        ("dim3 block(32, 8);\nk<<<g, block>>>(x);", 256, 0),
        ("dim3 block = dim3(32, 8);\nk<<<g, block>>>(x);", 256, 0),
        ("dim3 block{32, 8};\nk<<<g, block>>>(x);", 256, 0),
        ("ns::k<float, 4><<<g, 0x40u>>>(x);", 64, 0),
        ("hipLaunchKernelGGL(k, dim3(g), dim3(128), 0, 0, x);", 128, 0),
        ("hipLaunchKernelGGL(HIP_KERNEL_NAME(k<float, 2>), g, 128, 64, 0, x);", 128, 64),
        ("int n = 24 * 1024;\nk<<<1, 256, n * sizeof(float)>>>(x);", 256, 98304),
        ("unsigned t = 64, u = 2;\nint n = 8;\nk<<<g, 32, n>>>(x);", 32, 8),
        # What is not one plain number is not known.
        ("int n = 8;\nn *= 2;\nk<<<g, 32, n>>>(x);", 32, None),
        ("int n = 8;\nn >>= 2;\nk<<<g, 32, n>>>(x);", 32, None),
        ("int n = 8;\nask(&n);\nk<<<g, 32, n>>>(x);", 32, None),
        ("int n = 8;\nstd::cin >> n;\nk<<<g, 32, n>>>(x);", 32, None),
        ("for (int n = 8; n < 9; n++) k<<<g, 32, n>>>(x);", 32, None),
        ("void a() { int n = 8; }\nvoid b(int n) { k<<<g, 32, n>>>(x); }", 32, None),
        ("int n = atoi(a);\nk<<<g, 32, n>>>(x);", 32, None),
        ("k<<<g, threads>>>(x);", None, 0),
        ("#ifdef A\n#define B 64\n#else\n#define B 128\n#endif\nk<<<g, B>>>(x);", None, 0),
        ("dim3 block(32, 8);\nblock.x = 64;\nk<<<g, block>>>(x);", None, 0),
        ("void a() { const int t = 64; }\nvoid b(int t) { k<<<g, t>>>(x); }", None, 0),
        ("void a() { const int t = 64; }\nvoid b() { int t = n; k<<<g, t>>>(x); }", None, 0),
        ("#define A B\n#define B A\nk<<<g, A>>>(x);", None, 0),
        ("k<<<g, 256, bytes>>>(x);", 256, None),
        ("k<<<g, 256, n * sizeof(Thing)>>>(x);", 256, None),
        ("k<<<g, 1 / 0>>>(x);", None, 0),
    ],
)
def test_what_a_launch_asks_for(code: str, block: int | None, lds: int | None) -> None:
    (found,) = find_launches("a.cu", code.encode())
    assert found == Launch("k", found.line, block, lds)


@pytest.mark.parametrize("code", ["// k<<<1, 2>>>();", 'auto s = "k<<<1, 2>>>()";', "a <<< b;", "k<<<1>>>();", "<<<"])
def test_what_is_no_launch(code: str) -> None:
    assert find_launches("a.cu", code.encode()) == []


def test_the_command_line_goes_before_the_source() -> None:
    code = b"#ifndef B\n#define B 64\n#endif\nk<<<g, B>>>(x);"
    assert [launch.block for launch in find_launches("a.cu", code, ["-DB=256", "-std=c++17"])] == [256]
    assert [launch.block for launch in find_launches("a.cu", code)] == [64]


def test_a_block_is_as_large_as_amd_s_compiler_sees_it() -> None:
    code = b"#ifdef __HIPCC__\n#define B 64\n#else\n#define B 32\n#endif\nvoid f() { k<<<1, B>>>(); }\n"
    assert [launch.block for launch in find_launches("a.cu", code)] == [64]
    undecided = code.replace(b"__HIPCC__", b"WIDE")
    assert [launch.block for launch in find_launches("a.cu", undecided)] == [None]


@pytest.mark.parametrize(
    ("header", "is_translated"), [("#include <hip/hip_runtime.h>\n", False), ("#define A 1\n", True)]
)
def test_a_source_that_the_build_gives_a_header_of_hip_is_compiled_as_it_is(
    header: str, is_translated: bool, tmp_path: Path
) -> None:
    """What a port of a Makefile makes: a broken header must not pass because of a translation that nobody builds."""
    write(
        tmp_path,
        {
            "a.cu": CUDA,
            "Makefile": "NVCC ?= nvcc\na: a.cu\n\t$(NVCC) -o a a.cu\n",
            "Makefile.rocm": "override NVCC = hipcc -Ishim -include names.h\n\ninclude Makefile\n",
            "shim/names.h": header,
        },
    )
    tree = read_tree(tmp_path)
    assert tree.units[0].flags.forced == (tmp_path / "shim" / "names.h",)
    with staged(tree) as (_, units):
        assert [unit.translated for unit in units] == [is_translated]
