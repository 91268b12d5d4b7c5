"""What the name of a file says about the platform it is for.

``requirements/cuda.txt`` is the NVIDIA side of a project that already has sides;
``Dockerfile.rocm`` and ``requirements-tpu.txt`` are somebody else's. Rules that look at
packages, images and environment variables ask here, so that they all answer alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum

from rewarp.findings import Severity
from rewarp.lang.document import Document
from rewarp.lang.kinds import PYTHON_KINDS, Kind
from rewarp.project.role_names import Role, names_role
from rewarp.registry import Hit

_WORD = re.compile(r"[a-z]+[0-9]*[a-z]*|[0-9]+")
_NVIDIA = re.compile(r"cuda[0-9]*|cu[0-9]{2,3}|nvidia|nvcr|nv|tensorrt|trtllm|[ahbv][0-9]{3}|gb[0-9]{3}|gh200|jetson")
_OTHER = re.compile(
    r"rocm[0-9]*|hip|amd|amdgpu|mi[0-9]{2,3}[axe]?|gfx[0-9a-f]+|cpu|xpu|tpu|hpu|gaudi[0-9]*|habana|neuron|npu|ascend"
    r"|cann|xla|mlx|musa|mps|metal|macos|darwin|apple|openvino|vulkan|sycl|intel|s390x|ppc64le|riscv[0-9]*|zendnn|opencl"
)
_CI = re.compile(
    r"(^|/)(\.github|\.buildkite|\.circleci|\.gitlab|ci|\.ci|\.jenkins|\.azure[\w-]*)/|\.gitlab-ci\.ya?ml$|(^|/)tox\.ini$"
)
_TEST_DATA = re.compile(
    r"(^|/)(test[_-]?data|__snapshots__|tests?/(.*/)?(fixtures|snapshots|goldens?|resources|data))/"
)
_ASIDE = {"docs", "doc", "lint", "fmt", "format", "mypy", "typing", "readthedocs", "rtd", "website"}


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


def is_ci(document: Document) -> bool:
    """Whether a file only says how the project is tested on its own machines."""
    return document.kind is Kind.ACTIONS or bool(_CI.search(document.source.path))


def is_test(document: Document) -> bool:
    """Whether a file tests the project: what it names and sets up is often made up for the test."""
    return names_role(document.source.path, Role.TESTS)


def is_aside(document: Document) -> bool:
    """Whether a file serves documentation or linting, by its name or folder."""
    return any(not _ASIDE.isdisjoint(_WORD.findall(part)) for part in document.source.path.lower().split("/")[-2:])


def by_side(document: Document, hits: Iterable[Hit], *, real: bool = True) -> Iterator[Hit]:
    """Hits as the file's side lets them stand.

    On the NVIDIA side, in continuous integration and in what tests read, they inform. In a file for another
    platform only what is CUDA beyond doubt (``real``) stands.
    """
    side = side_of(document.source.path, document.kind)
    if side is Side.OTHER and not real:
        return
    tried = _TEST_DATA.search(document.source.path) or (document.kind is Kind.YAML and is_test(document))
    mild = side is Side.NVIDIA or is_ci(document) or tried
    for hit in hits:
        yield replace(hit, severity=Severity.INFO) if mild and hit.severity is not Severity.WORKS else hit
