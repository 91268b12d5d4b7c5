"""CUDA C++ in a port: what gets a HIP version, what is changed in place, what is left alone."""

from __future__ import annotations

import posixpath
from dataclasses import replace
from pathlib import Path

import pytest
from port_trees import plain

from rewarp.lang.cpp.includes import IncludeMap
from rewarp.port.changes import Change, PhaseResult, PortContext, PortOptions, PortPhase
from rewarp.port.cpp import architecture, translation
from rewarp.port.dropping.copies import NO_COPY
from rewarp.port.engine import port
from rewarp.port.proving.evidence import certificate
from rewarp.port.tree import Tree
from rewarp.source import SourceFile
from rewarp.targets import TARGETS
from rewarp.verdict import Approach
from rewarp.verify.isolation.file_verdict import IsolationVerdict

ROCM = PortContext(TARGETS["rocm"])
BESIDE = PortOptions(Approach.COMMITTED)
HOST = b"#include <cuda_runtime.h>\nint f() { return cudaDeviceSynchronize(); }\n"
SUM = b"__device__ inline float sum(float v) {\n  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(%s, v, o);\n  return v;\n}\n"
KERNEL = b'#include "sum.cuh"\n#include <cuda_runtime.h>\n__global__ void k(float *x) { x[0] = sum(x[0]); }\nint f() { return cudaDeviceSynchronize(); }\n'
SETUP = (
    b"from setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"
    b'setup(ext_modules=[CUDAExtension("x", ["k.cu"])], cmdclass={"build_ext": BuildExtension})\n'
)
NVML = b"nvmlInit nvmlShutdown nvmlDeviceGetCount nvmlDeviceGetName nvmlDeviceGetUUID nvmlDeviceGetSerial".split()
CUTE = b"#include <nvml.h>\n" + b"".join(b"void f%d() { %s(); }\n" % item for item in enumerate(NVML))


def paths(result: PhaseResult) -> list[str]:
    return sorted(change.path for change in result.changes)


def both(tree: Tree) -> tuple[Tree, list[Change]]:
    """Phases 2 and 3, and a second time, when nothing may change."""
    changes: list[Change] = []
    for part in (translation, architecture, translation, architecture):
        result = part.run(tree, ROCM)
        if len(changes) and part is translation:
            assert result.changes == []
        tree, changes = tree.with_changes(result.changes), changes + result.changes
    assert architecture.run(tree, ROCM).changes == []
    return tree, changes


def proved(before: Tree, after: Tree) -> bool:
    return certificate(before, after).verdict is IsolationVerdict.IDENTICAL


def test_hip_version_beside_the_original(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"a.cu": HOST, "plain.cpp": b"int g() { return 1; }\n"}))
    assert translation.approach_for(tree, ROCM) is Approach.COMMITTED
    after, _ = both(tree)
    assert after.read("a.hip") == HOST.replace(b"cuda_runtime.h", b"hip/hip_runtime.h").replace(
        b"cudaDevice", b"hipDevice"
    )
    assert sorted(after.changes()) == ["a.hip"]
    assert proved(tree, after)


def test_a_hip_version_that_is_there_is_kept(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"a.cu": HOST, "a.hip": b"// mine\n"}))
    assert both(tree)[1] == []


def test_no_cuda_no_change(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"a.cpp": b"int f() { return 0; }\n", "b.py": b"x = 1\n"}))
    assert translation.approach_for(tree, ROCM) is None
    assert translation.run(tree, ROCM) == PhaseResult()
    gaudi = PortContext(TARGETS["gaudi"])
    assert translation.run(Tree(plain(tmp_path / "g", {"a.cu": HOST})), gaudi) == PhaseResult()


def test_programs_with_branches_for_hip_serve_both(tmp_path: Path) -> None:
    compat = b"#ifdef USE_ROCM\n#include <hip/hip_runtime.h>\n#else\n#include <cuda_runtime.h>\n#endif\n"
    files = {
        "compat.h": compat,
        "a.cu": b'#include "compat.h"\n' + HOST,
        "b.cu": HOST,
        "c.cu": b"#ifdef NDEBUG\n#endif\n" + HOST,
    }
    assert paths(translation.run(Tree(plain(tmp_path, files)), ROCM)) == ["b.hip", "c.hip"]


def test_only_what_findings_ask_for(tmp_path: Path) -> None:
    files = {"a.cu": HOST, "stub.cu": b"__global__ void k() {}\n", "b.cpp": b'#include "c.h"\n', "c.h": b"struct S;\n"}
    assert paths(translation.run(Tree(plain(tmp_path, files)), ROCM)) == ["a.hip"]


