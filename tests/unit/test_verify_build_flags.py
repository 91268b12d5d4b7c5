"""Flags out of build files, none of which is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.project.build import read_build
from rewarp.project.gates import NVIDIA, ROCM
from rewarp.verify.build.cmake import read_cmake
from rewarp.verify.build.flags import Flags, read_flags, split
from rewarp.verify.build.makefile import makefile_flags
from rewarp.verify.build.units import unit_flags
from rewarp.workspace import Folder


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("-O3 -std=c++17 -DA -DB=2 -UC", ["-std=c++17", "-DA", "-DB=2", "-UC"]),
        ("-D A --define-macro=B -D'C=\"x y\"'", ["-DA", "-DB", '-DC="x y"']),
        ("--use_fast_math", ["-ffast-math"]),
        ("-use_fast_math -ftz=true", ["-ffast-math", "-fgpu-flush-denormals-to-zero"]),
        ("--ftz=false --prec-div=true", []),
        ("--prec-div=false", ["-fno-hip-fp32-correctly-rounded-divide-sqrt"]),
        ("-fmad=false", ["-ffp-contract=off"]),
        ("--default-stream per-thread", ["-fgpu-default-stream=per-thread"]),
        ("--default-stream legacy", []),
        ("-rdc=true", ["-fgpu-rdc"]),
        ("-rdc=false -dc", ["-fgpu-rdc"]),
        ("--relocatable-device-code=false", []),
        # The value of an option is never read as an option.
        ("-gencode arch=compute_80,code=sm_80 -Xcompiler -DHOST -Xptxas -v -o -DX", []),
        ("-Xcompiler=-fPIC,-DHOST --threads 4 -lineinfo --expt-relaxed-constexpr -lcublas -Wall -march=native", []),
        ("--std c++20 -x cu -c file.cu", ["-std=c++20"]),
        ("-munsafe-fp-atomics -ffast-math -fopenmp", ["-munsafe-fp-atomics", "-ffast-math"]),
    ],
)
def test_what_of_a_command_line_is_kept(command: str, options: list[str], tmp_path: Path) -> None:
    assert list(read_flags(split(command), tmp_path).options) == options


def test_folders_are_absolute_and_cuda_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "toolkit").mkdir()
    (tmp_path / "toolkit/cuda_runtime.h").touch()
    words = split("-Ia -I b/../c -isystem d -isysteme -include f.h -Itoolkit --include-path=g,h")
    flags = read_flags(words, tmp_path)
    assert flags.includes == tuple(tmp_path / name for name in "acdegh")
    assert flags.forced == (tmp_path / "f.h",)


def test_a_header_in_place_of_cudas_is_found_where_includes_lead(tmp_path: Path) -> None:
    """What a port writes: hipcc -Ihip_shim -include cuda_to_hip.h."""
    shim = tmp_path / "hip_shim"
    shim.mkdir()
    (shim / "cuda_runtime.h").write_text("#ifdef __HIP__\n#else\n#include_next <cuda_runtime.h>\n#endif\n")
    (shim / "cuda_to_hip.h").write_text("#include <hip/hip_runtime.h>\n")
    flags = read_flags(split("-include cuda_to_hip.h -Ihip_shim -include"), tmp_path)
    assert (flags.includes, flags.forced) == ((shim,), (shim / "cuda_to_hip.h",))


def test_quotes_that_do_not_close_are_no_error() -> None:
    assert split("-DA='x -DB") == ["-DA='x", "-DB"]


def test_flags_add_up_without_repeats(tmp_path: Path) -> None:
    one, other = Flags((tmp_path,), options=("-DA",)), Flags((tmp_path, tmp_path / "x"), options=("-DB",), origin="b")
    assert one + other == Flags((tmp_path, tmp_path / "x"), (), ("-DA", "-DB"), "b")


# --- Makefiles ------------------------------------------------------------------------------

_MAKEFILE = r"""
CC = hipcc
DEBUG = no
ROOT := ..
CFLAGS := $(EXTRA_CFLAGS) -std=c++17 -Wall -I$(ROOT)/include \
          -DFIRST
LDFLAGS = -DLINKER_ONLY
ifeq ($(DEBUG),yes)
  CFLAGS += -DDEBUG
else
  CFLAGS += -DRELEASE
