"""Ported Python is run on a stand-in for PyTorch, once as a CUDA build and once as a ROCm build."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from test_port_python import PLAIN, ported, tree_of

from rewarp.config import Config

Names = dict[str, Any]


def torch_for(platform: str, capability: tuple[int, int]) -> ModuleType:
    torch = ModuleType("torch")
    rocm = platform == "rocm"
    torch.version = SimpleNamespace(hip="7.2.1" if rocm else None, cuda=None if rocm else "12.8")  # type: ignore[attr-defined]
    properties = SimpleNamespace(gcnArchName="gfx942:sramecc+", major=capability[0], minor=capability[1])
    torch.cuda = SimpleNamespace(  # type: ignore[attr-defined]
        get_device_capability=lambda device=None: capability,
        get_device_properties=lambda device=None: properties,
        current_device=lambda: 0,
    )
    torch.float8_e4m3fn, torch.float8_e4m3fnuz = "fn", "fnuz"  # type: ignore[attr-defined]
    return torch


def run_as(platform: str, source: bytes, monkeypatch: pytest.MonkeyPatch, **modules: object) -> Names:
    capability = (9, 4) if platform == "rocm" else (9, 0)
    monkeypatch.setitem(sys.modules, "torch", torch_for(platform, capability))
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)  # None: the import fails
    names: Names = {"__name__": "module"}
    exec(compile(source, "module.py", "exec"), names)
    return names


def port_text(text: str, folder: Path, config: Config = PLAIN) -> bytes:
    after, _ = ported(tree_of({"module.py": text.encode()}, folder, config))
    data = after.read("module.py")
    assert data is not None
    assert data != text.encode()
    return data


def test_capability_takes_the_right_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """import torch

def ampere():
    return torch.cuda.get_device_capability() >= (8, 0)

def hopper():
    return torch.cuda.get_device_capability()[0] >= 9

def before_hopper():
    if torch.cuda.get_device_capability() < (9, 0):
        return True
    return False

def is_h100():
    return torch.cuda.get_device_capability() in [(9, 0), (9, 4)]

def other():
    return torch.cuda.get_device_capability() != (9, 0)
"""
    after = port_text(text, tmp_path)
    names = ("ampere", "hopper", "before_hopper", "is_h100", "other")
    old, cuda = run_as("cuda", text.encode(), monkeypatch), run_as("cuda", after, monkeypatch)
    assert [cuda[name]() for name in names] == [old[name]() for name in names] == [True, True, False, True, False]
    rocm = run_as("rocm", after, monkeypatch)
    assert [rocm[name]() for name in names] == [True, False, True, False, True]


def test_version_of_cuda_is_not_asked_on_rocm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """import torch

def new():
    return torch.version.cuda >= "12.3"

def check():
    assert torch.version.cuda > "11"
    return not torch.version.cuda.startswith("11")
"""
    after = port_text(text, tmp_path)
    cuda, rocm = run_as("cuda", after, monkeypatch), run_as("rocm", after, monkeypatch)
    assert (cuda["new"](), cuda["check"]()) == (True, True)
    assert (rocm["new"](), rocm["check"]()) == (False, True)
    with pytest.raises(TypeError):
        run_as("rocm", text.encode(), monkeypatch)["new"]()


def test_libraries_of_nvidia_are_not_imported_on_rocm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import torch\nimport pynvml\nfrom tinycudann import Encoding as E\n\n"
    text += "def f():\n    return pynvml, E\n"
    after = port_text(text, tmp_path)
    there: dict[str, object] = {"pynvml": "nvml", "tinycudann": SimpleNamespace(Encoding="tcnn")}
    absent: dict[str, object] = dict.fromkeys(there)
    assert run_as("cuda", after, monkeypatch, **there)["f"]() == ("nvml", "tcnn")
    with pytest.raises(ImportError):  # on NVIDIA a missing library is an error, as before
        run_as("cuda", after, monkeypatch, **absent)
    assert run_as("rocm", after, monkeypatch, **absent)["f"]() == (None, None)
    assert run_as("rocm", after, monkeypatch, **there)["f"]() == (None, "tcnn")


def test_nvtx_does_nothing_on_rocm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """import torch
from nvtx import annotate

@annotate("step", color="green")
def step(x):
    with annotate(message="inner"):
        return x + 1
"""
    after = port_text(text, tmp_path)
    assert run_as("rocm", after, monkeypatch, nvtx=None)["step"](1) == 2


def test_visible_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """import os
import torch

def devices():
    return os.environ.get("CUDA_VISIBLE_DEVICES", "none")
"""
    after = port_text(text, tmp_path)
    for name in ("CUDA", "HIP", "ROCR"):
        monkeypatch.delenv(f"{name}_VISIBLE_DEVICES", raising=False)
    cuda, rocm = run_as("cuda", after, monkeypatch)["devices"], run_as("rocm", after, monkeypatch)["devices"]
    assert (cuda(), rocm()) == ("none", "none")
    for name, seen in (("CUDA", "0"), ("ROCR", "1"), ("HIP", "2")):
        monkeypatch.setenv(f"{name}_VISIBLE_DEVICES", seen)
        assert (cuda(), rocm()) == ("0", seen)


def test_fp8_by_the_gpu_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import torch\n\ndef kind(x):\n    x.to(torch.float8_e4m3fn)\n    return x.amax / 448.0\n"
    after = port_text(text, tmp_path, Config(arch="gfx942"))
    for platform, expected in (("cuda", ("fn", 448.0)), ("rocm", ("fnuz", 240.0))):
        kinds: list[str] = []
        scale = run_as(platform, after, monkeypatch)["kind"](SimpleNamespace(to=kinds.append, amax=1.0))
        assert (kinds, 1 / scale) == ([expected[0]], pytest.approx(expected[1]))


def test_error_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """import torch

def retry(e):
    if "CUDA out of memory" in str(e):
        return True
    return False
"""
    after = port_text(text, tmp_path)
    cuda, rocm = run_as("cuda", after, monkeypatch)["retry"], run_as("rocm", after, monkeypatch)["retry"]
    assert [cuda("CUDA out of memory"), cuda("HIP out of memory")] == [True, False]
    assert [rocm("CUDA out of memory"), rocm("HIP out of memory"), rocm("other")] == [True, True, False]
