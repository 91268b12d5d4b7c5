"""PKG-001: torch asked for by its bare name."""

import re
from collections.abc import Iterator
from dataclasses import replace

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document, Requirement
from rewarp.lang.requirements import RequirementsFile
from rewarp.lang.toml import TomlFile
from rewarp.project.sides import is_for_amd
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import is_aside
from rewarp.rules.shapes.packaging import (
    PACKAGE_KINDS,
    PYTHON_ANCHORS,
    REQUIREMENTS_FOR_AMD,
    asked_for,
    install_of,
    offered_for,
    packages,
)
from rewarp.targets import ROCM, Context

_TORCH = {"torch", "torchvision", "torchaudio"}
_CONDA_TORCH = {"pytorch", "pytorch-gpu", "torchvision", "torchaudio"}
_LIMIT = re.compile(r"==|~=|<|\d[\w.]*\*|^[\w-]+=\d")
"""A version that the torch which is there may not have: an exact one, or one with an upper limit."""
_UPGRADE = {"-U", "--upgrade", "--force-reinstall"}
_LOCAL_VERSION = re.compile(r"\+\w|@\s*\w+:")
_CPU_BUILD = re.compile(r"=[^=\s]*(^|[_=])cpu(_|$|\s)")
_INDEX = re.compile(r"--(extra-)?index(-url)?(=|$)|-i$|--find-links|-f$|--torch-backend|--no-deps$|--no-index$")
_INDEX_ADDRESS = re.compile(r"https?://\S+/whl/(?:nightly/|test/)?(?:cu\d|cpu|xpu)")


def _names_an_index(document: Document) -> bool:
    """Whether a file that lists packages also says from which index torch comes."""
    if isinstance(document, RequirementsFile):
        return any(_INDEX_ADDRESS.search(text) for command in document.commands for text in command.texts)
    return isinstance(document, TomlFile) and any(_INDEX_ADDRESS.search(item.value) for item in document.strings)


def _from_pypi(document: Document, item: Requirement) -> str | None:
    named = item.name in (_CONDA_TORCH if item.group == "conda" else _TORCH)
    if not named or item.group == "build-system" or _LOCAL_VERSION.search(item.text):
        return None
    if item.group == "conda" and _CPU_BUILD.search(item.text):
        return None  # it says which build: the one that uses no GPU anywhere
    command = install_of(document, item)
    if command:
        if any(_INDEX.match(text) for text in command.texts):
            return None
        return f"{item.text} is installed from the default index, which holds the CUDA build"
    return f"{item.text} is required without saying which build; the default index holds the CUDA one"


def _replaced(document: Document, context: Context) -> Iterator[Hit]:
    """``pip install -U torch`` in an image for AMD: the CUDA build goes over the ROCm build of the base image."""
    if context.target.name != ROCM.name or not is_for_amd(document.source.path):
        return
    for item in document.requirements:
        command = install_of(document, item) if item.name in _TORCH else None
        if command and _UPGRADE & set(command.texts) and _from_pypi(document, item):
            message = f"{item.text} is upgraded from the default index, whose CUDA build replaces the ROCm build"
            yield Hit(item, message, item.name, Severity.ON_CPU)


@rule(
    id="PKG-001",
    title="torch is asked for without its platform",
    kinds=PACKAGE_KINDS,
    anchors=["torch", "Torch", "torchvision", "torchaudio", "pytorch"],
    python_anchors=PYTHON_ANCHORS,
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.INFO,
        why="PyPI's torch wheels are CUDA builds. Unless a matching ROCm build is already there, pip installs the CUDA "
        "one, also over an existing ROCm build that does not fit the version asked for; --extra-index-url does not help.",
        fix="Install torch first with --index-url https://download.pytorch.org/whl/rocmX.Y, and keep a "
        "requirements-rocm.txt that names this index or leaves torch out.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.ON_CPU,
        why="pip replaces the torch build that comes with the Gaudi software by one that does not know hpu, where that build "
        "does not fit the version asked for; what any newer torch satisfies leaves it in place.",
        fix="Leave torch out of what is installed on Gaudi and use the build from Intel's installer or image.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="torch>=2.4",
    source="https://github.com/SafeAILab/EAGLE/pull/312",
    fix=replace(
        REQUIREMENTS_FOR_AMD, worth_a_file=False, even_if_mild=True
    ),  # it does no harm where torch is installed first
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for the first torch, torchvision or torchaudio in a file that is asked for without a local version or
    an index, in a file that names no source for the target either."""
    yield from _replaced(document, context)
    if offered_for(document, context.target.name):
        return
    if not any(item.name in _TORCH or item.name in _CONDA_TORCH for item in asked_for(document)):
        return
    if _names_an_index(document):
        return
    hits = list(packages(document, context, lambda item: _from_pypi(document, item), real=False, any_extra=False))
    if context.target.name == "gaudi":
        hits = [hit if _LIMIT.search(hit.where.text) else replace(hit, severity=Severity.INFO) for hit in hits]
    hits.sort(key=lambda hit: hit.severity is Severity.INFO)
    for hit in hits[:1]:
        yield Hit(hit.where, hit.message, hit.symbol, Severity.INFO if is_aside(document) else hit.severity)
