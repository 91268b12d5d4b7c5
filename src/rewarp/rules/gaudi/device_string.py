"""HPU-003: the device string "cuda"."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.gaudi._shapes import AUTOCAST, DEVICE_NAME, DEVICE_STRING, KINDS, behind_cuda_test, migrated
from rewarp.targets import Context

_METHODS = {
    "to",
    "set_default_device",
    "init_device_mesh",
    "DeviceMesh",
    "Generator",
    "set_device",
    "device",
    "to_empty",
}
_METHODS |= {"get_device_module", "synchronize", "empty_cache"}


@rule(
    id="HPU-003",
    title='the device is written as "cuda"',
    kinds=KINDS,
    anchors=["cuda"],
    phase=Phase.DETECTION,
    gaudi=Impact(
        Severity.CRASH,
        why='The Gaudi device of torch is called "hpu"; a tensor asked for on "cuda" raises.',
        fix='Take the device from one place that says "hpu" on Gaudi and "cuda" otherwise.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='x = torch.zeros(8, device="cuda")',
    source="https://docs.habana.ai/en/latest/PyTorch/PyTorch_Model_Porting/Porting_Simple_PyTorch_Model_to_Gaudi.html",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for "cuda", "cuda:0" and f"cuda:{i}" where a device is expected: arguments, defaults, variables, dict values."""
    if migrated(document):
        return
    for node in (*document.strings, *document.nodes(ast.JoinedStr)):
        parent = document.parent(node)
        if isinstance(parent, (ast.JoinedStr, ast.FormattedValue)):
            continue
        text = document.string(node)
        if (
            text
            and DEVICE_STRING.fullmatch(text)
            and _is_device(document, node)
            and not behind_cuda_test(document, node)
        ):
            shown = text.replace("{}", "N")
            yield Hit(node, f'the device string "{shown}" has no meaning on Gaudi', shown)


def _is_device(document: PythonFile, node: ast.AST) -> bool:
    child, parent = node, document.parent(node)
    while isinstance(parent, (ast.IfExp, ast.BoolOp)) and child is not getattr(parent, "test", None):
        child, parent = parent, document.parent(parent)
    if isinstance(parent, ast.keyword):
        call = document.parent(parent)
        autocast = isinstance(call, ast.Call) and document.path(call.func) in AUTOCAST
        return bool(parent.arg and DEVICE_NAME.fullmatch(parent.arg)) and not autocast
    if isinstance(parent, ast.Call):
        name = parent.func.attr if isinstance(parent.func, ast.Attribute) else document.raw(parent.func)
        return child in parent.args and name in _METHODS and document.path(parent.func) not in AUTOCAST
    if isinstance(parent, ast.Assign):
        return any(_named_device(target) for target in parent.targets)
    if isinstance(parent, (ast.AnnAssign, ast.NamedExpr)):
        cls = document.parent(parent)
        for_cuda = isinstance(cls, ast.ClassDef) and re.match(r"(?i)_?(cuda|rocm|nvidia|nvml)", cls.name)
        return _named_device(parent.target) and not for_cuda
    if isinstance(parent, ast.arguments):
        return _default_of_device(parent, child)
    if isinstance(parent, ast.Dict) and child in parent.values:
        key = parent.keys[parent.values.index(child)]
        return bool(DEVICE_NAME.fullmatch(document.string(key) or ""))
    if isinstance(parent, ast.Return):
        function = document.enclosing(parent, ast.FunctionDef)
        return function is not None and bool(DEVICE_NAME.fullmatch(function.name))
    return False


def _named_device(target: ast.expr) -> bool:
    if isinstance(target, ast.Subscript):
        return isinstance(target.slice, ast.Constant) and bool(DEVICE_NAME.fullmatch(str(target.slice.value)))
    name = target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
    return bool(DEVICE_NAME.fullmatch(name))


def _default_of_device(arguments: ast.arguments, default: ast.AST) -> bool:
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = [*zip(reversed(positional), reversed(arguments.defaults))]
    pairs += [(arg, value) for arg, value in zip(arguments.kwonlyargs, arguments.kw_defaults) if value is not None]
    return any(value is default and DEVICE_NAME.fullmatch(arg.arg) for arg, value in pairs)
