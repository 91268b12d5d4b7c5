"""What an AMD machine gets of what is installed: which findings in lists of packages count in a port."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from rewarp import api
from rewarp.errors import RewarpError
from rewarp.findings import Finding, Severity
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.lang.parsing import parse
from rewarp.lang.toml import TomlFile
from rewarp.project.sides import Side, is_for_amd, is_group_for_amd, side_of
from rewarp.source import SourceFile
from rewarp.workspace import Tree

_LISTS = (Kind.REQUIREMENTS, Kind.PYPROJECT, Kind.SETUP_CFG)

_OF_ALL = ("", "dependencies", "install_requires", "requires")
_OF_EVERYBODY = re.compile(
    r"(?i)(?:requirements?[-_.]?)?(?:base|runtime|common|core|main|install|gpu|train(?:ing)?|infer(?:ence)?)?\.(?:txt|in)"
    r"|pyproject\.toml|setup\.(?:cfg|py)"
)
"""Other lists are for developers, or for who wants one more thing."""


def is_asked_of_amd(report: api.ScanReport, finding: Finding) -> bool:
    """Whether what a file installs or sets is what an AMD machine gets: it is AMD's by its name, or the extra is; or it is a list of
    packages that cannot be installed, and none for AMD stands beside it."""
    group = _group(report, finding)
    if is_for_amd(finding.path) or is_group_for_amd(group):
        return finding.severity.rank >= Severity.PERF.rank
    if finding.severity.rank < Severity.CRASH.rank or kind_of_path(finding.path) not in _LISTS:
        return False
    if group not in _OF_ALL or not _OF_EVERYBODY.fullmatch(posixpath.basename(finding.path)):
        return False  # an extra or a list that its user asks for
    folder = posixpath.dirname(finding.path)
    beside = (outcome.path for outcome in report.result.outcomes if posixpath.dirname(outcome.path) == folder)
    return not any(is_for_amd(posixpath.basename(path)) and kind_of_path(path) in _LISTS for path in beside)


def _group(report: api.ScanReport, finding: Finding) -> str:
    """The extra that a finding stands in, if its file has extras."""
    kind = kind_of_path(finding.path)
    if kind not in (Kind.PYPROJECT, Kind.PYTHON, Kind.SETUP_CFG):
        return ""
    try:
        document = parse(SourceFile(finding.path, Path(report.result.root, finding.path).read_bytes()), kind)
    except (OSError, RewarpError):
        return ""
    if isinstance(document, TomlFile):
        strings = (item for item in document.strings if item.span.start <= finding.start < item.span.end)
        return next((item.path[-1] for item in strings if item.path), "")
    return next((item.group for item in document.requirements if document.span(item).start == finding.start), "")


_INSTALLS = (Kind.REQUIREMENTS, Kind.DOCKERFILE, Kind.SHELL, Kind.COMPOSE, Kind.ACTIONS, Kind.MAKE)
_OTHER_LIST = re.compile(
    r"(?:^|\s)(?:-r|-c|--requirements?|--constraint)[ =]*[\"']?(?:[^\s\"'<>|;&]*/)?([\w.-]+\.(?:txt|in))"
)
_ROCM_INDEX = re.compile(
    r"^(?!\s*#).*?(?:--(?:extra-)?index-url|--find-links|-[if])[ =]\S*?/rocm(\d+(?:\.\d+)*)\b", re.M
)
_ANY_INDEX = re.compile(r"^(?!\s*#).*?(?:--(?:extra-)?index-url|--find-links|-[if])[ =]", re.M)
_OTHER_INDEX = re.compile(
    r"^(?!\s*#).*?(?:--(?:extra-)?index-url|--find-links|-[if])[ =](?!\S*(?:download\.pytorch\.org|pypi\.org)/)", re.M
)
"""It may have builds of AMD's own."""
_ROCM_VERSION = re.compile(r"\s*[\w.\[\],-]+\s*==\s*[\w.]+\+rocm(\d+(?:\.\d+)*)\b")
_INDEX_HERE = re.compile(r"--(?:extra-)?index-url[ =]\S*?/rocm(\d+(?:\.\d+)*)(?![\w.])")
_VERSION_HERE = re.compile(r"==[\w.]+\+rocm(\d+(?:\.\d+)*)(?![\w.])")
_TOO_OLD = (
    (
        re.compile(r"\s*bitsandbytes\s*(?:==|~=|<=?)\s*0\.(?:\d|[1-3]\d|4[0-4])(?![\d])"),
        "bitsandbytes before 0.45 is for CUDA alone",
    ),
)
"""Pinned below the first version that knows ROCm. https://huggingface.co/docs/bitsandbytes/v0.44.1/installation: "only supported on CUDA
GPUs"."""
_TRITON = re.compile(r"\s*pytorch[-_]triton\s*(?:$|[=<>~!@;\[ ])")


def lists_of_nvidias(tree: Tree, paths: Iterable[str]) -> Iterator[tuple[str, int, str]]:
    """Where a file that is AMD's by its name installs NVIDIA's list of packages, NVIDIA's build of Triton, or a build for a ROCm that its
    index does not have."""
    names = {posixpath.basename(path).lower() for path in tree.files()}
    for path in paths:
        kind = kind_of_path(path)
        if kind not in _INSTALLS or not is_for_amd(path):
            continue
        text = (tree.read(path) or b"").decode("utf-8", "replace")
        indexes = set(_ROCM_INDEX.findall(text)) if len(_ANY_INDEX.findall(text)) == 1 else set()
        for number, line in enumerate(text.splitlines(), 1):
            if line.lstrip().startswith("#"):
                continue
            for name in _OTHER_LIST.findall(line):
                twin = _for_amd(name.lower(), names)
                if side_of(name) is Side.NVIDIA and (twin or kind is Kind.REQUIREMENTS):
                    yield path, number, f"{name} is NVIDIA's list" + (f"; AMD's is {twin}" if twin else "")
            if kind is not Kind.REQUIREMENTS:
                here = set(_INDEX_HERE.findall(line))
                for version in _VERSION_HERE.findall(line):
                    if len(here) == 1 and version not in here:
                        yield path, number, f"the index is for ROCm {min(here)}, and has no build for {version}"
                continue
            if not _OTHER_INDEX.search(text):
                yield from ((path, number, why) for old, why in _TOO_OLD if old.match(line))
            if _TRITON.match(line):
                yield path, number, "pytorch-triton is built for NVIDIA; AMD's is pytorch-triton-rocm"
            version = _ROCM_VERSION.match(line)
            if version and indexes and version[1] not in indexes:
                yield path, number, f"the index is for ROCm {min(indexes)}, and has no build for {version[1]}"


def _for_amd(name: str, names: set[str]) -> str | None:
    twins = (re.sub(r"cuda\d*|nvidia|cu\d{2,3}", word, name) for word in ("rocm", "hip", "amd"))
    return next((twin for twin in twins if twin != name and twin in names), None)
