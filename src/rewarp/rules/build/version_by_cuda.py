"""BLD-012: a package version or wheel name made from the CUDA version."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import ScriptFix
from rewarp.fixes.script import Replacement, ScriptPlace
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import is_build_file
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.targets import Context

_TAG = re.compile(r"(^|[+_/-])cu(\{[^}]*\}|%[sd])")
_TAG_END = re.compile(r"(^|.*[+_/-])cu", re.S)


_HIP_VERSION = 'torch.version.hip.split("-")[0]'
_LABEL_END = re.compile(r"\+?cu$")
_FORMATTED = re.compile(r"(f['\"])(.*\+)cu\{[^{}]*\}(['\"])")


def _rocm_version(place: ScriptPlace) -> list[Replacement]:
    """``"+cu" + version`` becomes ``"+rocm" + ...`` on ROCm."""
    document, node = place.document, place.node
    imports = [part for part in document.tree.body if isinstance(part, ast.Import)]
    if "torch" not in {alias.asname or alias.name for part in imports for alias in part.names}:
        return []
    start, end = document.span(node)
    text = document.source.view[start:end].decode("utf-8", "replace")
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
        label = _LABEL_END.sub("+rocm" if node.left.value.endswith("+cu") else "rocm", node.left.value)
        new = f'"{label}" + {_HIP_VERSION}'
    elif isinstance(node, ast.JoinedStr) and (found := _FORMATTED.fullmatch(text)):
        new = f"{found[1]}{found[2]}rocm{found[3]} + {_HIP_VERSION}"
    else:
        return []
    if isinstance(document.parent(node), (ast.keyword, ast.Assign, ast.Return)):
        return [(start, start, f"{new} if {place.gate.rocm} else ")]
    return [(start, start, f"({new} if {place.gate.rocm} else "), (end, end, ")")]


@rule(
    id="BLD-012",
    title="A version suffix or wheel name is made from the CUDA version",
    kinds=Kind.PYTHON,
    anchors=["cu"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="There is no CUDA version on AMD: the expression fails, or it names a wheel for NVIDIA.",
        fix="On AMD make the suffix from torch.version.hip (+rocm7.0) or leave it out.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='version = f"{base}+cu{cuda_version}"',
    source="https://github.com/casper-hansen/AutoAWQ/pull/315",
    fix=ScriptFix(value=_rocm_version, settles=True),
    traits=[Trait.HINT],
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for text of the form +cu{version} put together in a build script."""
    if not is_build_file(document):
        return
    texts: list[ast.expr] = [*document.nodes(ast.JoinedStr), *document.nodes(ast.BinOp), *document.strings]
    for node in texts:
        if _ends_in_cuda_version(document, node):
            message = "this text is made from the CUDA version, which AMD does not have"
            yield Hit(node, message, "+cu", Severity.INFO if _has_substitute(document, node) else None)


def _has_substitute(document: PythonFile, node: ast.expr) -> bool:
    """Whether something stands in for a missing version: ``torch.version.cuda or "none"``."""
    for part in ast.walk(node):
        values: list[ast.expr] = [part] if isinstance(part, ast.BoolOp) else []
        if isinstance(part, ast.Name):
            values = document.given(part)
        for value in values:
            for inner in ast.walk(value):
                if isinstance(inner, ast.BoolOp) and isinstance(inner.op, ast.Or):
                    if document.path(inner.values[0]) == "torch.version.cuda":
                        return True
    return False


def _ends_in_cuda_version(document: PythonFile, node: ast.expr) -> bool:
    parent = document.parent(node)
    if isinstance(node, ast.BinOp):  # "+cu" + version
        if not isinstance(node.op, ast.Add) or isinstance(node.right, ast.Constant):
            return False
        return bool(_TAG_END.fullmatch(document.string(node.left) or ""))
    if isinstance(node, ast.Constant):  # "+cu%s" % version, "+cu{}".format(version)
        template = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mod)
        if not template and not (isinstance(parent, ast.Attribute) and parent.attr == "format"):
            return False
    return bool(_TAG.search(document.string(node) or ""))
