"""ENV-001: ``CUDA_VISIBLE_DEVICES`` read as the list of devices."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place
from rewarp.fixes.splices import or_on_rocm, picked
from rewarp.lang.document import Document, EnvRead
from rewarp.lang.python import PythonFile
from rewarp.lang.shell import ShellFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import is_test
from rewarp.rules.shapes.env import ENV_KINDS, neutral
from rewarp.targets import Context

_NAME = "CUDA_VISIBLE_DEVICES"
_TWINS = {
    "rocm": {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"},
    "gaudi": {"HABANA_VISIBLE_DEVICES", "HABANA_VISIBLE_MODULES", "HLS_MODULE_ID"},
}
_SHOWN = {"print", "debug", "info", "warning", "warn", "error", "exception", "log", "log_info"}


def _only_shown(document: Document, item: EnvRead) -> bool:
    """Whether the value goes straight to a log, the terminal or an assertion, or is saved to be put back."""
    if isinstance(document, PythonFile) and isinstance(item.where, ast.AST):
        for ancestor in document.ancestors(item.where):
            if isinstance(ancestor, ast.Assert) and is_test(document):
                return True
            if isinstance(ancestor, ast.stmt):
                break
            if isinstance(ancestor, ast.Call):
                name = document.raw(ancestor.func).rpartition(".")[2]
                if name in _SHOWN or name.startswith("assert"):
                    return True
        return _removes(item.where)
    if isinstance(document, ShellFile):
        at = document.span(item).start
        for command in document.commands:
            span = document.span(command)
            if span.start <= at < span.end and command.name in ("echo", "printf"):
                rest = document.source.view[span.end : span.end + 40].lstrip(b" \t")
                return not rest.startswith(b"|")
    return False


def _removes(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop"


_SEEN = "HIP_VISIBLE_DEVICES"
_READ = ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")


def _rocms_first(place: Place) -> Outcome | None:
    """``os.environ.get("CUDA_VISIBLE_DEVICES", d)``: HIP's variable first, then ROCR's, then CUDA's as before."""
    node = place.node(ast.expr)
    why = "On ROCm HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES come before CUDA_VISIBLE_DEVICES."
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In):
        container = place.view.text(node.comparators[0])
        return Mend(or_on_rocm(place, node, f'"{_SEEN}" in {container}'), why)
    getter = _getter(place, node)
    if node is None or getter is None:
        return None
    around = place.document.parent(node)
    if isinstance(around, ast.IfExp) and node is around.body and _asks_whether_set(place, around.test):
        node = around
    text = place.view.text(node)
    for name in reversed(_READ):
        text = f'{getter}("{name}", {text})'
    return Mend(picked(place, node, text), why)


def _asks_whether_set(place: Place, test: ast.expr) -> bool:
    return any(
        place.document.string(node) == place.finding.symbol for node in ast.walk(test) if isinstance(node, ast.Constant)
    )


def _getter(place: Place, node: ast.expr | None) -> str | None:
    """How a variable of the same environment is asked for with a default."""
    if isinstance(node, ast.Subscript):
        return f"{place.view.text(node.value)}.get"
    if isinstance(node, ast.Call) and (place.document.path(node.func) or "").endswith((".getenv", ".get")):
        return place.view.text(node.func)
    return None


@rule(
    id="ENV-001",
    title="CUDA_VISIBLE_DEVICES is read as the list of devices",
    kinds=ENV_KINDS,
    anchors=[_NAME],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.INFO,
        why="On ROCm HIP_VISIBLE_DEVICES wins over it, and with ROCR_VISIBLE_DEVICES alone torch ignores it. Ray and "
        "Slurm set those, so the value read here may have nothing to do with the devices in use.",
        fix="Read HIP_VISIBLE_DEVICES, then ROCR_VISIBLE_DEVICES, then CUDA_VISIBLE_DEVICES on ROCm, or ask "
        "torch.cuda.device_count().",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.WRONG,
        why="Gaudi is told its devices by HABANA_VISIBLE_DEVICES and HLS_MODULE_ID.",
        fix="Read those, or ask torch.hpu.device_count().",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='ids = os.environ["CUDA_VISIBLE_DEVICES"].split(",")',
    source="https://github.com/volcengine/verl/pull/360",
    fix=PythonFix(_rocms_first, even_if_mild=True),  # Ray and Slurm set ROCm's own
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for CUDA_VISIBLE_DEVICES being read, in a file that reads none of the target's own variables, for more
    than to show or assert it, outside tests."""
    if is_test(document) or any(item.name in _TWINS[context.target.name] for item in document.env_reads):
        return
    yield from neutral(
        document,
        (
            Hit(item, f"{_NAME} is read, and what {context.target.title} goes by is not", _NAME)
            for item in document.env_reads
            if item.name == _NAME and not _only_shown(document, item)
        ),
    )
