"""PY-RT-013: a process group with the NCCL back end."""

import ast
from collections.abc import Iterator

from rewarp.edits import Edit, Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place, Refused
from rewarp.fixes.splices import picked, stands_on_own_lines
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.gaudi import judged_for_gaudi, when_raised
from rewarp.rules.shapes.gaudi_twins import text_argument
from rewarp.rules.shapes.torch_runtime import process_groups
from rewarp.source import Span
from rewarp.targets import Context

_OWN_LINES = "it shares its lines with other code"
_HCCL = "import habana_frameworks.torch.distributed.hccl"


def _hccl(place: Place) -> Outcome | None:
    """``init_process_group("nccl")``: hccl, which an import registers."""
    call = place.node(ast.Call)
    given = place.node(ast.Constant) if call is None else text_argument(call, "nccl")
    statement = next((s for n in place.nodes if (s := place.document.statement(n)) is not None), None)
    if given is None or statement is None or not isinstance(given.value, str):
        return None
    if not stands_on_own_lines(place, statement) or not isinstance(statement, (ast.Expr, ast.Assign)):
        return Refused(_OWN_LINES)
    view = place.view
    new = given.value.lower().replace("cuda:", "hpu:").replace("nccl", "hccl")
    indent, newline = view.indent(statement), view.newline
    start = view.line_start(statement)
    lines = f"{indent}if {place.gate.rocm}:{newline}{indent}{view.unit}{_HCCL}{newline}"
    first = "new_group" not in view.text(statement)  # the import that came before serves all further groups
    registered = (Edit(Span(start, start), view.encode(lines)),) if first else ()
    why = "On Gaudi process groups talk through HCCL."
    return Mend((*registered, *picked(place, given, f'"{new}"')), why)


@rule(
    id="PY-RT-013",
    title='A process group uses the back end "nccl"',
    kinds=PYTHON_KINDS,
    anchors=["init_process_group", "new_group", "init_distributed"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.WORKS,
        why='"nccl" is the right name on ROCm as well: it means RCCL there.',
    ),
    gaudi=Impact(
        Severity.CRASH,
        why='Gaudi has no NCCL; its back end is called "hccl" and is registered by importing '
        "habana_frameworks.torch.distributed.hccl.",
        fix='Choose "hccl" on Gaudi and keep "nccl" elsewhere.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='dist.init_process_group("nccl")',
    source="https://docs.pytorch.org/docs/main/notes/hip.html#torch-distributed-backends",
    gaudi_fix=PythonFix(_hccl),
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for process groups created with the back end "nccl", alone or beside one for the CPU."""
    means = "RCCL" if context.target.name == "rocm" else "nothing"
    for name, backends, where in process_groups(document):
        if "nccl" in backends:
            caught = when_raised(document, where) if means == "nothing" else None
            yield Hit(where, f'"nccl" means {means} on {context.target.title}', name, caught)
