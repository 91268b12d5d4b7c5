"""HPU-003: the device string "cuda"."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place, Refused
from rewarp.fixes.splices import picked
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.lang.python_parameters import defaults, positional
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.gaudi import AUTOCAST, DEVICE_NAME, DEVICE_STRING, OTHER_DEVICE, judged_for_gaudi, when_raised
from rewarp.targets import Context

_METHODS = frozenset(
    "to set_default_device init_device_mesh DeviceMesh Generator set_device device to_empty get_device_module synchronize"
    " empty_cache".split()
)
_OPTION = re.compile(r"(?i)-*\w*[-_]?device")


_STRING_WHY = 'On Gaudi the device is called "hpu".'
_MATCHED = 'the function matches it with "cuda" only: let that match accept "hpu" first'


def _hpu(place: Place) -> Outcome | None:
    """``"cuda"``, ``"cuda:0"``, ``f"cuda:{i}"``."""
    node = next((n for n in place.nodes if isinstance(n, (ast.Constant, ast.JoinedStr))), None)
    if node is None:
        return None
    if _is_matched(place, node):
        return Refused(_MATCHED)
    quote = "'" if place.view.text(node).lstrip("fFrRuU").startswith("'") else '"'
    return Mend(picked(place, node, f"{quote}hpu{quote}"), _STRING_WHY)


def _is_matched(place: Place, node: ast.expr) -> bool:
    """Whether it is the default of a parameter that its function matches with ``case "cuda"``."""
    arguments = place.document.parent(node)
    function = place.document.parent(arguments) if isinstance(arguments, ast.arguments) else None
    if not isinstance(arguments, ast.arguments) or function is None:
        return False
    names = {arg.arg for arg, default in defaults(arguments) if default is node}
    return any(
        isinstance(match.subject, ast.Name) and match.subject.id in names and _knows_cuda_only(match)
        for match in ast.walk(function)
        if isinstance(match, ast.Match)
    )


def _knows_cuda_only(match: ast.Match) -> bool:
    texts = {n.value for case in match.cases for n in ast.walk(case.pattern) if isinstance(n, ast.Constant)}
    return "cuda" in texts and "hpu" not in texts


@rule(
    id="HPU-003",
    title='The device is written as "cuda"',
    kinds=PYTHON_KINDS,
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
    gaudi_fix=PythonFix(_hpu),
    traits=[Trait.MAKES_DEVICE_STRING],
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for "cuda", "cuda:0" and f"cuda:{i}" where a device is expected: arguments, defaults, variables, dict values,
    command line options and the parameters of tests."""
    for node in (*document.strings, *document.nodes(ast.JoinedStr)):
        parent = document.parent(node)
        if isinstance(parent, (ast.JoinedStr, ast.FormattedValue)):
            continue
        text = document.string(node)
        if text and DEVICE_STRING.fullmatch(text) and _is_device(document, node):
            shown = text.replace("{}", "N")
            yield Hit(node, f'the device string "{shown}" has no meaning on Gaudi', shown, _severity(document, node))


def _severity(document: PythonFile, node: ast.AST) -> Severity | None:
    """Where the code picks between this device and the CPU by a switch of its own, or catches the failure, it can do without;
    where a parameter or ``torch.device("cuda")`` is only compared, nothing is asked of the device."""
    parent = document.parent(node)
    if isinstance(parent, ast.Call) and isinstance(document.parent(parent), ast.Compare):
        return Severity.INFO
    if isinstance(parent, ast.arguments):
        return Severity.INFO if _only_compared(document, parent, node) else None
    if isinstance(parent, ast.IfExp) and _is_switch(parent, node):
        return Severity.ON_CPU
    statement = document.statement(node)
    # A name that is kept for later raises where it is used.
    kept = isinstance(statement, ast.Assign) and any(_named_device(target) for target in statement.targets)
    return None if kept else when_raised(document, node)


_SWITCH = re.compile(r"(?i)(use_?|with_?|no_?|enable_?|disable_?|is_?)?(cuda|gpus?|cpu|on_gpu)(_only)?")


def _is_switch(choice: ast.IfExp, node: ast.AST) -> bool:
    """``"cuda" if args.cuda else "cpu"``"""
    other = choice.orelse if choice.body is node else choice.body
    test = choice.test.operand if isinstance(choice.test, ast.UnaryOp) else choice.test
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return isinstance(other, ast.Constant) and other.value == "cpu" and bool(_SWITCH.fullmatch(name))


def _only_compared(document: PythonFile, arguments: ast.arguments, default: ast.AST) -> bool:
    """Whether the function reads the parameter with this default nowhere but in comparisons, if at all."""
    function = document.parent(arguments)
    names = {arg.arg for arg, value in defaults(arguments) if value is default}
    reads = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id in names] if function else []
    return bool(names) and all(
        isinstance(document.parent(n), ast.Compare) or isinstance(n.ctx, ast.Store) for n in reads
    )


def _is_device(document: PythonFile, node: ast.AST) -> bool:
    child: Any = node
    parent = document.parent(node)
    while isinstance(parent, (ast.IfExp, ast.BoolOp)) and child is not getattr(parent, "test", None):
        child, parent = parent, document.parent(parent)
    if isinstance(parent, (ast.List, ast.Tuple, ast.Set)):
        return _is_one_of(document, parent, child)
    if isinstance(parent, ast.keyword):
        call = document.parent(parent)
        if not isinstance(call, ast.Call) or not parent.arg or document.path(call.func) in AUTOCAST:
            return False
        return bool(DEVICE_NAME.fullmatch(parent.arg)) or (parent.arg == "default" and _gives_device(document, call))
    if isinstance(parent, ast.Call):
        return child in parent.args and _takes_device(document, parent, parent.args.index(child))
    if isinstance(parent, ast.arguments):
        return _default_of_device(document, parent, child)
    if isinstance(parent, ast.Dict) and child in parent.values:
        key = parent.keys[parent.values.index(child)]
        return bool(DEVICE_NAME.fullmatch(document.string(key) or ""))
    if isinstance(parent, ast.Return):
        function = document.enclosing(parent, ast.FunctionDef)
        return function is not None and bool(DEVICE_NAME.fullmatch(function.name))
    return _is_kept(parent)