def test_torch_extension_is_translated_by_its_build(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"setup.py": SETUP, "k.cu": KERNEL, "sum.cuh": SUM % b"0xffffffff"}))
    assert translation.approach_for(tree, ROCM) is Approach.BUILD_TIME
    after, changes = both(tree)
    assert {change.path for change in changes} == {"rewarp_waves.h", "sum.cuh"}
    assert b"rewarp_warp32_shfl_xor_sync" in (after.read("sum.cuh") or b"")
    assert proved(tree, after)


def test_what_no_build_takes_is_not_changed(tmp_path: Path) -> None:
    idle = b"// an older one\n" + KERNEL.replace(b"sum.cuh", b"other.cuh")
    files = {"setup.py": SETUP, "k.cu": KERNEL, "sum.cuh": SUM % b"0xffffffff", "other.cuh": SUM % b"0xffffffff"}
    tree = Tree(plain(tmp_path, {**files, "k_backup.cu": idle}))
    assert {change.path for change in both(tree)[1]} == {"rewarp_waves.h", "sum.cuh"}


@pytest.mark.parametrize(
    ("pattern", "taken"),
    [(b"file(GLOB a *.cu)\n", False), (b"file(GLOB a ../../tests/*.cu)\n", True), (b"file(GLOB a ${D}/*.cu)\n", True)],
)
def test_a_pattern_takes_what_lies_below_it(pattern: bytes, taken: bool, tmp_path: Path) -> None:
    setup = SETUP.replace(b"k.cu", b"src/k.cu")
    files = {"setup.py": setup, "src/k.cu": KERNEL, "src/sum.cuh": SUM % b"0xffffffff"}
    alone = (SUM % b"0xffffffff") + KERNEL.partition(b"\n")[2]
    tree = Tree(plain(tmp_path, {**files, "tests/alone.cu": alone, "src/old/CMakeLists.txt": pattern}))
    changed = {"rewarp_waves.h", "src/sum.cuh"} if not taken else {"rewarp_waves.h", "src/sum.cuh", "tests/alone.cu"}
    assert {posixpath.basename(c.path) if c.path.endswith(".h") else c.path for c in both(tree)[1]} == changed


def test_warp_code_is_fixed_in_the_hip_version_alone(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"k.cu": KERNEL, "sum.cuh": SUM % b"0xffffffff"}))
    after, _ = both(tree)
    assert sorted(after.changes()) == ["k.hip", "rewarp_hip.h", "rewarp_waves.h", "sum_hip.cuh"]
    assert b'#include "sum_hip.cuh"' in (after.read("k.hip") or b"")
    assert b"rewarp_warp32_shfl_xor_sync" in (after.read("sum_hip.cuh") or b"")
    assert proved(tree, after)


def test_somebodys_work_on_a_hip_version_is_kept(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"k.cu": KERNEL, "sum.cuh": SUM % b"0xffffffff"}))
    translated = tree.with_changes(translation.run(tree, ROCM).changes)
    mine = (translated.read("sum_hip.cuh") or b"") + b"// mine\n"
    worked = translated.with_changes([Change("sum_hip.cuh", mine, PortPhase.TRANSLATION, "")])
    assert "sum_hip.cuh" not in paths(architecture.run(worked, ROCM))


def test_what_rests_on_nvidias_libraries_gets_no_translation(tmp_path: Path) -> None:
    files = {"a.cu": HOST, "lib.cuh": CUTE, "b.cu": b'#include "lib.cuh"\n' + HOST, "only.cuh": HOST}
    tree = Tree(plain(tmp_path, files))
    result = translation.run(tree, ROCM)
    assert paths(result) == ["a.hip"]
    (manual,) = [item for item in result.manual if item.path == "lib.cuh"]
    assert "write a version of its own" in manual.what
    assert "nvmlInit" in manual.why


def test_a_program_that_mostly_translates_is_translated(tmp_path: Path) -> None:
    calls = b"int g() { " + b"cudaDeviceSynchronize(); cudaGetLastError(); " * 40 + b"return 0; }\n"
    tree = Tree(plain(tmp_path, {"lib.cuh": CUTE, "b.cu": b'#include "lib.cuh"\n' + HOST + calls}))
    result = translation.run(tree, ROCM)
    assert "b.hip" in paths(result)
    assert [item.path for item in result.manual] == ["lib.cuh"]


def test_a_few_names_without_a_twin_are_told_one_by_one(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"a.cu": HOST + b"int g() { return cudaFrobnicateThings(); }\n"}))
    result = translation.run(tree, ROCM)
    assert paths(result) == ["a.hip"]
    (manual,) = result.manual
    assert (manual.path, manual.line) == ("a.cu", 3)
    assert "cudaFrobnicateThings" in manual.why


