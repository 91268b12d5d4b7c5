"""TRI-007: launch options that only the NVIDIA backend knows."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import without_keyword
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.triton import Option, kernel_parameters, milder, options
from rewarp.targets import Context

_NAMES = ("maxnreg", "launch_pdl", "ptx_options", "ptx_version", "clc", "sched4reg", "min_shared_mem")


@rule(
    id="TRI-007",
    title="A Triton launch passes an option only NVIDIA has",
    kinds=PYTHON_KINDS,
    anchors=_NAMES,
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.CRASH,
        why="Triton raises KeyError for a keyword that is neither an option of the backend nor a parameter of the kernel, "
        "whatever its value; the AMD backend has none of these.",
        fix="Build the options beforehand and leave this one out on ROCm: `{} if torch.version.hip else "
        "{'maxnreg': 128}`.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="kernel[grid](x, y, maxnreg=128)",
    source="https://github.com/triton-lang/triton/blob/main/python/triton/runtime/jit.py",
    fix=PythonFix(without_keyword("The AMD back end of Triton refuses an option that it does not know.")),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for maxnreg, launch_pdl, ptx_options and other NVIDIA options in a launch or a triton.Config."""
    for option in options(document, context, *_NAMES):
        empty = isinstance(option.value, ast.Constant) and option.value.value is None
        if (empty and not option.launch) or option.name in kernel_parameters(document, option.owner):
            continue
        call = "launch" if option.launch else "config"
        if not _conditional(document, option):
            message = f"{option.name} is passed in a {call}; the AMD backend does not know it"
            where = option.owner if option.where is option.owner else option.given
            yield Hit(where, message, option.name, severity=milder(document))


def _conditional(document: PythonFile, option: Option) -> bool:
    """Whether the option is put into the launch only under some condition (`{"maxnreg": 128} if fast else {}`)."""
    around = set(document.ancestors(option.owner))
    for ancestor in document.ancestors(option.given):
        if ancestor in around or ancestor is option.owner:
            return False
        if isinstance(ancestor, (ast.If, ast.IfExp)):
            return True
    return False
