"""What a ported tree's Python chooses by the platform: each choice with its near-miss."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.verify.choices import choices, views
from rewarp.workspace import Folder

UTILS = """
import torch

def is_cuda():
    return torch.cuda.is_available() and torch.version.cuda is not None

def is_hip():
    return torch.version.hip is not None
"""


def found(root: Path, text: str, arch: str | None = None, **others: str) -> list[tuple[str, int]]:
    for name, content in {"module": text, **others}.items():
        (root / f"{name}.py").write_text(content)
    (root / "utils.py").write_text(UTILS)
    tree = Folder(root)
    return [(choice.why, choice.line) for view in views(tree, ["module.py"]) for choice in choices(view, [arch])]


HITS = {
    "a device by a branch that only NVIDIA takes": """
import os
import torch

def get_device():
    if torch.version.cuda is not None:
        if "LOCAL_RANK" in os.environ:
            return "cuda:0"
        return "cuda"
    elif torch.backends.mps.is_available():
        return "mps"
    return "cpu"
""",
    "a device by a gate of another module": """
import torch
from utils import is_cuda

def get_device():
    if is_cuda():
        return torch.device("cuda")
    return torch.device("cpu")
""",
    "no device is counted": """
import torch

def num_cuda_devices():
    return torch.cuda.device_count() if torch.version.cuda else 0
""",
    "a property that torch does not have, of what an object keeps": """
import torch

class Rocm:
    def __init__(self):
        self.properties = torch.cuda.get_device_properties(0)

    def arch(self):
        return self.properties.gcnArch
""",
    "the switch of a build": """
import torch
from torch.utils.cpp_extension import CUDA_HOME

WITH_CUDA = False
if torch.cuda.is_available():
    WITH_CUDA = CUDA_HOME is not None
""",
    "names swapped": """
import torch

def library():
    is_hip = bool(torch.version.hip)
    prefix = "cuda" if is_hip else "rocm"
    return f"lib_{prefix}.so"
""",
    "imports swapped": """
from utils import is_hip

if not is_hip():
    from kernels.rocm_ops import run
else:
    from kernels.cuda_ops import run
""",
    "a gate that says the opposite of its name": """
import torch

def is_hip():
    return torch.version.cuda is not None
""",
    "a tool of AMD's where only NVIDIA comes": """
import subprocess
import torch

def arch():
    if torch.version.cuda:
        return subprocess.run(["rocminfo"])
    return "unknown"
""",
    "a name that only NVIDIA's import binds": """
from utils import is_cuda

if is_cuda():
    from kernels import silu_and_mul

def forward(x):
    return silu_and_mul(x)
""",
    "a version that torch does not have": """
import torch

if getattr(torch.version, "rocm", None):
    warps = 16
""",
    "an answer that ROCm gives too": """
import torch

if torch.cuda.is_available():
    SYSTEM = "cuda"
elif torch.version.hip is not None:
    SYSTEM = "rocm"
""",
    "NVIDIA's name for both": """
import torch

def is_cuda():
    return torch.cuda.is_available()

def is_hip():
    return torch.version.hip is not None
""",
    "NVML counts": """
def num_cuda_devices():
    try:
        import pynvml
        return pynvml.nvmlDeviceGetCount()
    except Exception:
        return 0
""",
    "the limit of the other format": """
def limits(platform):
    if platform.is_fp8_fnuz():
        return -224.0, 448.0
    return -448.0, 448.0
""",
    "Triton's name of the other format": """
NAMES = {"float8_e4m3fn": "fp8e4nv", "float8_e4m3fnuz": "fp8e4nv"}
""",
}


@pytest.mark.parametrize("text", HITS.values(), ids=HITS)
def test_a_choice_that_comes_out_wrong_is_found(tmp_path: Path, text: str) -> None:
    assert len(found(tmp_path, text)) == 1


MISSES = {
    "a class of NVIDIA's by its name": """
import torch

if torch.version.hip:
    import amdsmi
else:
    import pynvml as nvml


class NvidiaDevices:
    def count(self):
        return nvml.nvmlDeviceGetCount()
""",
    "a branch for Windows": """
import sys
import torch

if sys.platform == "win32":

    def name():
        return torch.cuda.get_device_properties(0).gcnArchName
""",
    "torch's own question": """
import torch

def get_device():
    if torch.cuda.is_available():
        return "cuda"
    return "cpu"
""",
    "a branch of each": """
import torch

def get_device():
    if torch.version.cuda:
        return "cuda"
    if torch.version.hip:
        return "cuda:0"
    return "cpu"
""",
    "NVIDIA by its name": """
import torch

def is_cuda():
    return torch.cuda.is_available() and torch.version.cuda is not None

USE_CUDA = torch.version.cuda is not None
USE_ROCM = torch.version.hip is not None
""",
    "a feature of NVIDIA's GPUs": """
import torch

has_fp4 = torch.cuda.is_available() and torch.version.cuda is not None
def supports_flash3():
    return torch.cuda.is_available() and torch.version.hip is None
""",
    "each its own": """
import torch

prefix = "rocm" if torch.version.hip else "cuda"
if torch.version.hip is None:
    raise RuntimeError("this file needs rocm")
""",
    "told to people": """
from utils import is_hip

if not is_hip():
    print("rocminfo lists AMD's GPUs; use a build for rocm")
else:
    print("cuda")
""",
    "NVIDIA's own function": """
from utils import is_cuda

if is_cuda():
    from kernels import silu_and_mul

def forward_cuda(x):
    return silu_and_mul(x)

def forward(x):
    if is_cuda():
        return silu_and_mul(x)
    return x
""",
    "bound on both ways": """
from utils import is_cuda, is_hip

