"""Build scripts of which one is for AMD and one for CUDA, extensions that Paddle builds, and sources with unknown names."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.project.build import Build, BuildUnit, read_build
from rewarp.project.build.losses import find_losses
from rewarp.project.build.python import replaced_scripts
from rewarp.project.gates import GAUDI, NVIDIA, ROCM
from rewarp.project.overview import look
from rewarp.project.support import Evidence, Way
from rewarp.workspace import Folder

KERNEL = "__global__ void k(float *x) { x[0] = 1; }\n"
GUARDED = "#ifdef PADDLE_WITH_HIP\n#include <hip/hip_runtime.h>\n#endif\n" + KERNEL


def script(*sources: str, flags: str = "", frame: str = "torch") -> str:
    return (
        f"from {frame}.utils.cpp_extension import CUDAExtension\nfrom setuptools import setup\n"
        f"setup(name='ops', ext_modules=[CUDAExtension(name='ops', sources={list(sources)}, extra_compile_args=[{flags}])])\n"
    )


CUDA, HIP = script("a.cu", "b.cu"), script("a.cu")


def written(folder: Path, files: dict[str, str]) -> Folder:
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return Folder(folder)


def read_from(build: Build) -> set[tuple[str, str]]:
    return {(unit.reason.file, unit.source) for unit in build.units}


def unit_of(build: Build, source: str) -> BuildUnit:
    return next(unit for unit in build.units if unit.source == source)


@pytest.mark.parametrize(
    ("cuda", "amd"),
    [
        ("csrc/setup_cuda.py", "csrc/setup_hip.py"),
        ("setup.py", "setup_rocm.py"),
        ("setup-nvidia.py", "setup-amd.py"),
        ("build_cuda_ops.py", "build_rocm_ops.py"),
    ],
)
def test_a_build_script_for_amd_is_the_one_for_rocm(tmp_path: Path, cuda: str, amd: str) -> None:
    folder = cuda.rpartition("/")[0]
    at = f"{folder}/" if folder else ""
    tree = written(tmp_path, {cuda: CUDA, amd: HIP, f"{at}a.cu": GUARDED, f"{at}b.cu": KERNEL})
    assert replaced_scripts(tree) == {cuda: amd}
    assert read_from(read_build(tree, ROCM)) == {(amd, f"{at}a.cu")}
    assert read_from(read_build(tree, NVIDIA)) == {(cuda, f"{at}a.cu"), (cuda, f"{at}b.cu")}
    assert {file for file, _ in read_from(read_build(tree, GAUDI))} == {cuda}
    assert find_losses(tree, ROCM).left_out == frozenset()
    project = look(tree)
    assert Evidence(Way.BUILD, amd, 1, amd.rpartition("/")[2]) in project.support.evidence
    assert project.support.is_there
    assert project.not_built[cuda] == f"{amd} is read in its place"
    assert f"{at}b.cu" in project.not_built
    assert f"{at}a.cu" not in project.not_built
    assert not look(tree, "gaudi").support.by(Way.BUILD)


@pytest.mark.parametrize(
    "files",
    [
        {"setup_hip.py": HIP},
        {"setup_cuda.py": CUDA, "tests/setup_hip.py": HIP, "tests/a.cu": KERNEL},
        {"setup_cuda.py": CUDA, "third_party/setup_hip.py": HIP, "third_party/a.cu": KERNEL},
        {"setup_cuda.py": CUDA, "setup_hip.py": "raise RuntimeError('not yet')\n" + HIP},
        {"setup_cuda.py": CUDA, "setup_hip.py": HIP + "raise RuntimeError('not yet')\n"},
        {"setup_cuda.py": CUDA, "setup_hip.py": script("main.cpp")},
        {"setup_cuda.py": CUDA, "setup_hip.py": script()},
        {"setup_cuda.py": CUDA, "setup_hip.py": script("a.cu", flags="'--expt-relaxed-constexpr'")},
        {"setup.py": script("main.cpp"), "setup_hip.py": HIP},
        {"setup.py": CUDA.replace("from setuptools", "# ROCm as well\nfrom setuptools"), "setup_rocm.py": HIP},
        {"ops_cuda.py": CUDA, "ops_hip.py": HIP},
        {"makers_cuda.py": CUDA, "makers_hip.py": HIP},
        {"setup_cuda.py": CUDA, "setup_chip.py": HIP},
        {"setup_cuda.py": CUDA, "setup_cuda_hip.py": HIP},
    ],
    ids=(
        "alone test vendored refuses ends host-only empty nvcc-flags no-kernels-for-cuda for-both modules makers chip both-words"
    ).split(),
)
def test_scripts_that_are_no_twins(tmp_path: Path, files: dict[str, str]) -> None:
    tree = written(tmp_path, {**files, "a.cu": GUARDED, "b.cu": KERNEL, "main.cpp": ""})
    assert replaced_scripts(tree) == {}
    compiling = {path for path, text in files.items() if "sources=['" in text and not text.startswith("raise")}
    assert {file for file, _ in read_from(read_build(tree, ROCM))} == compiling
    assert not [it for it in look(tree).support.by(Way.BUILD) if it.text.endswith(".py")]


def test_twins_in_other_people_s_code_show_no_support(tmp_path: Path) -> None:
    files = {"third_party/setup_cuda.py": CUDA, "third_party/setup_hip.py": HIP, "third_party/a.cu": GUARDED}
    tree = written(tmp_path, files)
    assert replaced_scripts(tree) == {"third_party/setup_cuda.py": "third_party/setup_hip.py"}
    assert look(tree).support.evidence == ()


PADDLE = """\
from paddle.utils.cpp_extension import CUDAExtension, setup
setup(name="fast_ops", ext_modules=CUDAExtension(["k.cu", "main.cc"], extra_compile_args={
    "cxx": ["-O1"], "nvcc": ["-O2", "--use_fast_math"], "hipcc": ["-O3"]}))
