"""Build files after the port: golden cases, CMake and Make run for real, bytes that must not move."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from port_parts import CASES, cases, check, write

from lane_simulator.build import host_compiler
from rewarp.fixes.options import hip_words
from rewarp.port import build
from rewarp.port.changes import PortContext
from rewarp.port.tree import Tree
from rewarp.targets import ROCM
from tools import brought, present

_EXAMPLE = CASES.parents[1] / "examples" / "nvidia_project"


@pytest.mark.parametrize("case", cases("build"), ids=lambda case: case.stem)
def test_case(case: Path, tmp_path: Path) -> None:
    check(case, build.run, tmp_path)


@pytest.mark.parametrize(
    ("nvcc", "hip"),
    [
        ("-O3 --use_fast_math", "-O3"),
        ("-gencode arch=compute_80,code=sm_80 -O3", "-O3"),
        ("-gencode=arch=compute_80,code=sm_80", ""),
        ("-arch=sm_90a", ""),
        ("-Xcompiler -fPIC -c", "-fPIC -c"),
        ("-Xcompiler=-Wall,-fPIC", "-Wall -fPIC"),
        ("--compiler-options -Wall", "-Wall"),
        ("-Xptxas -v -O2", "-O2"),
        ("--threads 4 -O2", "-O2"),
        ("-maxrregcount=32", ""),
        ("-rdc=true", "-fgpu-rdc"),
        ("-rdc=false", ""),
        ("--default-stream per-thread", "-fgpu-default-stream=per-thread"),
        ("-lcublas -lm -lcudart", "-lhipblas -lm -lamdhip64"),
        ("-lnvJitLink", ""),
        ("-x cu -O3 a.h", "-x hip -O3 a.h"),
        ("-xcu -x c++ a.c", "-xhip -x c++ a.c"),
        ("-DNAME=--use_fast_math -I/x", "-DNAME=--use_fast_math -I/x"),
        ("--use_fast_mathematics", "--use_fast_mathematics"),
    ],
)
def test_options(nvcc: str, hip: str) -> None:
    assert hip_words(nvcc.split()) == hip.split()


@given(
    st.lists(st.sampled_from(["-O3", "-gencode arch=x", "-Xcompiler -fPIC", "--threads 4", "-lcublas", "a.cu", "-t=0"]))
)
def test_options_twice(options: list[str]) -> None:
    """What hipcc gets needs no further change, and no file or host option is lost."""
    once = hip_words(" ".join(options).split())
    assert hip_words(once) == once
    assert once.count("a.cu") == options.count("a.cu")
    assert once.count("-fPIC") == options.count("-Xcompiler -fPIC")


def ported(root: Path, files: dict[str, str]) -> dict[str, bytes]:
    write(root, files)
    result = build.run(Tree(root), PortContext(ROCM))
    return {change.path: change.after or b"" for change in result.changes}


def test_line_ends_and_odd_bytes_stay(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_bytes(b"# caf\xe9\r\nproject(k CUDA)\r\nadd_executable(k k.cu)")
    after = build.run(Tree(tmp_path), PortContext(ROCM)).changes[0].after or b""
    assert b"# caf\xe9\r\n" in after
    assert after.count(b"\n") == after.count(b"\r\n")
    kept = [line for line in after.splitlines() if line.strip() in (b"project(k CUDA)", b"add_executable(k k.cu)")]
    assert len(kept) == 2


@pytest.mark.parametrize("text", ["", "project(k CUDA", "if(\n", "\0", 'project(k CUDA)\nset(a "'])
def test_broken_cmake_is_no_crash(text: str, tmp_path: Path) -> None:
    ported(tmp_path, {"CMakeLists.txt": text, "setup.py": "import torch\nif"})


# --- run for real -----------------------------------------------------------------------------

_TOOLCHAIN = """
set(CMAKE_CXX_COMPILER "{compiler}")
set(CMAKE_HIP_COMPILER "{compiler}")
set(CMAKE_HIP_COMPILER_FORCED TRUE)
set(CMAKE_HIP_COMPILER_ID Clang)
set(CMAKE_HIP_COMPILER_VERSION 17)
set(CMAKE_HIP_ARCHITECTURES gfx942)
set(CMAKE_HIP_COMPILER_ROCM_ROOT "{rocm}")
"""
_PACKAGES = {"hip": "hip::host", "hipblas": "roc::hipblas", "hip-lang": "hip-lang::device"}


def test_cmake_goes_through_the_hip_side(tmp_path: Path) -> None:
    """A stand-in for HIP's compiler lets CMake itself read every command of the HIP side."""
    root, rocm = tmp_path / "project", tmp_path / "rocm"
    shutil.copytree(_EXAMPLE, root)
    (root / "csrc" / "softmax.hip").write_text("// translated\n")
    for change in build.run(Tree(root), PortContext(ROCM)).changes:
        (root / change.path).write_bytes(change.after or b"")
    for package, target in _PACKAGES.items():
        config = f"add_library({target} INTERFACE IMPORTED)\n"
        write(rocm, {f"lib/cmake/{package}/{package}-config.cmake": config})
    compiler = tmp_path / "c++"
    compiler.write_text(f'#!/bin/sh\nexec {shlex.join(host_compiler())} "$@"\n')
    compiler.chmod(0o755)
    write(tmp_path, {"tools.cmake": _TOOLCHAIN.format(compiler=compiler, rocm=rocm)})
    command = [brought("cmake"), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={brought('ninja')}", "-S", str(root)]
    command += ["-B", str(tmp_path / "out"), "-DUSE_HIP=ON", f"-DCMAKE_PREFIX_PATH={rocm}"]
    command += [f"-DCMAKE_TOOLCHAIN_FILE={tmp_path / 'tools.cmake'}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    commands = (tmp_path / "out" / "compile_commands.json").read_text()
    assert "--offload-arch=gfx942" in commands
    assert "-DWARPNORM_WITH_CUBLAS" in commands
    assert "csrc/softmax.hip" in commands
    assert "csrc/softmax.cu" not in commands
    assert "csrc/layernorm.cu" in commands
    assert "lineinfo" not in commands


_MAKEFILE = """\
NVCC := $(shell which nvcc)
FLAGS = -O3 --use_fast_math -gencode arch=compute_80,code=sm_80 -Xcompiler "-fPIC"
ifdef BLAS
FLAGS += -lcublas
endif
ifneq ($(NVCC),)
all: k
endif
k: src/k.cu
\t$(NVCC) $(FLAGS) -o $@ $<
"""


@pytest.mark.parametrize("copy", [False, True])
def test_make_runs_hipcc(copy: bool, tmp_path: Path) -> None:
    root = tmp_path / "project"
    translated = {"src/k.hip": "// hip\n"} if copy else {}
    after = ported(root, {"Makefile": _MAKEFILE, "src/k.cu": "__global__ void k() {}\n", **translated})
    write(root, {"Makefile.rocm": after["Makefile.rocm"].decode()})
    lines = after["Makefile.rocm"].decode().splitlines()
    assert lines.index("override NVCC = $(HIPCC)") < lines.index("include Makefile")
    assert any("filter-out --use_fast_math" in line for line in lines)
    if not present("make"):
        return
    write(tmp_path, {"rocm/bin/hipcc": '#!/bin/sh\necho "$@"\n'})
    (tmp_path / "rocm" / "bin" / "hipcc").chmod(0o755)
    given = [f"ROCM_PATH={tmp_path / 'rocm'}", "ROCM_ARCH=gfx942"]
    source = "src/k.hip" if copy else "src/k.cu"
    for blas, libraries in ([], ""), (["BLAS=1"], " -lhipblas"):
        done = subprocess.run(
            ["make", "-s", "-f", "Makefile.rocm", *given, *blas], cwd=root, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == f"--offload-arch=gfx942 -O3 -fPIC{libraries} -o k {source}"