endif
ifneq ($(DEBUG), no)
  CFLAGS += -DNEVER
else ifeq ($(CC),hipcc)
  CFLAGS += -DHIPCC
else
  CFLAGS += -DOTHER
endif
ifeq ($(shell uname),Linux)
  CFLAGS += -DLINUX -Ilinux
endif
ifdef CC
INC = -I${ROOT}/more
endif
CFLAGS := -DBEFORE $(CFLAGS)
main: main.cu
	$(CC) $(CFLAGS) -DRECIPE_ONLY main.cu
"""


def test_a_makefile(tmp_path: Path) -> None:
    folder = tmp_path / "src"
    folder.mkdir()
    (folder / "Makefile").write_text(_MAKEFILE)
    flags = makefile_flags(folder / "Makefile")
    assert flags.options == ("-DBEFORE", "-std=c++17", "-DFIRST", "-DRELEASE", "-DHIPCC")
    assert flags.includes == (tmp_path / "include", folder / "linux", tmp_path / "more")
    assert flags.undecided == ("-DLINUX",)


@pytest.mark.parametrize(
    "text", ["A = $(A)\nCFLAGS = $(A) -DX\n", "endif\nelse\nCFLAGS = -DX\n", "ifeq\nendif\nCFLAGS=-DX"]
)
def test_odd_makefiles_end(text: str, tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(text)
    assert makefile_flags(tmp_path / "Makefile").options == ("-DX",)


# --- CMake ----------------------------------------------------------------------------------


def test_cmake_folders_below_know_what_those_above_set(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "CMakeLists.txt").write_text("set(HERE deep)\nadd_definitions(-DTOP)\nadd_subdirectory(sub)\n")
    (tmp_path / "sub/CMakeLists.txt").write_text("add_library(x ${HERE}/x.cu)\n")
    found = read_cmake([tmp_path / "sub/CMakeLists.txt", tmp_path / "CMakeLists.txt"], tmp_path, hip=False)
    assert found.by_folder[tmp_path / "sub"].options == ("-DTOP",)


# --- setup.py -------------------------------------------------------------------------------

_SETUP = """
import glob, os, torch
from setuptools import Extension, setup
from torch.utils.cpp_extension import CUDAExtension
here = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-O3", "--use_fast_math", "-DFLAG"]
FLAGS += ["-gencode", "arch=compute_90,code=sm_90"]
if os.environ.get("X"):
    FLAGS.append("-DUNDER_A_CONDITION")
macros = [("ALWAYS", None), ("VALUE", "3")]
if torch.cuda.get_device_capability() > (8, 0):
    macros.append(("SOMETIMES", None))
SOURCES = ["a.cu", "b.cu"]

def get():
    return CUDAExtension(
        "pkg._C",
        [os.path.join("csrc", name) for name in SOURCES] + glob.glob("more/*.cu") + unknown(),
        include_dirs=[os.path.join(here, "inc"), f"{here}/other", unknown()],
        define_macros=macros,
        extra_compile_args={"cxx": ["-DHOST"], "nvcc": threads(FLAGS)},
    )
setup(ext_modules=[get()])
"""


def setup_flags(folder: Path) -> dict[Path, Flags]:
    units = [unit for platform in (NVIDIA, ROCM) for unit in read_build(Folder(folder), platform).units]
    return {folder / unit.source: unit_flags(unit, folder) for unit in units if "<" not in unit.source}


def test_a_setup_file(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more/c.cu").touch()
    (tmp_path / "setup.py").write_text(_SETUP)
    found = setup_flags(tmp_path)
    assert set(found) == {tmp_path / name for name in ("csrc/a.cu", "csrc/b.cu", "more/c.cu")}
    flags = found[tmp_path / "csrc/a.cu"]
    assert flags.includes == (tmp_path / "inc", tmp_path / "other")
    own = ("-DUSE_ROCM=1", "-D__HIP_PLATFORM_AMD__=1")
    assert flags.options == ("-DALWAYS", "-DVALUE=3", *own)
    assert flags.undecided == ("-DSOMETIMES",)


@pytest.mark.parametrize(
    "text", ["(", "Extension()", "Extension('x', sources=x)\nx = x", "Extension('x', [1, None, 1/0])"]
)
def test_odd_setup_files_say_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text(text)
    assert setup_flags(tmp_path) == {}
