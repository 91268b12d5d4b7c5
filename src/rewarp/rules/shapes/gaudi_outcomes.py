"""What comes of a test that only CUDA passes: what Gaudi misses where the test fails."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rewarp.findings import Severity
from rewarp.lang.python import PythonFile
from rewarp.rules.shapes.gaudi import DEVICE_STRING
from rewarp.rules.shapes.torch import branches, conditions, refusal

_OTHER_DEVICES = ("cuda", "nvidia", "rocm", "amd", "hip", "xpu", "npu", "mps", "cpu", "cuda_alike", "mlu", "musa")
_OTHER_QUESTIONS = frozenset(f"is_{device}" for device in _OTHER_DEVICES)
_CUDA_VARIABLES = ("CUDA_", "CUBLAS_", "NCCL_", "PYTORCH_CUDA_", "TORCH_CUDA_")
_OWN = ("torch.cuda.", "torch.backends.", "pynvml.", "nvtx.")
_ASIDE = re.compile(
    r"print|gc\.collect|warnings\.warn|(\w+\.)*(log\w*|_log\w*)(\.(debug|info|warning|error|log|warn))?"
)
_FIGURES = re.compile(
    r"torch\.cuda\.(memory\.)?(\w*memory\w*|mem_get_info|get_device_(name|properties|capability)|current_device|utilization"
    r"|temperature|power_draw|clock_rate)\b.*"
)
_PRECISION = re.compile(r"(?i)(torch\.)?(b?float|fp|bf|int|half|double)(8|16|32|64)?(_\w+)?|\d\d(-mixed|-true)?")


class Outcome(NamedTuple):
    """What comes of a test that only CUDA passes."""

    severity: Severity
    text: str


def outcome(document: PythonFile, test: ast.expr, positive: bool) -> Outcome | None:
    """What comes of a test on Gaudi that asks for CUDA (``positive``) or for anything else; None: no harm."""
    for condition, plain in conditions(document, test):
        holds = plain is not positive  # the test fails when it asks for CUDA; a `not` before it turns that round
        decides = _decides(document, test, holds)
        if isinstance(condition, ast.Assert):
            if holds:
                return None
            return Outcome(Severity.CRASH, " and the assertion fails") if decides else _UNKNOWN
        missed, runs = branches(condition, not holds)
        end = refusal(document, _where_no_device_fits(runs)) if decides else None
        if end == "stop":
            return Outcome(Severity.CRASH, " and the program stops here")
        if end == "skip":
            return Outcome(Severity.INFO, " and the test is skipped")
        if isinstance(condition, ast.If) and runs and decides and holds and isinstance(runs[-1], ast.Return):
            return Outcome(Severity.INFO, " and the way for other devices is taken")
        return what_is_missed(document, missed, runs) or _UNKNOWN
    return Outcome(Severity.INFO, _ONLY_COPIES) if _sets_copy(document, test) else _UNKNOWN


_ONLY_COPIES = ", which only costs a setting for copies from the host"


_UNKNOWN = Outcome(Severity.PERF, " and the way for other devices is taken")
"""A tensor is on Gaudi, and the code treats it as it treats any device that is not CUDA."""


def what_is_missed(document: PythonFile, missed: Sequence[ast.AST], runs: Sequence[ast.AST]) -> Outcome | None:
    """What Gaudi loses where a block does not run and another one may instead; None where that is not known."""
    if (
        _reads_from_device(missed)
        and not _reads_from_device(runs)
        and any(_is_call_of(n, "numpy") for n in _below(runs))
    ):
        return Outcome(Severity.CRASH, " and numpy() is asked of a tensor that is not on the CPU")
    if any(_moves(document, node) for node in _below(missed)):
        return Outcome(Severity.ON_CPU, " and the work stays on the CPU")
    if missed and all(is_cudas(document, node) or _tells(document, node, missed) for node in missed):
        if all(_tells(document, node, runs) for node in _where_no_device_fits(runs)):
            return Outcome(Severity.INFO, ", which spares it what is CUDA's")
    if missed and all(_tunes(document, node) for node in (*missed, *runs)):
        return Outcome(Severity.INFO, _ONLY_COPIES)
    if missed and all(_is_precision(document, node) for node in (*missed, *runs)):
        return Outcome(Severity.PERF, " and another precision is taken")
    return None


def _where_no_device_fits(block: Sequence[ast.AST]) -> list[ast.AST]:
    """``elif x.device.type == "cpu": ... else: raise``: the last branch, which is for a device that nobody thought of."""
    while len(block) == 1 and isinstance(block[0], ast.If) and _names_device(block[0].test):
        block = block[0].orelse
    return list(block)


def _names_device(test: ast.expr) -> bool:
    """``device.type == "cpu"``: a test that Gaudi does not pass either."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Eq, ast.In)):
        return False
    texts = [n.value for n in ast.walk(test.comparators[0]) if isinstance(n, ast.Constant)]
    return bool(texts) and all(text in _OTHER_DEVICES for text in texts)


