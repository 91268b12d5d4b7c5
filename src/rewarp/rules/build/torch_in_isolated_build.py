"""BLD-007: torch as a build requirement."""

import ast
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.lang.toml import TomlFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.targets import Context

_WHY = "pip builds in a clean environment of its own and fills it with torch from PyPI, which is the CUDA build"


@rule(
    id="BLD-007",
    title="torch is needed to build, and build isolation fetches the CUDA one",
    kinds=(Kind.PYPROJECT, Kind.PYTHON),
    anchors=["torch requires"],
    python_anchors=["torch setuptools", "torch distutils", "torch skbuild"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why=f"{_WHY}: the extension comes out for the wrong torch or not at all.",
        fix="Install with --no-build-isolation into an environment that has the ROCm build of torch, and say so in the "
        "instructions and the CI jobs.",
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.BUILD,
        why=f"{_WHY}: what is built does not match the Gaudi torch.",
        fix="Install with --no-build-isolation into the Gaudi environment.",
        effort=Effort.MINUTES,
    ),
    example='[build-system]\nrequires = ["setuptools", "torch"]',
    source="https://github.com/jeffdaily/moat",
    traits=[Trait.BY_HAND, Trait.INSTALL],
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for torch in [build-system] requires, and for a setup.py that imports torch when it is read."""
    if isinstance(document, TomlFile):
        uv = document.data.get("tool", {}).get("uv", {})
        handled = bool(uv.get("no-build-isolation") or uv.get("no-build-isolation-package"))
        handled = handled or b"--no-build-isolation" in document.source.view  # its comments say how to install
        for item in document.requirements:
            if item.group == "build-system" and item.name == "torch":
                message = f"{item.text} is installed from PyPI for the build"
                yield Hit(item, message, "torch", Severity.INFO if handled else None)
    elif isinstance(document, PythonFile) and document.source.path.rpartition("/")[2] == "setup.py":
        for found in document.imports_of("torch"):
            if not found.optional and not found.deferred and isinstance(found.node, (ast.Import, ast.ImportFrom)):
                message = "setup.py imports torch, so it has to run with --no-build-isolation"
                yield Hit(found.node, message, "torch", Severity.INFO)
                return
