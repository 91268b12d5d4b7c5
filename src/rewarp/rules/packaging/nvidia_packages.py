"""PKG-004: NVIDIA's own packages."""

import re
from collections.abc import Iterator
from dataclasses import replace

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document, Requirement
from rewarp.project.sides import is_for_amd, is_group_for_amd
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.packaging import PACKAGE_KINDS, PYTHON_ANCHORS, REQUIREMENTS_FOR_AMD, asked_for, packages
from rewarp.targets import Context

_NVIDIA = re.compile(
    r"nvidia-[\w-]*cu(da)?-?1[1-3]\d?0?|nvidia-(cudnn|nccl|cublas|cuda|cufft|cufile|curand|cusolver|cusparse|cutlass|dali"
    r"|nvjitlink|nvjpeg|nvtx|nvshmem|nvcomp|nvimgcodec|ml-py|pyindex|tensorrt)[\w-]*"
    r"|cuda-(python|bindings|core|pathfinder|toolkit|tile)|nvtx|nvshmem4py.*|pynvml|py3nvml|nvitop|gpustat|nvmath-python"
)
_BINDINGS = {"nvidia-ml-py", "nvidia-ml-py3", "pynvml", "py3nvml", "nvitop", "gpustat"}
_PLAIN = re.compile(r"nvtx|cuda-[a-z]+|nvidia-pyindex")
_FAILS = re.compile(r"nvidia-(dali|tensorrt)[\w-]*")


def _nvidia(item: Requirement) -> str | None:
    if item.group == "conda" or not _NVIDIA.fullmatch(item.name):
        return None
    if item.name in _BINDINGS:
        return f"{item.name} installs, but the driver it talks to is not there"
    if _PLAIN.fullmatch(item.name) or _FAILS.fullmatch(item.name):
        return f"{item.name} is of no use without an NVIDIA GPU"
    return f"{item.name} is downloaded and lies idle without an NVIDIA GPU"


@rule(
    id="PKG-004",
    title="NVIDIA packages are asked for",
    kinds=PACKAGE_KINDS,
    anchors=["nvidia*", "nvtx", "pynvml", "py3nvml", "nvitop", "gpustat", "cuda*", "nvmath*", "nvshmem4py*"],
    python_anchors=PYTHON_ANCHORS,
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.INFO,
        why="These packages carry NVIDIA's libraries or bindings to them: on an AMD machine they lie idle (gigabytes of "
        "them), and some do not install.",
        fix="Move them to an extra called cuda and leave the default set free of them.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.INFO,
        why="These packages carry NVIDIA's libraries or bindings to them: on a Gaudi machine they lie idle (gigabytes of "
        "them), and some do not install.",
        fix="Move them to an extra called cuda and leave the default set free of them.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="nvidia-cudnn-cu12==9.1.0.70",
    source="https://github.com/bghira/SimpleTuner/commit/409c8c4c2",
    fix=REQUIREMENTS_FOR_AMD,
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for nvidia-* packages, cuda-python and its kin, nvtx and NVML bindings. What installs anywhere only
    informs (whether the code imports it is another rule's subject), but for CUDA's libraries in a list for AMD; what
    does not install is an error."""
    for hit in packages(document, context, _nvidia):
        if hit.severity is None and _FAILS.fullmatch(hit.symbol):
            yield replace(hit, severity=Severity.CRASH)
        elif _is_library(hit.symbol) and _is_asked_of_amd(document, hit.symbol):
            yield replace(hit, severity=Severity.PERF)
        else:
            yield hit


def _is_library(name: str) -> bool:
    return name not in _BINDINGS and not _PLAIN.fullmatch(name)


def _is_asked_of_amd(document: Document, name: str) -> bool:
    if is_for_amd(document.source.path):
        return True
    return any(item.name == name and is_group_for_amd(item.group) for item in asked_for(document))