def test_shim_on_request(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"a.cu": HOST}))
    context = PortContext(TARGETS["rocm"], options=PortOptions(Approach.SHIM))
    result = translation.run(tree, context)
    assert paths(result) == ["hip_shim/cuda_runtime.h", "hip_shim/cuda_to_hip.h"]
    after = tree.with_changes(result.changes)
    assert after.with_changes(translation.run(after, context).changes).changes() == after.changes()


def test_unreadable_sources_are_left_to_the_scan(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"a.cu": HOST, "bad.cu": b"\x00\x01cudaMalloc"}))
    assert paths(translation.run(tree, ROCM)) == ["a.hip"]


def test_includes() -> None:
    files = {
        "a/k.cu": b'#include "x.cuh"\n#include <lib/y.h>\n',
        "a/x.cuh": b'#include "../b/z.h"\n# include <missing.h>\n',
        "b/z.h": b'#include "../a/x.cuh"\n',
        "inc/lib/y.h": b"// no more\n",
        "y.h": b"",
    }
    found = IncludeMap.of(SourceFile(path, data) for path, data in files.items())
    assert found.reached(["a/k.cu"]) == {"a/k.cu", "a/x.cuh", "b/z.h", "inc/lib/y.h"}
    assert found.reached(["b/z.h"]) == {"b/z.h", "a/x.cuh"}
    assert found.reached(["none"]) == frozenset()


def test_every_kernel_of_the_example_gets_its_hip_version() -> None:
    """It is built by CMake and by setup.py: what torch would translate for the one is no use to the other."""
    example = Path(__file__).parents[2] / "examples" / "nvidia_project"
    beside = replace(ROCM, options=PortOptions(Approach.COMMITTED))
    changed = {change.path for change in translation.run(Tree(example), beside).changes}
    kernels = {path.relative_to(example).with_suffix(".hip").as_posix() for path in example.rglob("*.cu")}
    assert kernels
    assert kernels <= changed


def test_no_hip_version_where_the_projects_own_hip_build_would_not_take_it(tmp_path: Path) -> None:
    cmake = b"cmake_minimum_required(VERSION 3.21)\nproject(x)\nif(WITH_HIP)\n  enable_language(HIP)\nendif()\n"
    tree = Tree(plain(tmp_path, {"CMakeLists.txt": cmake, "src/a.cu": HOST}))
    result = translation.run(tree, ROCM)
    assert result.changes == []
    assert [entry.what for entry in result.manual] == [
        "1 source does not compile for AMD, and no HIP versions are written"
    ]
    other = Tree(plain(tmp_path / "other", {"CMakeLists.txt": b"project(x CUDA)\n", "src/a.cu": HOST}))
    assert paths(translation.run(other, ROCM)) == ["hip_shim/cuda_runtime.h", "hip_shim/cuda_to_hip.h"]


def test_no_hip_version_for_a_crate_whose_build_script_is_not_understood(tmp_path: Path) -> None:
    files = {
        "Cargo.toml": b'[package]\nname = "k"\nversion = "1.0.0"\n',
        "build.rs": b'fn main() {\n    run("nvcc", sources());\n}\n',
        "src/a.cu": HOST,
    }
    tree = Tree(plain(tmp_path, files))
    result = translation.run(tree, ROCM)
    assert result.changes == []
    assert "build.rs" in result.manual[-1].why


def test_sources_that_a_function_hands_on_to_torch_stay(tmp_path: Path) -> None:
    files = {
        "plugin.py": b"import torch.utils.cpp_extension\n\n\ndef get(name, sources):\n"
        b"    return torch.utils.cpp_extension.load(name=name, sources=sources)\n",
        "ops.py": b'import plugin\n\nx = plugin.get(name="x", sources=["k.cu"])\n',
        "k.cu": HOST,
    }
    tree = Tree(plain(tmp_path, files))
    assert translation.run(tree, ROCM).changes == []
    del files["plugin.py"]
    other = Tree(plain(tmp_path / "other", files))
    assert paths(translation.run(other, ROCM)) == ["k.hip"]


