"""What gates ask, what FP8's formats are given to and what AMD's classes tell torch: each bug with the code that is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.verify.choices import choices, views
from rewarp.workspace import Folder

ARCH = "torch.cuda.get_device_properties(0).gcnArchName"
FNUZ = """
import torch
def is_fp8_fnuz():
    return "gfx94" in torch.cuda.get_device_properties(0).gcnArchName
"""
NORMALIZE = """
import torch

def normalize_e4m3fn_to_e4m3fnuz(weight, weight_scale, input_scale=None):
    assert weight.dtype == torch.float8_e4m3fn
    codes = weight.view(torch.int8)
    {zero}
    weight = codes.{view}(torch.float8_e4m3fnuz)
    weight_scale = {scale}
    if input_scale is not None:
        input_scale = input_scale * 2.0
    return weight, weight_scale, input_scale
"""
RIGHT = {"zero": "codes[codes == -128] = 0", "view": "view", "scale": "weight_scale * 2.0"}
SCALES = """
class Cache:
    def load(self, layer, platform):
        k_scale = layer.k_scale
        v_scale = layer.v_scale
        if platform.is_fp8_fnuz():
            k_scale *= 2
{}
        return k_scale, v_scale
"""


def found(root: Path, text: str, arch: str | None = "gfx942") -> list[str]:
    (root / "module.py").write_text(text)
    return [choice.why for view in views(Folder(root), ["module.py"]) for choice in choices(view, [arch])]


CASES = {
    "a macro of AMD's that NVIDIA is given": (
        'import torch\nflags = []\nif not torch.version.hip:\n    flags.append("-DUSE_ROCM")',
        'import torch\nflags = []\nif not torch.version.hip:\n    flags += ["-DUSE_ROCM=0", "-DNO_ROCM", "-DUSE_CUDA_NOT_HIP"]\n'
        '    flags.remove("-DUSE_ROCM")\n    if "-DUSE_HIP" in flags:\n        flags.append("-DHIPPO")\nelse:\n    flags.append("-DUSE_ROCM")',
    ),
    "a macro of AMD's behind a gate with a fallback": (
        "try:\n    from torch.utils.cpp_extension import IS_HIP_EXTENSION as on\nexcept ImportError:\n    on = False\n"
        'flags = [] if on else ["-D__HIP_PLATFORM_AMD__=1"]',
        "try:\n    from torch.utils.cpp_extension import IS_HIP_EXTENSION as on\nexcept ImportError:\n    on = False\n"
        'flags = ["-D__HIP_PLATFORM_AMD__=1"] if on else []',
    ),
    "the capability of a GPU of another name": (
        "import torch\nis_mi300 = torch.version.hip and torch.cuda.get_device_capability() == (9, 5)",
        "import torch\nis_mi300 = torch.version.hip and torch.cuda.get_device_capability() == (9, 4)\n"
        "is_mi350 = torch.cuda.get_device_capability() == (9, 5)\n"
        "is_mi300_or_newer = torch.cuda.get_device_capability() == (9, 5)\n"
        "is_mi325x = torch.cuda.get_device_capability() in ((9, 4), (9, 5))\n"
        "is_hopper = torch.cuda.get_device_capability() == (9, 0)",
    ),
    "the capability of another GPU, asked by a function": (
        "import torch\ndef is_gfx942():\n    capability = torch.cuda.get_device_capability()\n    return capability == (9, 5)",
        "import torch\ndef is_gfx942():\n    capability = torch.cuda.get_device_capability()\n"
        "    return capability == (9, 5) or capability == (9, 4)",
    ),
    "a version that every torch has": (
        'import torch\nHIP_BUILD = hasattr(torch.version, "hip")',
        'import torch\nHIP_BUILD = hasattr(torch.version, "hip") and torch.version.hip is not None',
    ),
    "a word in a number": (
        'import torch\nok = torch.version.hip and "rocm" in torch.version.hip',
        'import torch\nok = "rocm" in torch.__version__',
    ),
    "an architecture in the name of a device": (
        'import torch\nname = torch.cuda.get_device_name(0)\nok = any(gfx in name for gfx in ["gfx94", "gfx95"])',
        f'import torch\nname = {ARCH}\nok = any(gfx in name for gfx in ["gfx94", "gfx95"])',
    ),
    "a text that is true": (
        f'import torch\nname = {ARCH}\nif "gfx1200" or "gfx1201" in name:\n    ok = True',
        f'import torch\nname = {ARCH} or "gfx942"\nif "gfx1200" in name or "gfx1201" in name:\n    ok = True',
    ),
    "two GPUs at once": (
        f'import torch\nname = {ARCH}\nok = all(gfx in name for gfx in ["gfx942", "gfx950"])',
        f'import torch\nname = {ARCH}\nok = all(gfx in name for gfx in ["gfx94", "gfx942"])',
    ),
    "the whole name in a part of it": (
        f'import torch\nname = {ARCH}\nok = any(name in gfx for gfx in ["gfx942", "gfx950"])',
        f'import torch\nname = {ARCH}.split(":")[0]\nok = any(name in gfx for gfx in ["gfx942", "gfx950"])',
    ),
    "the whole name equals a part of it": (
        f'import torch\nname = {ARCH}\nok = any(gfx == name for gfx in ["gfx942", "gfx950"])',
        f'import torch\nname = {ARCH}.split(":")[0]\nok = any(gfx == name for gfx in ["gfx942", "gfx950"])',
    ),
    "a property by another name": (
        "import torch\nname = torch.cuda.get_device_properties(0).gcn_arch_name",
        "import torch\nname = own_rocm_properties(0).gcn_arch_name",
    ),
    "a gate that NVIDIA passes": (
        "import torch\ndef is_rocm():\n    return torch.cuda.is_available()",
        "import torch\ndef is_cuda_alike():\n    return torch.cuda.is_available()",
    ),
    "a gate that is turned round, where there is a GPU": (
        "import torch\ndef is_rocm():\n    return torch.cuda.is_available() and torch.version.hip is None",
        "import torch\ndef is_rocm():\n    return torch.cuda.is_available() and torch.version.hip is not None",
    ),
    "a gate that another question does not save": (
        "import torch\ndef is_hip():\n    return unknown() and torch.version.hip is None",
        "import torch\ndef is_hip():\n    return unknown() and torch.version.hip is not None",
    ),
    "NVIDIA's gate asks for any GPU": (
        "import torch\ndef is_hip():\n    return torch.version.hip is not None\n"
        "def is_cuda():\n    there = torch.cuda.is_available()\n    return there and not is_tpu()",
        "import torch\ndef is_hip():\n    return torch.version.hip is not None\n"
        "def is_cuda():\n    there = torch.cuda.is_available() and torch.version.cuda\n    return there and not is_tpu()",
    ),
    "a gate for another family": (
        f'import torch\ndef is_navi():\n    return "gfx9" in {ARCH}',
        f'import torch\ndef is_navi():\n    return "gfx1" in {ARCH}',
    ),
    "the device of AMD's class": (
        'class RocmPlatform:\n    device_type: str = "cpu"',
        'class RocmPlatform:\n    device_name = "rocm"\n    device_type: str = "cuda"\nclass CpuPlatform:\n    device_type = "cpu"',
    ),
    "the back end of AMD's class": (
        'class RocmPlatform:\n    dist_backend = "rccl"',
        'class RocmPlatform:\n    dist_backend = "nccl"',
    ),
    "another variable than the one asked for": (
        'import os\nif "HIP_VISIBLE_DEVICES" in os.environ:\n    n = os.environ["ROCR_VISIBLE_DEVICES"]',
        'import os\nif "HIP_VISIBLE_DEVICES" in os.environ:\n    n = os.environ["HIP_VISIBLE_DEVICES"]\n'
        '    os.environ["CUDA_VISIBLE_DEVICES"] = n',
    ),
    "NVIDIA's toolkit for ROCm's": (
        'import os\nrocm_home = os.getenv("CUDA_HOME")',
        'import os\nrocm_home = os.getenv("ROCM_HOME") or os.getenv("CUDA_HOME")',
    ),
    "a device that nobody asks ROCm for": (
        'import torch\nTARGET_DEVICE = "cuda"\nif torch.version.cuda is None and unknown():\n    TARGET_DEVICE = "cpu"',
        'import torch\nTARGET_DEVICE = "cuda"\nif torch.version.cuda is None and unknown() and torch.version.hip is None:\n'
        '    TARGET_DEVICE = "cpu"',
    ),
    "a switch that is off on ROCm": (
        "import torch\nif torch.version.cuda and unknown():\n    install(use_cuda=True)\nelse:\n    install(use_cuda=False)",
        "import torch\nif (torch.version.cuda or torch.version.hip) and unknown():\n    install(use_cuda=True)\n"
        "else:\n    install(use_cuda=False)",
    ),
    "a list of devices": (
        'import torch\ndevices = ["cpu"]\nif torch.cuda.is_available() and torch.version.cuda:\n    devices.append("cuda")',
        'import torch\ndevices = ["cpu"]\nif torch.cuda.is_available():\n    devices.append("cuda")',
    ),
    "the sides of fnuz swapped": (
        FNUZ
        + "def dtype():\n    if is_fp8_fnuz():\n        return torch.float8_e4m3fn\n    return torch.float8_e4m3fnuz",
        FNUZ
        + "def dtype():\n    if is_fp8_fnuz():\n        return torch.float8_e4m3fnuz\n    return torch.float8_e4m3fn",
    ),
    "another number of bits": (
        FNUZ + "kind = torch.float8_e5m2fnuz if is_fp8_fnuz() else torch.float8_e4m3fn",
        FNUZ + "kind = torch.float8_e4m3fnuz if is_fp8_fnuz() else torch.float8_e4m3fn",
    ),
    "one of two formats": (
        FNUZ + "if special():\n    a = torch.float8_e4m3fnuz\n    b = torch.float8_e5m2",
        FNUZ + "if special():\n    a = torch.float8_e4m3fnuz\n    b = torch.float8_e5m2fnuz",
    ),
    "the capability of another GPU": (
        "import torch\ndef supports_fnuz():\n    return torch.version.hip and torch.cuda.get_device_capability() == (9, 0)",
        "import torch\ndef supports_fnuz():\n    return torch.version.hip and torch.cuda.get_device_capability() == (9, 4)",
    ),
    "keys and values": (
        FNUZ
        + "def f(key_cache, value_cache):\n    if is_fp8_fnuz():\n        key_cache = key_cache.view(torch.float8_e4m3fnuz)\n"
        "        value_cache = value_cache.view(torch.float8_e4m3fn)\n    return key_cache, value_cache",
        FNUZ
        + "def f(key_cache, value_cache):\n    if is_fp8_fnuz():\n        key_cache = key_cache.view(torch.float8_e4m3fnuz)\n"
        "        value_cache = value_cache.view(torch.float8_e4m3fnuz)\n    return key_cache, value_cache",
    ),
    "keys by their bits and values by their numbers": (
        FNUZ
        + "def f(k_cache, v_cache):\n    if is_fp8_fnuz():\n        k_cache = k_cache.view(torch.float8_e4m3fnuz)\n"
        "        v_cache = v_cache.to(torch.float8_e4m3fnuz)\n    return k_cache, v_cache",
        FNUZ + "def f(k_cache, v_cache):\n    if is_fp8_fnuz():\n        k_cache = k_cache.to(torch.float8_e4m3fnuz)\n"
        "        v_cache = v_cache.to(torch.float8_e4m3fnuz)\n    return k_cache, v_cache",
    ),
    "another format than is told": (
        'import torch\nif x.dtype != torch.float8_e4m3fn:\n    raise TypeError("must be float8_e4m3fnuz")',
        'import torch\nif x.dtype != torch.float8_e4m3fnuz:\n    raise TypeError("must be float8_e4m3fnuz")',
    ),
    "made fnuz where it is not": (
        FNUZ + "if not is_fp8_fnuz():\n    w, s = normalize_e4m3fn_to_e4m3fnuz(w, s)",
        FNUZ + "if is_fp8_fnuz():\n    w, s = normalize_e4m3fn_to_e4m3fnuz(w, s)",
    ),
    "a word that the platform is never called": (
        'import torch\nif torch.version.hip:\n    SYSTEM = "rocm"\nelse:\n    SYSTEM = "cuda"\nok = SYSTEM == "hip"',
        'import torch\nif torch.version.hip:\n    SYSTEM = "rocm"\nelse:\n    SYSTEM = name()\nok = SYSTEM == "hip"',
    ),
    "Triton's name for AMD": (
        'import triton\nok = triton.runtime.driver.active.get_current_target().backend == "rocm"',
        'import triton\nok = triton.runtime.driver.active.get_current_target().backend == "hip" or own.backend == "rocm"',
    ),
    "NVIDIA's tool": (
        'import shutil\nimport torch  # cuda\ndef has_gpu():\n    return shutil.which("nvidia-smi") is not None',
        'import shutil\nimport torch  # cuda\ndef has_gpu():\n    return shutil.which("nvidia-smi") or shutil.which("rocm-smi")',
    ),
    "one scale of two": (SCALES.format(""), SCALES.format("            v_scale *= 2")),
    "minus zero": (NORMALIZE.format(**{**RIGHT, "zero": "pass"}), NORMALIZE.format(**RIGHT)),
    "codes as numbers": (
        NORMALIZE.format(**{**RIGHT, "view": "to"}),
        NORMALIZE.format(**{**RIGHT, "zero": "codes = torch.where(codes == -128, 0, codes)"}),
    ),
    "a scale that stays": (
        NORMALIZE.format(**{**RIGHT, "scale": "weight_scale"}),
        NORMALIZE.format(**{**RIGHT, "scale": "doubled(weight_scale)"}),
    ),
    "a scale that is halved": (
        NORMALIZE.format(**{**RIGHT, "scale": "weight_scale / 2"}),
        NORMALIZE.format(**{**RIGHT, "scale": "weight_scale / 0.5"}),
    ),
}


@pytest.mark.parametrize(("wrong", "right"), CASES.values(), ids=CASES)
def test_found_where_it_is_wrong_and_not_where_it_is_right(tmp_path: Path, wrong: str, right: str) -> None:
    assert len(found(tmp_path, wrong)) == 1
    assert found(tmp_path, right) == []


def test_a_branch_that_reads_the_version_may_ask_for_its_name_first(tmp_path: Path) -> None:
    text = 'import torch\nif hasattr(torch.version, "hip"):\n    rocm = torch.version.hip\n'
    assert found(tmp_path, text) == []


def test_only_the_one_asked_for_has_another_capability(tmp_path: Path) -> None:
    text = "import torch\ndef supports_fnuz():\n    return torch.cuda.get_device_capability() == (9, 5)\n"
    assert len(found(tmp_path, text)) == 1
    assert found(tmp_path, text, "gfx950") == []


def test_a_word_of_another_module(tmp_path: Path) -> None:
    text = 'from system import SYSTEM  # rocm\nok = SYSTEM == "hip"\n'
    (tmp_path / "system.py").write_text("SYSTEM = None\nif a:\n    SYSTEM = 'rocm'\nelse:\n    SYSTEM = 'cpu'\n")
    assert found(tmp_path, text) == ["SYSTEM is one of cpu, rocm, and never hip"]
    (tmp_path / "system.py").write_text(
        "def set(name):\n    global SYSTEM\n    SYSTEM = name\nSYSTEM = 'rocm'\nSYSTEM = 'cpu'\n"
    )
    assert found(tmp_path, text) == []