def _below(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    return (node for top in nodes for node in ast.walk(top))


def _is_call_of(node: ast.AST, *methods: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in methods


def _reads_from_device(nodes: Sequence[ast.AST]) -> bool:
    return any(_is_call_of(node, "cpu") for node in _below(nodes))


def _moves(document: PythonFile, node: ast.AST) -> bool:
    """Whether a node puts something on the device, or names it."""
    if isinstance(node, (ast.Constant, ast.JoinedStr)):
        return bool(DEVICE_STRING.fullmatch(document.string(node) or ""))
    return _is_call_of(node, "cuda") or (_is_call_of(node, "to") and "device" in ast.unparse(node).lower())


def is_cudas(document: PythonFile, statement: ast.AST) -> bool:
    """A call of torch.cuda, a switch or a variable of CUDA's, a check, a figure of the card, or a line of a log: nothing
    is lost where it does not run."""
    if isinstance(statement, (ast.Assert, ast.Raise, ast.Pass)):
        return True
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        named = [statement.module or ""] if isinstance(statement, ast.ImportFrom) else [a.name for a in statement.names]
        return all(f"{name}.".startswith(_OWN) or name in ("gc", "torch") for name in named)
    if isinstance(statement, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
        handlers = [line for handler in getattr(statement, "handlers", ()) for line in handler.body]
        inner = [*statement.body, *getattr(statement, "orelse", ()), *getattr(statement, "finalbody", ()), *handlers]
        return all(is_cudas(document, line) for line in inner)
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        if isinstance(target, ast.Subscript) and (document.string(target.slice) or "").startswith(_CUDA_VARIABLES):
            return True
        if (document.path(target) or "").startswith(_OWN):
            return True
    value = statement.value if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)) else None
    if isinstance(value, ast.Call) and document.raw(value.func).rpartition(".")[2] == "GradScaler":
        return True  # bfloat16, which Gaudi computes in, needs none
    if value is not None:
        return any(_FIGURES.fullmatch(document.path(node) or "") for node in ast.walk(value))
    call = statement.value if isinstance(statement, ast.Expr) else statement
    if not isinstance(call, ast.Call):
        return False
    return (document.path(call) or "").startswith(_OWN) or bool(_ASIDE.fullmatch(document.raw(call.func)))


def _tells(document: PythonFile, statement: ast.AST, block: Sequence[ast.AST]) -> bool:
    """Whether a statement of a block only puts together what people read, or tells it."""
    if isinstance(statement, (ast.If, ast.For, ast.With)):
        return all(_tells(document, line, block) for line in (*statement.body, *getattr(statement, "orelse", ())))
    if isinstance(statement, ast.Pass):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant) or bool(
            isinstance(statement.value, ast.Call) and _ASIDE.fullmatch(document.raw(statement.value.func))
        )
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return False
    value = statement.value
    if _is_message(value) or (isinstance(value, ast.Constant) and _MESSAGE.fullmatch(statement.targets[0].id)):
        return True
    plain = all(isinstance(node, _ARITHMETIC) for node in ast.walk(value))
    return plain and _stays_in(document, statement.targets[0], block)


