"""Images for NVIDIA in which Ubuntu's own Python gets torch from PyPI: on AMD it gets torch from PyTorch's index for ROCm."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rewarp.lang.dockerfile import Dockerfile, Instruction
from rewarp.lang.document import Requirement
from rewarp.port.packaging.twins import TORCH

INDEX = "https://download.pytorch.org/whl/rocm6.4"
_NEWEST = {"torch": (2, 8), "torchaudio": (2, 8), "torchvision": (0, 23)}
"""The first versions that the index has."""
_OTHER = re.compile(
    rb"get-pip\.py|(?i:miniconda|miniforge|mambaforge|anaconda)|deadsnakes|\bpyenv\b|\buv\b|venv\b(?!\s*[\\;&\n])|\bconda\b"
)
_PYTHON = re.compile(rb"python(3\.\d+)")
_OF_UBUNTU = {"22.04": b"3.10", "24.04": b"3.12"}
_LIBERTY = re.compile(rb"break[-_]system[-_]packages", re.I)
_INSTALLS = re.compile(r"(?:^|&&|;)\s*(?P<pip>(?:\S*python[\d.]*\s+-m\s+)?pip[\d.]*)\s+install\s+(?P<what>[^&;|]*)")
_TOOLS = frozenset("pip setuptools wheel build packaging".split())
_FREE = re.compile(r"[\w-]+\s*(?:>=\s*(\d+)\.(\d+)[\d.]*)?")


def is_ubuntus(text: bytes, release: str) -> bool:
    """Whether the Python that a Dockerfile sets up is the one that a release of Ubuntu has, and pip may install for all."""
    named = set(_PYTHON.findall(text))
    if _OTHER.search(text) or named - {_OF_UBUNTU[release]}:
        return False
    return release == "22.04" or bool(_LIBERTY.search(text))


def wanted(asked: Iterable[Requirement]) -> list[str] | str:
    """The packages that come from PyTorch's index; or which of them it does not have as it is asked for."""
    found: dict[str, None] = {"torch": None}
    for item in asked:
        if item.name in TORCH:
            match = _FREE.fullmatch(item.text.partition(";")[0].strip())
            if match is None or (match[1] and (int(match[1]), int(match[2])) > _NEWEST[item.name]):
                return item.text
            found[item.name] = None
    return list(found)


def first_install(document: Dockerfile) -> tuple[Instruction, str] | None:
    """The step that brings the first packages of the project's, and how it calls pip; None where pip itself comes with it."""
    there = False
    for item in document.instructions:
        if item.name != "RUN":
            continue
        if pip := next(_projects(item.value), None):
            return (item, pip) if there else None
        there = there or "pip" in item.value
    return None


def _projects(command: str) -> Iterator[str]:
    for match in _INSTALLS.finditer(" ".join(command.replace("\\\n", " ").split())):
        words = [word for word in match["what"].split() if not word.startswith("-")]
        if not {re.split(r"[<>=!~\[]", word.strip("\"'"))[0] for word in words} <= _TOOLS:
            yield match["pip"]
