"""PY-BCK-007: a linear algebra library is asked for by name."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, When, rule
from rewarp.rules.shapes.torch_backends import leaves
from rewarp.targets import Context

_PATH = "torch.backends.cuda.preferred_linalg_library"


@rule(
    id="PY-BCK-007",
    title="cuSOLVER or MAGMA is preferred for linear algebra",
    kinds=PYTHON_KINDS,
    anchors=["preferred_linalg_library"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="The call raises when the named library is not in the build. ROCm builds before torch 2.1 have none under "
        'the name "cusolver"; later ones take it to mean hipSOLVER. "magma" needs a build with MAGMA.',
        fix="Ask for it only where torch.version.hip is None and let PyTorch choose on ROCm.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
        when=When(torch="<2.1", otherwise=Severity.INFO),
    ),
    example='torch.backends.cuda.preferred_linalg_library("cusolver")',
    versions="hipSOLVER is in ROCm builds from torch 2.1 on",
    source="https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/Context.cpp",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for preferred_linalg_library called with "cusolver" or "magma"."""
    for path, call in document.calls(_PATH):
        argument = document.argument(call, 0, "backend")
        for leaf in leaves(argument) if argument else ():
            name = document.string(leaf)
            if name in ("cusolver", "magma"):
                mild = Severity.INFO if name == "magma" else None
                where = call if leaf is argument else leaf
                yield Hit(where, f"{name} is asked for; the build must hold it", path, severity=mild)