@pytest.mark.parametrize(
    ("files", "made"),
    [
        ({"a.cu": HOST}, ["a.hip"]),  # somebody compiles it by hand
        ({"a.cu": HOST, "build.py": b"ffi = create_extension('x', sources=['a.cu'])\n"}, []),
        ({"src/a.cu": HOST, "make.sh": b"nvcc -c src/a.cu -o a.o\n"}, []),
        ({"src/a.cu": HOST, "xmake.lua": b"add_files('src/*.cu')\n"}, []),
        ({"a.cu": HOST, "other/xmake.lua": b"add_files('*.cu')\n"}, ["a.hip"]),
        ({"a.cu": HOST, "b.cu": HOST, "make.sh": b"nvcc -c a.cu\n"}, ["b.hip"]),
        ({"a.cu": HOST, "README.md": b"nvcc a.cu\n"}, ["a.hip"]),
        ({"lib/cuda/a.cu": HOST, "lib/lib.pro": b"CUDA_SOURCES += cuda/a.cu\n"}, []),
        ({"a.cu": HOST, "app.vcxproj": b'<CudaCompile Include="a.cu" />\n'}, []),
    ],
)
def test_no_hip_version_of_what_a_script_builds_that_cannot_be_told(
    tmp_path: Path, files: dict[str, bytes], made: list[str]
) -> None:
    result = port(Tree(plain(tmp_path, files)), TARGETS["rocm"], options=BESIDE, prove=False)
    assert [change.path for change in result.changes if change.path.endswith(".hip")] == made
    told = [item.path for item in result.manual if item.what == "a HIP version was not added"]
    assert sorted(told) == sorted(
        path for path in files if path.endswith(".cu") and path[:-3].split("/")[-1] + ".hip" not in made
    )


def test_launches_are_written_as_every_compiler_takes_them(tmp_path: Path) -> None:
    kernel = b"#include <cuda_runtime.h>\n__global__ void k(float *x) {}\nvoid f(float *x) { k << <1, 32 >> >(x); }\n"
    make = b"NVCC = nvcc\napp: a.cu\n\t$(NVCC) -o app a.cu\n"
    before = Tree(plain(tmp_path, {"a.cu": kernel, "Makefile": make}))
    after = port(before, TARGETS["rocm"]).after
    assert after.read("a.cu") == kernel.replace(b"<< <1", b"<<<1").replace(b">> >", b">>>")
    assert "hip_shim/cuda_to_hip.h" in after
    assert proved(before, after)
    assert not [finding for finding in after.findings(TARGETS["rocm"]) if finding.rule == "CU-020"]


def test_launches_of_an_extension_of_torch_too(tmp_path: Path) -> None:
    kernel = (
        b"#include <torch/extension.h>\n__global__ void k(float *x) {}\nvoid f(float *x) { k << <1, 32 >> >(x); }\n"
    )
    before = Tree(plain(tmp_path, {"k.cu": kernel, "setup.py": SETUP}))
    after = port(before, TARGETS["rocm"]).after
    assert after.read("k.cu") == kernel.replace(b"<< <1", b"<<<1").replace(b">> >", b">>>")
    assert proved(before, after)


def test_launches_stay_where_a_hip_version_comes(tmp_path: Path) -> None:
    kernel = HOST + b"__global__ void k(float *x) {}\nvoid f(float *x) { k << <1, 32 >> >(x); }\n"
    after = port(Tree(plain(tmp_path, {"a.cu": kernel})), TARGETS["rocm"], options=BESIDE).after
    assert after.read("a.cu") == kernel
    assert b"k <<<1, 32 >>>(x)" in (after.read("a.hip") or b"")


BROKEN = b"#include <cuda_runtime.h>\nint f() { return cudaDeviceSynchronize() + missing; }\n"
MAIN = HOST + b"int main() { return f(); }\n"


@pytest.mark.parametrize(
    ("files", "made"),
    [
        ({"a.cu": BROKEN}, []),
        ({"a.cu": BROKEN, "b.cu": MAIN}, []),  # the program may need the part
        ({"a.cu": BROKEN, "other/b.cu": MAIN}, ["other/b.hip"]),
        ({"a.cu": BROKEN + b"int main() { return f(); }\n", "b.cu": MAIN}, ["b.hip"]),
        (
            {"a.cu": BROKEN + b"int main() { return f(); }\n", "b.cu": HOST},
            [],
        ),  # a part of the one that failed, perhaps
        ({"a.cu": HOST, "b.cu": MAIN}, ["a.hip", "b.hip"]),
    ],
)
def test_hip_versions_that_do_not_compile_are_taken_back(
    tmp_path: Path, files: dict[str, bytes], made: list[str]
) -> None:
    result = port(Tree(plain(tmp_path, files)), TARGETS["rocm"], options=BESIDE)
    assert sorted(change.path for change in result.changes) == made
    told = [item for item in result.manual if item.what == NO_COPY]
    assert len(told) == len(files) - len(made)
    assert all(item.stops and "missing" in item.why for item in told)


def test_a_header_goes_with_the_hip_version_that_includes_it(tmp_path: Path) -> None:
    header = b"#pragma once\n#include <cuda_runtime.h>\ninline int g() { return cudaDeviceSynchronize(); }\n"
    source = b'#include "g.cuh"\nint main() { return g() + missing; }\n'
    result = port(Tree(plain(tmp_path, {"a.cu": source, "g.cuh": header})), TARGETS["rocm"], options=BESIDE)
    assert not result.changes
