"""ENV-015: a variable that only CUDA's users set must be there."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.lang.python import PythonFile
from rewarp.lang.shell import ShellFile
from rewarp.project.sides import Side, side_of
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import is_test
from rewarp.rules.shapes.env import ENV_KINDS
from rewarp.source import Span
from rewarp.targets import Context

_NAMES = (
    *("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR", "CUDA_VERSION", "CUDNN_HOME", "CUDNN_PATH"),
    *(
        "TORCH_CUDA_ARCH_LIST",
        "CUDA_ARCH_LIST",
        "CUDAARCHS",
        "NCCL_HOME",
        "CUDACXX",
        "NVCC_PATH",
        "NVIDIA_VISIBLE_DEVICES",
    ),
)
_NAME = "|".join(_NAMES)
_MUST = re.compile(rb"\$\{(%b):?\?" % _NAME.encode())
_READ = re.compile(rb"\$(?:\{(%b)\}|(%b)\b)" % (_NAME.encode(), _NAME.encode()))
_STRICT = re.compile(
    rb"^[ \t]*set[ \t]+(?:-\w*u\w*|-o[ \t]+nounset)|^[ \t]*set[ \t]+-\w*o?[ \t]*\w*[ \t]+-u\b|^#!.*sh[ \t]+-\w*u", re.M
)
_GETTERS = ("os.environ.get()", "os.getenv()", "environ.get()", "getenv()")
_USERS = ("join", "Path", "PurePath", "listdir", "isdir", "glob", "int", "float", "parse", "Version")
_METHODS = ("split", "strip", "replace", "startswith", "lower", "upper", "rstrip")


@rule(
    id="ENV-015",
    title="A variable of CUDA's users must be set",
    kinds=ENV_KINDS,
    anchors=list(_NAMES),
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="An AMD machine sets none of CUDA's variables: os.environ[...] raises KeyError there, ${X:?} and `set -u` end the script, "
        "and None cannot be split or joined to a path.",
        fix="Ask for it only where the platform is NVIDIA's; ROCm goes by ROCM_PATH and PYTORCH_ROCM_ARCH.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='for arch in os.environ["TORCH_CUDA_ARCH_LIST"].split(";"): ...',
    source="https://github.com/pytorch/pytorch/blob/main/torch/utils/cpp_extension.py",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for reads without a default that must succeed, of variables that the file itself does not set."""
    if is_test(document) or side_of(document.source.path, document.kind) is Side.NVIDIA:
        return
    if isinstance(document, PythonFile):
        yield from _in_python(document)
    elif isinstance(document, ShellFile):
        yield from _in_shell(document)


def _in_python(document: PythonFile) -> Iterator[Hit]:
    given = {item.name for item in document.env_sets}
    for read in document.env_reads:
        node = read.where
        if read.name not in _NAMES or read.name in given or not isinstance(node, ast.expr):
            continue
        if document.caught(node, "KeyError", "TypeError", "AttributeError", "Exception") or _asked(
            document, node, read.name
        ):
            continue
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            yield Hit(node, f"{read.name} must be set, and nothing sets it on an AMD machine", read.name)
        elif isinstance(node, ast.Call) and _without_default(document, node) and _needs_text(document, node):
            yield Hit(node, f"{read.name} is not set on an AMD machine, and None is no text", read.name)


def _without_default(document: PythonFile, call: ast.Call) -> bool:
    return len(call.args) == 1 and not call.keywords and (document.path(call) or "").endswith(_GETTERS)


def _needs_text(document: PythonFile, node: ast.expr) -> bool:
    parent = document.parent(node)
    if isinstance(parent, ast.Attribute):
        return parent.attr in _METHODS
    if isinstance(parent, ast.BinOp):
        return isinstance(parent.op, (ast.Add, ast.Div))
    return (
        isinstance(parent, ast.Call) and node in parent.args and document.raw(parent.func).rpartition(".")[2] in _USERS
    )


def _asked(document: PythonFile, node: ast.expr, name: str) -> bool:
    """Whether a condition around it, or before it in an expression, asks for the variable, or leaves before it is read."""
    around = [node, *document.ancestors(node)]
    for above in around:
        if isinstance(above, (ast.If, ast.IfExp, ast.BoolOp, ast.While)):
            tests = above.values if isinstance(above, ast.BoolOp) else [above.test]
            if any(
                name in (document.string(part) or "") for test in tests for part in ast.walk(test) if part not in around
            ):
                return True
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
            return any(
                isinstance(part, ast.Compare) and document.string(part.left) == name and part.lineno < node.lineno
                for statement in above.body
                for part in ast.walk(statement)
            )
    return False


def _in_shell(document: ShellFile) -> Iterator[Hit]:
    view = document.source.view
    given = {item.name: document.span(item).start for item in document.env_sets}
    strict = _STRICT.search(view)
    found = [(m.start(), m.end(), m[1]) for m in _MUST.finditer(view)]
    if strict:
        found += [(m.start(), m.end(), m[1] or m[2]) for m in _READ.finditer(view) if m.start() > strict.start()]
    seen: set[str] = set()
    for start, end, word in sorted(found):
        name = word.decode()
        set_before = (
            name in given
            and given[name] < start
            and document.source.line_at(given[name]) < document.source.line_at(start)
        )
        comment = document.source.line_text(document.source.line_at(start)).lstrip().startswith("#")
        if name not in seen and not set_before and not comment and b"${%b:-" % word not in view[:start]:
            seen.add(name)
            yield Hit(Span(start, end), f"{name} must be set, and nothing sets it on an AMD machine", name)
