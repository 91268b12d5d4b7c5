"""What the name of a file says about the platform it is for.

``requirements/cuda.txt`` is the NVIDIA side of a project that already has sides;
``Dockerfile.rocm`` and ``requirements-tpu.txt`` are somebody else's. Rules that look at
packages, images and environment variables ask here, so that they all answer alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from rewarp.findings import Severity
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.project.role_names import Role, names_role
from rewarp.project.sides import Side, side_of
from rewarp.registry import Hit

_WORD = re.compile(r"[a-z]+[0-9]*[a-z]*|[0-9]+")
_CI = re.compile(
    r"(^|/)(\.github|\.buildkite|\.circleci|\.gitlab|ci|\.ci|\.jenkins|\.azure[\w-]*)/|\.gitlab-ci\.ya?ml$|(^|/)tox\.ini$"
)
_TEST_DATA = re.compile(
    r"(^|/)(test[_-]?data|__snapshots__|tests?/(.*/)?(fixtures|snapshots|goldens?|resources|data))/"
)
_OTHER_WHEEL = re.compile(rb"(?m)^[^#\n]*-(win_amd64|win_arm64|win32|macosx_\w+)\.whl(?![^\n]*;)")
_ASIDE = {"docs", "doc", "lint", "fmt", "format", "mypy", "typing", "readthedocs", "rtd", "website"}


def is_ci(document: Document) -> bool:
    """Whether a file only says how the project is tested on its own machines."""
    return document.kind is Kind.ACTIONS or bool(_CI.search(document.source.path))


def is_test(document: Document) -> bool:
    """Whether a file tests the project: what it names and sets up is often made up for the test."""
    return names_role(document.source.path, Role.TESTS)


def is_aside(document: Document) -> bool:
    """Whether a file serves documentation or linting, by its name or folder."""
    return any(not _ASIDE.isdisjoint(_WORD.findall(part)) for part in document.source.path.lower().split("/")[-2:])


def _is_for_other_system(document: Document) -> bool:
    """Whether a list asks everybody for a wheel that only another system than Linux can install."""
    return document.kind is Kind.REQUIREMENTS and _OTHER_WHEEL.search(document.source.view) is not None


def by_side(document: Document, hits: Iterable[Hit], *, real: bool = True) -> Iterator[Hit]:
    """Hits as the file's side lets them stand.

    On the NVIDIA side, in continuous integration, in lists for Windows and in what tests read, they inform. In a file for another
    platform only what is CUDA beyond doubt (``real``) stands.
    """
    side = side_of(document.source.path, document.kind)
    if side is Side.OTHER and not real:
        return
    tried = _TEST_DATA.search(document.source.path) or (document.kind is Kind.YAML and is_test(document))
    mild = side is Side.NVIDIA or is_ci(document) or tried or _is_for_other_system(document)
    for hit in hits:
        yield replace(hit, severity=Severity.INFO) if mild and hit.severity is not Severity.WORKS else hit