"""


def test_paddle_hands_sources_to_hipcc_as_they_are(tmp_path: Path) -> None:
    tree = written(tmp_path, {"setup.py": PADDLE, "k.cu": KERNEL, "main.cc": ""})
    nvidia, amd = (read_build(tree, platform) for platform in (NVIDIA, ROCM))
    kernel, host = unit_of(amd, "k.cu"), unit_of(amd, "main.cc")
    assert (kernel.target, kernel.language, kernel.hipified, host.hipified) == ("fast_ops", "HIP", False, False)
    assert [flag.text for flag in kernel.flags] == ["-O3"]
    assert [flag.text for flag in host.flags] == ["-O1"]
    names = {define.text for define in kernel.defines}
    assert "PADDLE_WITH_HIP" in names
    assert names.isdisjoint({"PADDLE_WITH_CUDA", "USE_ROCM=1"})
    assert "PADDLE_WITH_HIP" in {define.text for define in host.defines}
    assert [flag.text for flag in unit_of(nvidia, "k.cu").flags] == ["-O2", "--use_fast_math"]
    assert {"PADDLE_WITH_CUDA", "NVCC"} <= {define.text for define in unit_of(nvidia, "k.cu").defines}
    assert {define.text for define in unit_of(nvidia, "main.cc").defines} == {"PADDLE_WITH_CUDA"}


def test_paddle_says_nothing_of_device_code_to_an_extension_without_any(tmp_path: Path) -> None:
    text = PADDLE.replace('"k.cu", ', "").replace("CUDAExtension", "CppExtension")
    build = read_build(written(tmp_path, {"setup.py": text, "main.cc": ""}), NVIDIA)
    assert unit_of(build, "main.cc").defines == ()


DEMO = "cmake_minimum_required(VERSION 3.20)\nproject(d CXX)\nif(NOT DEFINED DEMO_NAME)\n  message(FATAL_ERROR)\nendif()\nadd_executable(demo ${DEMO_NAME}.cc)\n"


@pytest.mark.parametrize(
    ("folder", "demo", "left"),
    [
        ("examples/demo", DEMO, {"old.cuh"}),
        ("app", DEMO, set()),
        ("examples/demo", DEMO.replace("CXX", "CXX CUDA").replace(".cc", ".cu"), set()),
        ("examples/demo", DEMO.replace(".cc", ".cxx"), set()),
    ],
    ids=["an example", "the project", "device code", "no such source"],
)
def test_a_program_of_an_example_may_have_any_name(tmp_path: Path, folder: str, demo: str, left: set[str]) -> None:
    files = {"setup.py": script("a.cu"), f"{folder}/CMakeLists.txt": demo, "a.cu": '#include "used.cuh"\n' + KERNEL}
    files |= {"tool.cc": '#include "shown.cuh"\n'}
    files |= dict.fromkeys(("used.cuh", "shown.cuh", "old.cuh"), KERNEL)
    project = look(written(tmp_path, files))
    assert any("<" in unit.source for unit in project.nvidia.units)
    assert {path for path in project.not_built if path.endswith(".cuh")} == left
