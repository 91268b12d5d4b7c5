"""PY-VER-001: ``torch.version.cuda`` used as a string."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix, ScriptFix
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_test_fixes import cuda_version
from rewarp.targets import Context

_PATH = "torch.version.cuda"
_PARSERS = {"float", "int", "tuple", "parse", "Version", "parse_version", "LooseVersion", "StrictVersion", "len"}


@rule(
    id="PY-VER-001",
    title="torch.version.cuda is used as a string",
    kinds=PYTHON_KINDS,
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
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='major = int(torch.version.cuda.split(".")[0])',
    source="https://github.com/deepspeedai/DeepSpeed/pull/6909",
    fix=(PythonFix(cuda_version), ScriptFix()),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for a method call, subscript, concatenation or version parse on torch.version.cuda with no None test around
    it; a note where the failure is caught."""
    for path, node in document.refs(_PATH, _PATH + ".*"):
        found = _used(document, path, node)
        if found is not None:
            where, how = found
            caught = document.caught(where, "AttributeError", "TypeError", callers=False)
            message = f"{_PATH if path == _PATH else path} is {how} None on {context.target.title}"
            yield Hit(where, message, path, severity=Severity.INFO if caught else None)


def _used(document: PythonFile, path: str, node: ast.expr) -> tuple[ast.AST, str] | None:
    """Where the version is used as a text, and how."""
    parent = document.parent(node)
    if path != _PATH:  # a variable that was read off it earlier is reported there
        return None if isinstance(node, ast.Name) else (node, f"read, but {_PATH} is")
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return parent, "indexed, but it is"
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add):
        other = parent.right if parent.left is node else parent.left
        return (parent, "added to a text, but it is") if document.string(other) is not None else None
    call = document.parent(parent) if isinstance(parent, ast.keyword) else parent
    if isinstance(call, ast.Call) and node is not call.func:
        names = (document.raw(call.func), document.path(call.func) or "")
        if any(name.rpartition(".")[2] in _PARSERS for name in names):
            return call, "parsed, but it is"
    return None
