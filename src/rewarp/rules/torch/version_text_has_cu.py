"""PY-DET-005: the local version ``+cu`` of torch taken for "GPU build"."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Outcome, Place
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch import mentions, text_tests
from rewarp.rules.shapes.torch_test_fixes import settled, stops
from rewarp.rules.shapes.value_flow import Flow
from rewarp.targets import Context

_CU = re.compile(r"\+?cu(\d|\\d|\[|\(|$)")
_TAG = re.compile(r"\+cu(\d*|\\d.*)")
_METHODS = ("split", "rsplit", "partition", "rpartition", "find", "index", "startswith", "endswith", "count")


class _TorchVersion(Flow):
    def source(self, node: ast.expr) -> str | None:
        path = self.document.path(node) if isinstance(node, (ast.Attribute, ast.Call)) else None
        if path in ("torch.__version__", "torch.version.__version__"):
            return "version"
        if (
            isinstance(node, ast.Call)
            and path
            and path.endswith(("metadata.version()", "get_distribution()"))
            and node.args
        ):
            return "version" if self.document.string(node.args[0]) == "torch" else None
        return None

    def attribute(self, label: str, name: str) -> str | None:
        return label if name in ("local", "public", "version") else None

    def passed(self, function: str, label: str) -> str | None:
        return label


def _gpu_build(place: Place) -> Outcome | None:
    """A test for a CUDA build of PyTorch, where the program stops without one: a ROCm build is as good."""
    test = place.node(ast.expr)
    sides = [amd for amd in (True, False) if test is not None and not stops(place, test, amd)]
    if test is None or len(sides) != 1:
        return None
    return settled(place, test, sides[0], "A ROCm build of PyTorch is a GPU build, too.")


@rule(
    id="PY-DET-005",
    title="torch version text is searched for +cu",
    kinds=PYTHON_KINDS,
    anchors=["torch cu", "torch ~cu1"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.WRONG,
        why="ROCm wheels carry +rocmX.Y: code that looks for +cu takes them for CPU builds.",
        fix="Ask torch.version.cuda and torch.version.hip, not the text of the version.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.WRONG,
        why="Gaudi wheels carry another suffix (a0 or +hpu_...): code that looks for +cu takes them for CPU builds.",
        fix='Ask for the device: `hasattr(torch, "hpu") and torch.hpu.is_available()`.',
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='is_gpu_build = "+cu" in torch.__version__',
    source="https://github.com/oobabooga/one-click-installers/pull/98",
    fix=PythonFix(_gpu_build),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for `in` tests, string methods and regular expressions that search the torch version for cu or +cu."""
    flow = _TorchVersion(document)
    twin = "hpu" if context.target.name == "gaudi" else "rocm"
    for node, text, subject in text_tests(flow, _METHODS):
        certain = flow.label(subject) is not None and _CU.search(text)
        if not certain and not (_TAG.fullmatch(text) and "ver" in document.raw(subject).lower()):
            continue
        if not mentions(document, node, re.compile(twin)):
            yield Hit(node, f"{text!r} is looked for in the version of torch", "torch.__version__")
