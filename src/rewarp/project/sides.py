"""What a path says about the platform that a file is for.

``requirements/cuda.txt`` is the NVIDIA side of a project that already has sides; ``Dockerfile.rocm`` and
``requirements-tpu.txt`` are somebody else's.
"""

from __future__ import annotations

import re
from enum import Enum

from rewarp.lang.kinds import PYTHON_KINDS, Kind

_WORD = re.compile(r"[a-z]+[0-9]*[a-z]*|[0-9]+")
_NVIDIA = re.compile(r"cuda[0-9]*|cu[0-9]{2,3}|nvidia|nvcr|nv|tensorrt|trtllm|[ahbv][0-9]{3}|gb[0-9]{3}|gh200|jetson")
_AMD = re.compile(r"rocm[0-9]*|hip|amd|amdgpu|mi[0-9]{2,3}[axe]?|gfx[0-9a-f]+")
_OTHER = re.compile(
    rf"{_AMD.pattern}|cpu|xpu|tpu|hpu|gaudi[0-9]*|habana|neuron|npu|ascend"
    r"|cann|xla|mlx|musa|mps|metal|macos|darwin|apple|openvino|vulkan|sycl|intel|s390x|ppc64le|riscv[0-9]*|zendnn|opencl"
)


class Side(Enum):
    """Whom a file is for."""

    ANY = "any"
    NVIDIA = "nvidia"
    OTHER = "other"


def side_of(path: str, kind: Kind | None = None) -> Side:
    """The platform that a path names. The file's own name counts first, then its nearest folders."""
    for part in reversed(path.lower().split("/")[-3:]):
        words = set(_WORD.findall(part))
        other = any(_OTHER.fullmatch(word) for word in words)
        nvidia = any(_NVIDIA.fullmatch(word) for word in words)
        if kind in PYTHON_KINDS:
            # In Python "cuda" is also the name of torch's device, which ROCm shares.
            nvidia = "nvidia" in words
        if other != nvidia:
            return Side.OTHER if other else Side.NVIDIA
        if other:
            return Side.ANY
    return Side.ANY


def is_for_amd(path: str) -> bool:
    """Whether a path says that the file is what AMD's users build, install or run with."""
    for part in reversed(path.lower().split("/")[-3:]):
        words = set(_WORD.findall(part))
        if any(_NVIDIA.fullmatch(word) or _OTHER.fullmatch(word) for word in words):
            amd = {word for word in words if _AMD.fullmatch(word)}
            return bool(amd) and not any(_NVIDIA.fullmatch(word) or _OTHER.fullmatch(word) for word in words - amd)
    return False


def is_group_for_amd(group: str) -> bool:
    """Whether an extra or a group of dependencies is AMD's by its name: rocm, srt_hip, rocm720."""
    return is_for_amd(group.rpartition("/")[2])