_ARITHMETIC = (ast.BinOp, ast.operator, ast.Name, ast.Attribute, ast.Constant, ast.expr_context)
_MESSAGE = re.compile(r"(?i)\w*(message|msg|text|line|header|title|desc|label)\w*")


def _is_message(value: ast.expr) -> bool:
    """A text with places to fill in, or one that is joined of several."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Mod, ast.Add)):
        return _is_message(value.left) or isinstance(getattr(value.left, "value", None), str)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr in ("join", "format")
    return isinstance(value, ast.JoinedStr)


def _stays_in(document: PythonFile, target: ast.Name, block: Sequence[ast.AST]) -> bool:
    """Whether a variable is read in a block alone."""
    inside = {id(node) for node in _below(block)}
    scope = document.scope(target)
    reads = (n for n in document.nodes(ast.Name) if n.id == target.id and isinstance(n.ctx, ast.Load))
    return all(id(node) in inside for node in reads if document.scope(node) is scope)


_COPIES = re.compile(r"(?i)\w*(pin_?mem(ory)?|non_?blocking|num_?workers|prefetch(_factor)?|persistent_workers)\w*")


def _tunes(document: PythonFile, node: ast.AST) -> bool:
    """Whether a statement, or a value that a condition picks, only sets how the host's data are copied."""
    if isinstance(node, ast.Assign):
        return all(_COPIES.fullmatch(ast.unparse(target).rpartition(".")[2].strip("[]'\"")) for target in node.targets)
    if isinstance(node, ast.Expr):
        call = node.value
        return isinstance(call, ast.Call) and _is_call_of(call, "update") and _sets_copies(document, call)
    if isinstance(node, ast.Dict):
        return all(key is not None and _COPIES.fullmatch(document.string(key) or "") for key in node.keys)
    choice = document.parent(node)
    return isinstance(choice, ast.IfExp) and _sets_copy(document, choice)


def _sets_copy(document: PythonFile, test: ast.expr) -> bool:
    """``pin_memory=device.type == "cuda"``"""
    holder = document.parent(test)
    if isinstance(holder, ast.keyword):
        return bool(_COPIES.fullmatch(holder.arg or ""))
    if isinstance(holder, ast.Dict) and test in holder.values:
        return bool(_COPIES.fullmatch(document.string(holder.keys[holder.values.index(test)]) or ""))
    return isinstance(holder, ast.Assign) and _tunes(document, holder)


def _sets_copies(document: PythonFile, call: ast.Call) -> bool:
    keywords = all(_COPIES.fullmatch(keyword.arg or "") for keyword in call.keywords)
    return keywords and all(isinstance(value, ast.Dict) and _tunes(document, value) for value in call.args)


def _is_precision(document: PythonFile, node: ast.AST) -> bool:
    """Whether a value names a precision: ``torch.float16``, ``"fp16"``; None beside one is the default."""
    if isinstance(node, ast.Assign):
        node = node.value
    if isinstance(node, ast.Constant):
        return node.value is None or isinstance(node.value, bool) or bool(_PRECISION.fullmatch(str(node.value)))
    return bool(_PRECISION.fullmatch(document.path(node) or ""))


def _decides(document: PythonFile, test: ast.expr, holds: bool) -> bool:
    """Whether the whole condition has the value of this test: no ``and`` around what holds, no ``or`` around what fails.
    ``x.is_cuda or x.is_xpu`` fails as a whole."""
    child: ast.AST = test
    for parent in document.ancestors(test):
        if isinstance(parent, ast.BoolOp) and isinstance(parent.op, ast.And if holds else ast.Or):
            if holds or not all(value is child or _asks_for_other(value) for value in parent.values):
                return False
        elif not isinstance(parent, (ast.BoolOp, ast.UnaryOp, ast.Compare)):
            break
        child = parent
    return True


def _asks_for_other(test: ast.expr) -> bool:
    name = test.func if isinstance(test, ast.Call) else test
    return isinstance(name, ast.Attribute) and name.attr in _OTHER_QUESTIONS