def _is_kept(statement: ast.AST | None) -> bool:
    """Whether a value goes to a variable that is called a device."""
    if isinstance(statement, ast.Assign):
        return any(_named_device(target) for target in statement.targets)
    if isinstance(statement, (ast.AnnAssign, ast.NamedExpr, ast.For)):
        return _named_device(statement.target)
    return False


def _takes_device(document: PythonFile, call: ast.Call, position: int) -> bool:
    """Whether a function takes a device in this position: one of torch's, a look-up with a default, or this file's own."""
    if document.path(call.func) in AUTOCAST:
        return False
    name = call.func.attr if isinstance(call.func, ast.Attribute) else document.raw(call.func)
    if name in _METHODS:
        return True
    if name in ("get", "getattr", "getenv", "pop", "setdefault") and position == len(call.args) - 1 and position:
        return bool(_OPTION.fullmatch(document.string(call.args[position - 1]) or ""))
    if name == "param":  # pytest.param("cuda", marks=...)
        group = document.parent(call)
        return isinstance(group, (ast.List, ast.Tuple)) and _is_one_of(document, group, call)
    return isinstance(call.func, ast.Name) and _names_parameter(document, call.func, position)


def _names_parameter(document: PythonFile, function: ast.Name, position: int) -> bool:
    """Whether the file defines the function, once, and calls this parameter a device."""
    found = [f for f in document.nodes(ast.FunctionDef, ast.AsyncFunctionDef) if f.name == function.id]
    if len(found) != 1 or isinstance(document.parent(found[0]), ast.ClassDef):
        return False
    parameters = positional(found[0].args)
    return position < len(parameters) and bool(DEVICE_NAME.fullmatch(parameters[position].arg))


def _gives_device(document: PythonFile, call: ast.Call) -> bool:
    """``add_argument("--device", default="cuda")``, and ``device: str = field(default="cuda")``."""
    if any(_OPTION.fullmatch(document.string(item) or "") for item in call.args):
        return True
    return _is_kept(document.parent(call))


def _is_one_of(document: PythonFile, group: ast.List | ast.Tuple | ast.Set, item: ast.expr) -> bool:
    """Whether a list is one of devices: by the name it gets, or the name of the test's parameter it is for."""
    holder = document.parent(group)
    if isinstance(holder, ast.keyword):
        return bool(holder.arg and DEVICE_NAME.fullmatch(holder.arg))
    if not isinstance(holder, ast.Call):
        if isinstance(holder, ast.Assign) and isinstance(holder.targets[0], ast.Tuple):  # dtype, device = x, "cuda"
            targets = holder.targets[0].elts
            return len(targets) == len(group.elts) and _named_device(targets[group.elts.index(item)])
        return _is_kept(holder)
    if len(holder.args) < 2 or holder.args[1] is not group:
        return False
    name = _parametrized(document, holder)
    if name is None or DEVICE_NAME.fullmatch(name):
        return name is not None
    same = [c for c in document.nodes(ast.Call) if len(c.args) > 1 and _parametrized(document, c) == name]
    return any(_among_devices(call.args[1]) for call in same)


def _parametrized(document: PythonFile, call: ast.Call) -> str | None:
    """The name of the one parameter that ``pytest.mark.parametrize`` gives values to."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "parametrize":
        return None
    name = document.string(call.args[0])
    return name if name and name.isidentifier() else None


def _among_devices(values: ast.expr) -> bool:
    """Whether a list has "cuda" beside another device: then it does not name implementations."""
    texts = {e.value for e in getattr(values, "elts", ()) if isinstance(e, ast.Constant) and isinstance(e.value, str)}
    return "cuda" in texts and any(t != "cuda" and t != "auto" and OTHER_DEVICE.fullmatch(t) for t in texts)


def _named_device(target: ast.expr) -> bool:
    if isinstance(target, ast.Subscript):
        return isinstance(target.slice, ast.Constant) and bool(DEVICE_NAME.fullmatch(str(target.slice.value)))
    name = target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
    return bool(DEVICE_NAME.fullmatch(name))


def _default_of_device(document: PythonFile, arguments: ast.arguments, default: ast.AST) -> bool:
    names = [arg.arg for arg, value in defaults(arguments) if value is default]
    return any(DEVICE_NAME.fullmatch(name) or _matched_with_cpu(document, arguments, name) for name in names)


def _matched_with_cpu(document: PythonFile, arguments: ast.arguments, name: str) -> bool:
    """Whether the function matches or compares its parameter with "cpu": then "cuda" is a device there."""
    function = document.parent(arguments)
    for match in document.nodes(ast.Match):
        if isinstance(match.subject, ast.Name) and match.subject.id == name and document.scope(match) is function:
            if any(
                isinstance(part, ast.Constant) and part.value == "cpu"
                for c in match.cases
                for part in ast.walk(c.pattern)
            ):
                return True
    for compare in document.nodes(ast.Compare):
        if isinstance(compare.left, ast.Name) and compare.left.id == name and document.scope(compare) is function:
            if any(isinstance(part, ast.Constant) and part.value == "cpu" for part in compare.comparators):
                return True
    return False
