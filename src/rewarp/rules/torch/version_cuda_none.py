"""PY-VER-001: ``torch.version.cuda`` used as a string."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_PATH = "torch.version.cuda"
_PARSERS = {"float", "int", "tuple", "parse", "Version", "parse_version", "LooseVersion", "StrictVersion", "len"}


@rule(
    id="PY-VER-001",
    title="torch.version.cuda is used as a string",
    kinds=(Kind.PYTHON, Kind.NOTEBOOK),
    anchors=["version cuda"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.CRASH,
        why="On a ROCm build torch.version.cuda is None, so reading it as a string raises AttributeError or TypeError.",
        fix="Test `torch.version.cuda is not None` first and take the ROCm value from torch.version.hip.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="On a Gaudi build torch.version.cuda is None, so reading it as a string raises.",
        fix="Test `torch.version.cuda is not None` first.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='major = int(torch.version.cuda.split(".")[0])',
    source="https://github.com/deepspeedai/DeepSpeed/pull/6909",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for a method call, subscript or version parse on torch.version.cuda with no None test around it."""
    for path, node in document.refs(_PATH, _PATH + ".*"):
        parent = document.parent(node)
        if path != _PATH:
            if isinstance(node, ast.Name):  # a variable that was read off it earlier: reported there
                continue
            yield Hit(node, f"{path} is read, but {_PATH} is None on {context.target.title}", path)
        elif isinstance(parent, ast.Subscript) and parent.value is node:
            yield Hit(parent, f"{_PATH} is indexed, but it is None on {context.target.title}", _PATH)
        elif isinstance(parent, ast.Call) and node in parent.args:
            if document.raw(parent.func).rpartition(".")[2] in _PARSERS:
                yield Hit(parent, f"{_PATH} is parsed, but it is None on {context.target.title}", _PATH)
