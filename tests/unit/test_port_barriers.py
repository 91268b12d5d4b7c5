"""What stands in a port's way outside the sources, and what the project has for AMD already."""

from __future__ import annotations

from pathlib import Path

import pytest
from port_trees import plain

from rewarp.port.changes import PortOptions
from rewarp.port.engine import port
from rewarp.port.planning.barriers import barriers
from rewarp.port.tree import Tree
from rewarp.report.pull_request import body
from rewarp.targets import TARGETS

MODULES = b'[submodule "lib/spconv"]\n\tpath = lib/spconv\n\turl = https://host/spconv\n'
README = b"cd lib/spconv && python setup.py bdist_wheel\n"
MODEL = b"import torch\nimport spconv\n"
THC = b"#include <torch/extension.h>\n#include <THC/THC.h>\nint f() { return 1; }\n"
SETUP = (
    b"from setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"
    b'setup(ext_modules=[CUDAExtension("x", ["a.cpp", "k.cu"])], cmdclass={"build_ext": BuildExtension})\n'
)


def test_a_submodule_that_is_not_here_is_told_first(tmp_path: Path) -> None:
    files = {".gitmodules": MODULES, "README.md": README, "net/model.py": MODEL, "net/__init__.py": b""}
    files |= {"setup.py": SETUP, "a.cpp": THC, "k.cu": b"__global__ void k() {}\n"}
    text = body(port(Tree(plain(tmp_path, files)), TARGETS["rocm"]))
    assert text.startswith("# Prepare for AMD ROCm\n")
    assert text.index("lib/spconv") < text.index("`a.cpp`")
    assert "2 places stop it on AMD ROCm; 1 fewer after this" in text
    assert "Nothing that is known" not in text
    here = plain(tmp_path / "here", {**files, "lib/spconv/spconv/__init__.py": b""})
    text = body(port(Tree(here), TARGETS["rocm"]))
    assert text.startswith("# Support AMD ROCm\n")
    assert "By this alone" not in text


def test_a_submodule_that_nothing_imports_stops_nobody(tmp_path: Path) -> None:
    assert not barriers(Tree(plain(tmp_path, {".gitmodules": MODULES, "README.md": README, "a.py": b"import torch\n"})))


@pytest.mark.parametrize(
    ("path", "asked", "old"),
    [
        ("requirements.txt", "torch==1.1", True),
        ("requirements.txt", "numpy\ntorch==1.7.1+cu110  # as it was\n", True),
        ("requirements.txt", "torch===1.4.0; python_version < '3.8'", True),
        ("requirements.txt", "torch==1.8", False),
        ("requirements.txt", "torch==2.1.*", False),
        ("requirements.txt", "torch>=1.1", False),
        ("requirements.txt", "torchvision==0.3", False),
        ("requirements.txt", "# torch==1.1", False),
        ("tests/requirements.txt", "torch==1.1", False),
    ],
)
def test_pins_of_a_torch_older_than_any_for_rocm(path: str, asked: str, old: bool, tmp_path: Path) -> None:
    found = barriers(Tree(plain(tmp_path, {path: asked.encode(), "a.py": b"import torch\n"})))
    assert [item.path for item in found] == [path] * old
    assert all(item.stops and item.line == asked[: asked.index("torch")].count("\n") + 1 for item in found)


PLATFORM = b"import torch\n\nIS_ROCM = torch.version.hip is not None\n"
HOPPER = b'import torch\n\nif torch.cuda.get_device_capability() >= (9, 0):\n    MODE = "wgmma"\n'


@pytest.mark.parametrize(
    ("more", "changed"),
    [
        ({}, True),
        ({"Dockerfile.rocm": b"FROM rocm/pytorch:latest\nRUN pip install .\n"}, False),
    ],
)
def test_who_runs_on_amd_already_has_told_architectures_apart(
    more: dict[str, bytes], changed: bool, tmp_path: Path
) -> None:
    files = {"net/__init__.py": b"", "net/platform.py": PLATFORM, "net/attention.py": HOPPER, **more}
    result = port(Tree(plain(tmp_path, files)), TARGETS["rocm"])
    assert [change.path for change in result.changes] == ["net/attention.py"] * changed
    assert bool(result.support) is not changed
    assert ("supports AMD ROCm already, by `Dockerfile.rocm:1`" in body(result)) is not changed
    assert any("the project runs on AMD ROCm already" in item.why for item in result.manual) is not changed


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        (b"def is_fp8_supported():\n    return torch.cuda.get_device_capability() >= (9, 0)\n", False),
        (b"HAS_FP8 = torch.cuda.get_device_capability() >= (9, 0)\n", False),
        (b"def is_hopper():\n    return torch.cuda.get_device_capability() >= (9, 0)\n", True),
    ],
)
def test_fp8_is_not_switched_off_on_all_of_amds_gpus(source: bytes, changed: bool, tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"a.py": b"import torch\n\n\n" + source}))
    result = port(tree, TARGETS["rocm"], options=PortOptions(wanted=frozenset({"tuning"})))
    assert bool(result.changes) is changed
    assert any("FP8" in item.why for item in result.manual) is not changed


def test_places_of_a_project_that_runs_on_amd_stop_parts_of_it(tmp_path: Path) -> None:
    files = {"net/__init__.py": b"", "net/platform.py": PLATFORM, "net/power.py": b"import torch\nimport pynvml\n"}
    image = b"FROM rocm/pytorch:latest\nRUN pip install .\n"
    texts = [
        body(port(Tree(plain(tmp_path / name, {**files, **more})), TARGETS["rocm"]))
        for name, more in (("without", {}), ("with", {"Dockerfile.rocm": image}))
    ]
    assert ["stops it on AMD" in text for text in texts] == [True, False]
    assert ["stops parts of it on AMD" in text for text in texts] == [False, True]
