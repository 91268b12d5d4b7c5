"""Whether a project supports the target already: what shows it, and what only sounds like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.project import support
from rewarp.project.support import Evidence, Support, Way
from rewarp.workspace import Folder

KERNEL = "__global__ void k(float *x) { x[0] = 1; }\n"
SETUP = """\
import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

flags = ["-O3"]
if torch.version.hip:
    flags.append("-DUSE_ROCM=1")
setup(name="ext", ext_modules=[CUDAExtension("ext", ["k.cu"], extra_compile_args=flags)])
"""


def read(folder: Path, files: dict[str, str], target: str = "rocm", own: str = "") -> Support:
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    tree = Folder(folder)
    return support.read(tree, tree.files(), target, lambda path: path.startswith(own))


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("## Installation on ROCm", True),
        ("Supports NVIDIA and AMD GPUs", True),
        ("pip install torch --index-url https://download.pytorch.org/whl/rocm6.2", True),
        ("For AMD cards, ROCm 6.1 is required.", True),
        ("AMD GPUs are not supported.", False),
        ("- [ ] Support for ROCm/AMD GPUs", False),
        ("We run on an AMD EPYC 7742 processor.", False),
        ("Supports Intel/AMD/Nvidia through ncnn and Vulkan", False),
        ("For AMD GPUs, check out the other project.", False),
        ("For ROCm, see the fork by a colleague that supports it.", False),
        ("Built on amd64 machines", False),
        ("I'm an AMD user, but all GPUs here support CUDA in my mind.", False),
        ("The hip joint is supported by the pelvis", False),
        ("Nothing of the kind is supported", False),
    ],
)
def test_what_documentation_offers(tmp_path: Path, line: str, offered: bool) -> None:
    found = read(tmp_path, {"README.md": f"# A project\n\n{line}\n", "net.py": "import torch\n"})
    assert [item.line for item in found.by(Way.DOCUMENTATION)] == ([3] if offered else [])
    assert found.is_there is offered


@pytest.mark.parametrize(
    "heading", ["## Roadmap", "## TODO", "## Notable forks", "## What's missing?", "## Related work"]
)
def test_below_some_headings_a_name_is_no_promise(tmp_path: Path, heading: str) -> None:
    text = f"# A\n{heading}\n### AMD\n- ROCm support\n## Use\n- ROCm support\n"
    assert [item.line for item in read(tmp_path, {"README.md": text}).evidence] == [6]


def test_a_list_of_what_is_still_to_do(tmp_path: Path) -> None:
    text = "# A\n\nStill to do:\n\n- ROCm support\n\nSupported:\n\n- ROCm and CUDA builds\n"
    assert [item.line for item in read(tmp_path, {"README.md": text}).evidence] == [9]


def test_device_code_needs_a_build_for_the_target_and_more(tmp_path: Path) -> None:
    build = {"k.cu": KERNEL, "setup.py": SETUP}
    assert not read(tmp_path / "build", build).is_there
    guarded = {"k.cu": "#ifdef USE_ROCM\n#include <hip/hip_runtime.h>\n#endif\n" + KERNEL}
    assert not read(
        tmp_path / "sources", {**guarded, "setup.py": SETUP.replace("version.hip", "cuda.is_available()")}
    ).is_there
    both = read(tmp_path / "both", {**build, **guarded})
    assert both.is_there
    assert {(item.way, item.file, item.line) for item in both.evidence} == {
        (Way.BUILD, "setup.py", 6),
        (Way.SOURCES, "k.cu", 1),
        (Way.SOURCES, "k.cu", 2),
    }
    assert read(tmp_path / "told", {**build, "README.md": "Supports AMD GPUs\n"}).is_there
    assert not read(tmp_path / "words", {"k.cu": KERNEL, "README.md": "Supports AMD GPUs\n"}).is_there


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("CMakeLists.txt", "# USE_HIP\noption(USE_HIP OFF)\n", 2),
        ("CMakeLists.txt", "enable_language(HIP)\n", 1),
        ("CMakeLists.txt", "find_package(hip REQUIRED)\n", 1),
        ("CMakeLists.txt", "project(a LANGUAGES CXX HIP)\n", 1),
        ("CMakeLists.txt", "if(WITH_ROCM)\nendif()\n", 1),
        ("makefile.hip", "all:\n\techo\n", 1),
        ("Makefile", "CC = hipcc\n", 1),
        ("Makefile", "# for amd\nifeq ($(BACK), intel_amd)\nendif\n", 2),
        ("Makefile", "ifeq ($(A),1)\nelse ifdef USE_HIP\nendif\n", 2),
        ("Cargo.toml", "[features]\nrocm = []\n", 2),
        ("build.rs", "// hip\nlet use_hip = true;\n", 2),
        ("cuda_ext.py", "import torch\nfrom torch.utils.cpp_extension import load\nX = torch.version.hip\n", 3),
    ],
)
def test_builds_for_the_target(tmp_path: Path, path: str, text: str, line: int) -> None:
    found = read(tmp_path, {path: text})
    assert (Way.BUILD, path, line) in {(item.way, item.file, item.line) for item in found.evidence}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("CMakeLists.txt", "# option(USE_HIP OFF)\nproject(ship)\nset(CHIP 1)\n"),
        ("pose.py", "left_hip = joints['hip']\nhip = left_hip\nuse(hip)\n"),
        ("net.py", '"""Runs on ROCm."""\n# is_rocm\nx = 1\n'),
        ("k.cu", "// USE_ROCM\nint ship = 0;\n"),
        ("Makefile", "# hipcc\nall:\n\tnvcc a.cu\n"),
        ("Makefile", "ifeq ($(ARCH), amd64)  # hip\nendif\nifneq ($(GPU), amd)\nendif\n"),
        ("requirements.txt", "torch  # or the rocm one\n"),
        (".github/workflows/a.yml", 'env:\n  rocm: ""\n  arch: amd64\n'),
    ],
)
def test_words_that_show_nothing(tmp_path: Path, path: str, text: str) -> None:
    assert read(tmp_path, {path: text}).evidence == ()


@pytest.mark.parametrize(
    ("path", "text", "way"),
    [
        (".github/workflows/a.yml", "jobs:\n  a:\n    container: rocm/pytorch:latest\n", Way.CI),
        ("docker/Dockerfile.rocm", "FROM ubuntu\n", Way.PACKAGING),
        ("requirements-rocm.txt", "numpy\n", Way.PACKAGING),
        ("pyproject.toml", '[project.optional-dependencies]\nrocm = ["x"]\n', Way.PACKAGING),
        ("net.py", "import torch\n" + "if torch.version.hip:\n    x = 1\n" * 3, Way.CODE),
        ("launch.py", "from a import is_rocm_available\n" + "x = is_rocm_available()\n" * 3, Way.CODE),
    ],
)
def test_a_project_without_device_code(tmp_path: Path, path: str, text: str, way: Way) -> None:
    found = read(tmp_path, {path: text})
    assert way in {item.way for item in found.evidence}
    assert found.is_there


def test_one_question_in_one_file_may_be_copied(tmp_path: Path) -> None:
    asks = "import torch\nif torch.version.hip:\n    x = 1\n"
    found = read(tmp_path / "one", {"net.py": asks, "other.py": "import torch\n"})
    assert found.by(Way.CODE)
    assert not found.is_there
    assert read(tmp_path / "two", {"net.py": asks, "other.py": asks}).is_there


def test_a_library_of_headers_is_copied_as_a_whole(tmp_path: Path) -> None:
    arm = "#if defined(__HIP__)\n#include <hip/hip_runtime.h>\n#endif\n"
    copied = read(tmp_path / "a", {f"libs/glm/{name}.hpp": arm for name in ("a", "b", "c")} | {"main.cpp": ""})
    assert copied.by(Way.SOURCES)
    assert not copied.is_there
    assert read(tmp_path / "b", {"src/a.cpp": arm, "src/b.cpp": arm}).is_there


def test_what_is_not_the_project_s_own_says_nothing(tmp_path: Path) -> None:
    vendored = {"third_party/lib/CMakeLists.txt": "option(USE_HIP OFF)\n", "net.py": "import torch\n"}
    assert not read(tmp_path, vendored, own="net").is_there


def test_gaudi_has_words_of_its_own(tmp_path: Path) -> None:
    files = {"net.py": "import habana_frameworks.torch as h\nh.step()\n", "README.md": "Supports AMD GPUs\n"}
    assert read(tmp_path, files, "gaudi").by(Way.CODE)
    assert not read(tmp_path, files, "gaudi").by(Way.DOCUMENTATION)


@pytest.mark.parametrize("left_out", [None, Way.CI, Way.CODE, Way.DOCUMENTATION])
def test_device_code_that_is_tried_asked_for_and_told_of_is_supported(left_out: Way | None) -> None:
    ways = [way for way in (Way.CI, Way.CODE, Way.DOCUMENTATION) if way is not left_out]
    evidence = tuple(Evidence(way, f"{way.value}{n}", n, "") for way in ways for n in (1, 2))
    assert Support("rocm", evidence, device_code=True).is_there is (left_out is None)
