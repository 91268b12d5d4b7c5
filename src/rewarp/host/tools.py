"""The vendors' tools: which are here, which version, and do they work?"""

from __future__ import annotations

import re
from typing import NamedTuple

from rewarp.host.facts import Fact, Tool, ToolState
from rewarp.host.host import Host


class Known(NamedTuple):
    name: str
    purpose: str
    arguments: tuple[str, ...]
    """What makes it print its version; empty when it cannot."""
    version: str = r"(?!)"


TOOLS = (
    Known(
        "nvidia-smi",
        "NVIDIA driver and devices",
        ("--version",),
        r"(?i)NVIDIA-SMI version\s*:\s*([\d.]+)|NVIDIA-SMI ([\d.]+)",
    ),
    Known("nvcc", "CUDA compiler", ("--version",), r"release [\d.]+, V([\d.]+)|release ([\d.]+)"),
    Known("rocminfo", "ROCm devices", ()),
    Known("amd-smi", "AMD driver and devices", ("version",), r"(?i)AMDSMI Tool:\s*([^\s|]+)"),
    Known("rocm-smi", "AMD devices (older)", ("--version",), r"(?i)ROCM-SMI version:\s*(\S+)"),
    Known("hipcc", "HIP compiler", ("--version",), r"HIP version:\s*(\S+)"),
    Known("hl-smi", "Gaudi driver and devices", ("-v",), r"(?i)version[^\w]*\s*((?:hl-)?\d[\w.-]*)"),
    Known("xpu-smi", "Intel GPU devices", ("-v",), r"(?i)version:\s*(\S+)"),
    Known("clang", "LLVM compiler", ("--version",), r"clang version (\S+)"),
)


def examine(host: Host, known: Known) -> Tool:
    """One tool. A tool without a version option is only looked for: asking it for devices is its vendor's part."""
    found = host.which(known.name)
    if found is None:
        return Tool(known.name, known.purpose, ToolState.MISSING)
    path, on_path = found
    if not known.arguments:
        return Tool(known.name, known.purpose, ToolState.WORKS, path, on_path)
    ran = host.run(known.name, *known.arguments)
    match = re.search(known.version, ran.stdout + "\n" + ran.stderr)
    version = None
    if match and ran.worked:
        text = next(group for group in match.groups() if group)
        version = Fact(text, " ".join((known.name, *known.arguments)))
    return Tool(known.name, known.purpose, ran.state, path, on_path, version, ran.detail)
