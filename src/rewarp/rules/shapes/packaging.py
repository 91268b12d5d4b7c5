"""Shapes that many packaging rules share."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName

from rewarp.findings import Severity
from rewarp.fixes import FileFix
from rewarp.lang.document import Command, Document, Requirement
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.lang.requirements import requirement
from rewarp.lang.shell import install_words
from rewarp.project.sides import is_for_amd, is_group_for_amd
from rewarp.registry import Hit
from rewarp.rules._files import by_side, is_test
from rewarp.source import Span
from rewarp.targets import ROCM, Context

PACKAGE_KINDS = (
    Kind.REQUIREMENTS,
    Kind.PYPROJECT,
    Kind.SETUP_CFG,
    Kind.CONDA,
    Kind.PYTHON,
    Kind.NOTEBOOK,
    Kind.SHELL,
    Kind.DOCKERFILE,
    Kind.MAKE,
    Kind.COMPOSE,
    Kind.ACTIONS,
    Kind.YAML,
)
"""Every kind of file that can ask for a package."""
REQUIREMENTS_FOR_AMD = FileFix(
    Kind.REQUIREMENTS, "A requirements file for AMD beside it asks for AMD's versions of what is CUDA's."
)
EXTRA_FOR_AMD = FileFix(Kind.PYPROJECT, "An extra, rocm, holds AMD's version of the package.")

PYTHON_ANCHORS = ("install_requires", "setup_requires", "extras_require", "tests_require", "pip install")
"""Words without which a Python file asks for no package."""

_NVIDIA_GROUP = re.compile(r"(?i)(.*[-_.])?(cuda|nvidia|gpu|cu\d{2,3}|nvcc|tensorrt|trt)(\d*x?)([-_.].*)?")
_OTHER_GROUP = re.compile(r"(?i)(.*[-_.])?(cpu|xpu|tpu|hpu|gaudi|neuron|npu|mps|metal)\d*([-_.].*)?")
_GENERAL_GROUP = re.compile(
    r"(?i)|all|full|default|dev|develop(ment)?|tests?|testing|main|build-system|conda|install(_requires)?|core|base|required|requirements|train(ing)?|infer(ence)?"
)
_OTHER_SYSTEM = re.compile(r"(?i)(sys_platform|platform_system|os_name)\s*==\s*['\"](win32|windows|darwin|nt)")
_TARGET_SOURCE = {
    "rocm": re.compile(
        rb"whl/(?:nightly/|test/)?rocm|\+rocm|repo\.radeon\.com|rocm[\w.-]{0,100}\.amd\.com|\brocm/(?:pytorch|vllm|dev|rocm)"
        rb"|torch-backend[= ]+(?:auto|rocm)|wheels\.vllm\.ai/rocm"
    ),
    "gaudi": re.compile(rb"vault\.habana\.ai|habana[-_]torch"),
}


_FORK = re.compile(r"(?i)@\s*\S{0,200}://\S*rocm")
"""A requirement that comes from an address of AMD's."""
_SETUP_KEYWORDS = {"install_requires", "setup_requires", "tests_require", "extras_require"}
_SOURCE_WORDS = {"rocm": (b"rocm", b"radeon", b"torch-backend"), "gaudi": (b"habana",)}
"""One of these must occur; looking for a word is much cheaper than for the expression."""


def offered_for(document: Document, target: str) -> bool:
    """Whether the file already names a place that has packages for the target."""
    view = document.source.view
    return any(word in view for word in _SOURCE_WORDS[target]) and _TARGET_SOURCE[target].search(view) is not None


def is_asked_of_amd(document: Document, group: str) -> bool:
    """Whether a list of packages is the one that AMD's users install, by the name of the file or of the extra."""
    return is_group_for_amd(group) or (not group and is_for_amd(document.source.path))


def asked_for(document: Document) -> list[Requirement]:
    """The packages a file asks for, with the lists that setup() gets by a name of their own."""
    found = list(document.requirements)
    if isinstance(document, PythonFile):
        known = {id(item.where) for item in found}
        for keyword in document.nodes(ast.keyword):
            if keyword.arg in _SETUP_KEYWORDS and isinstance(keyword.value, ast.Name):
                found += [item for item in _listed(document, keyword.value) if id(item.where) not in known]
    return found


def _listed(document: PythonFile, name: ast.Name) -> Iterator[Requirement]:
    """The requirements in the lists and dictionaries that a name stands for."""
    for given in document.given(name):
        tables = [("", given)]
        if isinstance(given, ast.Dict):
            pairs = zip(given.keys, given.values, strict=True)
            tables = [(document.string(key) or "", value) for key, value in pairs]
        for group, value in tables:
            if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
                parsed = (requirement(document.string(item) or "", item, group) for item in value.elts)
                yield from (item for item in parsed if item)


def is_for_nvidia(group: str) -> bool:
    """Whether an extra or dependency group is NVIDIA's by its name: cuda, gpu, cu121."""
    return _NVIDIA_GROUP.fullmatch(group) is not None


def install_of(document: Document, item: Requirement) -> Command | None:
    """The install command a requirement stands in; None in a file that lists packages."""
    wanted = document.span(item)
    for command in document.commands:
        if install_words(command):
            span = document.span(command)
            if span.start <= wanted.start and wanted.end <= span.end:
                return command
    return None


def packages(
    document: Document,
    context: Context,
    wanted: Callable[[Requirement], str | None],
    *,
    real: bool = True,
    any_extra: bool = True,
) -> Iterator[Hit]:
    """A hit for every requirement about which ``wanted`` has something to say.

    One in an extra called cuda or gpu (with ``any_extra``: in any extra that is not for
    everybody) is asked for on purpose and informs; one in an extra for a third platform or
    under a marker for another system is no concern. What a Python test installs informs too. In lists for AMD only what is
    CUDA beyond doubt (``real``) stands.
    """
    tried = isinstance(document, PythonFile) and is_test(document)

    def found() -> Iterator[Hit]:
        for item in asked_for(document):
            if _is_for_others(item.text) or _OTHER_GROUP.fullmatch(item.group) or _FORK.search(item.text):
                continue
            if is_group_for_amd(item.group) and not (real and context.target.name == ROCM.name):
                continue
            message = wanted(item)
            if message:
                general = _GENERAL_GROUP.fullmatch(item.group) or is_group_for_amd(item.group)
                opted = is_for_nvidia(item.group) or (any_extra and not general)
                yield Hit(item, message, item.name, Severity.INFO if opted or tried else None)

    yield from by_side(document, once_each(document, found()), real=real)


_PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
"""Those that current builds of torch for AMD and Gaudi are made for."""


@lru_cache(maxsize=256)
def _is_for_others(text: str) -> bool:
    """Whether a requirement's marker leaves it out wherever the target's torch runs."""
    if ";" not in text:
        return False
    try:
        marker = Marker(text.partition(";")[2].strip())
        here = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
        return not any(
            marker.evaluate(here | {"python_version": one, "python_full_version": f"{one}.0"}) for one in _PYTHONS
        )
    except (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName):
        return _OTHER_SYSTEM.search(text) is not None


def once_each(document: Document, hits: Iterator[Hit]) -> Iterator[Hit]:
    """One hit for each place."""
    seen: set[tuple[Span, str]] = set()
    for hit in hits:
        key = (document.span(hit.where), hit.symbol)
        if key not in seen:
            seen.add(key)
            yield hit