if is_cuda():
    from kernels import silu_and_mul
elif is_hip():
    from others import silu_and_mul

def forward(x):
    return silu_and_mul(x)
""",
    "whose build torch is": """
import torch

has_cuda = torch.version.cuda is not None
""",
    "ROCm asked first": """
import torch

if torch.version.hip is not None:
    SYSTEM = "rocm"
elif torch.cuda.is_available():
    SYSTEM = "cuda"
""",
    "each format its own": """
NAMES = {"float8_e4m3fn": "fp8e4nv", "float8_e4m3fnuz": "fp8e4b8"}

def limits(platform):
    if not platform.is_fp8_fnuz():
        return 448.0
    return 224.0
""",
}


@pytest.mark.parametrize("text", MISSES.values(), ids=MISSES)
def test_a_choice_that_is_meant_so_is_left_alone(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text) == []


BY_ARCH = {
    "a table": ('import torch\nTYPES = {"gfx942": torch.float8_e4m3fn, "gfx950": torch.float8_e4m3fn}', "gfx942"),
    "a macro": ('macro = "-DHIP_FP8_TYPE_E4M3" if arch == "gfx942" else "-DHIP_FP8_TYPE_FNUZ"', "gfx942"),
    "the other way": ('macro = "-DHIP_FP8_TYPE_FNUZ" if arch == "gfx950" else "-DHIP_FP8_TYPE_E4M3"', "gfx950"),
    "a name": ('def is_fp8_fnuz(arch):\n    return "gfx95" in arch', "gfx942"),
    "a list": ('def is_MI300(arch):\n    return arch in ["gfx940", "gfx950"]', "gfx942"),
    "negated": (
        "import torch\nclass C:\n    def f(self):\n        if torch.version.hip and not is_MI300():\n"
        "            self.t = torch.float8_e4m3fnuz\n",
        "gfx942",
    ),
    "the whole name, where there is a GPU": (
        'import torch\narch = ""\nif torch.cuda.is_available():\n    arch = torch.cuda.get_device_properties(0).gcnArchName\n'
        'ok = arch in ["gfx942", "gfx950"]',
        "gfx942",
    ),
    "held in a name": (
        'there = arch == "gfx950"\nmacro = "-DHIP_FP8_TYPE_FNUZ" if there else "-DHIP_FP8_TYPE_E4M3"',
        "gfx950",
    ),
    "the whole name": (
        'import torch\narch = torch.cuda.get_device_properties(0).gcnArchName\nok = arch in ["gfx942", "gfx950"]',
        "gfx942",
    ),
}


@pytest.mark.parametrize(("text", "arch"), BY_ARCH.values(), ids=BY_ARCH)
def test_a_choice_by_the_gpu_is_judged_for_the_one_asked_for(tmp_path: Path, text: str, arch: str) -> None:
    assert len(found(tmp_path, text, arch)) == 1
    assert found(tmp_path, text) == [], "without an architecture nothing is said"


@pytest.mark.parametrize(
    "text",
    [
        'import torch\nTYPES = {"gfx942": torch.float8_e4m3fnuz, "gfx950": torch.float8_e4m3fn}',
        'macro = "-DHIP_FP8_TYPE_FNUZ" if arch == "gfx942" else "-DHIP_FP8_TYPE_E4M3"',
        'def is_fp8_fnuz(arch):\n    return "gfx94" in arch',
        'def is_MI300(arch):\n    return arch in ["gfx940", "gfx941", "gfx942"]',
        'def is_mi350(arch):\n    return arch == "gfx950"',
        'import torch\narch = torch.cuda.get_device_properties(0).gcnArchName.split(":")[0]\nok = arch == "gfx942"',
        'import torch\narch = torch.cuda.get_device_properties(0).gcnArchName\narch = arch.split(":")[0]\nok = arch == "gfx942"',
        'import torch\nok = "gfx942" in torch.cuda.get_device_properties(0).gcnArchName',
        'macro = "-DHIP_FP8_TYPE_FNUZ" if arch in ("gfx950", *MORE) else "-DHIP_FP8_TYPE_E4M3"',
        'if arch == "gfx950":\n    ok = x.dtype in (torch.float8_e4m3fnuz, torch.float8_e4m3fn)\n',
    ],
)
def test_what_the_gpu_has_is_left_alone(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text, "gfx942") == []


def test_a_file_of_nvidias_is_not_taken_where_amds_lies_beside_it(tmp_path: Path) -> None:
    text = "from utils import is_hip\nname = 'cuda.txt' if is_hip() else 'common.txt'\n"
    (tmp_path / "cuda.txt").write_text("")
    assert found(tmp_path, text) == [], "there is no other"
    (tmp_path / "rocm.txt").write_text("")
    assert len(found(tmp_path, text)) == 1


def test_what_a_library_brings_is_read_where_it_is_asked_for(tmp_path: Path) -> None:
    text = """
from utils import is_cuda

def is_flash_attn_available():
    return is_cuda()

if {}():
    from flash import attend

class Attention:
    def forward(self, x):
        return attend(x)
"""
    assert found(tmp_path, text.format("is_flash_attn_available")) == []
    assert [line for _, line in found(tmp_path, text.format("is_cuda"))] == [12]


def test_a_method_that_amds_class_overrides(tmp_path: Path) -> None:
    text = """
import torch

class Platform:
    @classmethod
    def is_fp8_fnuz(cls):
        return False  # gfx942 is told by its own class
"""
    assert [line for _, line in found(tmp_path, text, "gfx942")] == [6]
    amds = "class RocmPlatform:\n    @classmethod\n    def is_fp8_fnuz(cls):\n        return True\n"
    assert found(tmp_path, text, "gfx942", rocm=amds) == []
