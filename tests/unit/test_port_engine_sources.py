"""CUDA C++ in a port: what gets a HIP version, what is changed in place, what is left alone."""

from __future__ import annotations

from pathlib import Path

from port_trees import plain

from rewarp.lang.cpp.includes import IncludeMap
from rewarp.port import architecture, translation
from rewarp.port.model import Change, PhaseResult, PortContext, PortOptions, PortPhase
from rewarp.port.tree import Tree
from rewarp.port.verification import certificate
from rewarp.source import SourceFile
from rewarp.targets import TARGETS
from rewarp.verdict import Approach
from rewarp.verify.isolation.model import Verdict

ROCM = PortContext(TARGETS["rocm"])
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
    return certificate(before, after).verdict is Verdict.IDENTICAL


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
    changed = {change.path for change in translation.run(Tree(example), ROCM).changes}
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
    assert paths(translation.run(other, ROCM)) == ["src/a.hip"]


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
