"""PY-GRF-002: the random state is touched during capture."""

import ast
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, When, rule
from rewarp.rules.shapes.torch_backends import in_capture, is_false
from rewarp.targets import Context

_STATE = ("get_rng_state", "set_rng_state", "get_rng_state_all", "set_rng_state_all")
_CHECKPOINT = "torch.utils.checkpoint.checkpoint"


@rule(
    id="PY-GRF-002",
    title="The random state is read or set during capture",
    kinds=PYTHON_KINDS,
    anchors=[f"{name} cuda graph" for name in (*_STATE, "checkpoint")],
    phase=Phase.GRAPHS,
    rocm=Impact(
        Severity.CRASH,
        why="Before torch 2.10 this raises during capture, on NVIDIA as on AMD; later it is allowed while the seed "
        "stays the same. It is no matter of ROCm.",
        fix="Move it before the capture, or require torch 2.10. Do not patch dynamo for it.",
        effort=Effort.HOURS,
        when=When(torch="<2.10", otherwise=Severity.INFO),
    ),
    example="with torch.cuda.graph(g):\n    state = torch.cuda.get_rng_state()",
    versions="torch < 2.10, both vendors",
    source="https://github.com/pytorch/pytorch/pull/162505",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for torch.cuda's get_rng_state and set_rng_state inside `with torch.cuda.graph(...)`, and for
    activation checkpoints that keep the random state."""
    for path, call in document.calls(
        *(f"torch.cuda.{sub}{name}" for sub in ("", "random.") for name in _STATE), _CHECKPOINT
    ):
        if in_capture(document, call) and not _keeps_no_state(document, call):
            yield Hit(call, f"{path} runs inside a capture", path)


def _keeps_no_state(document: PythonFile, call: ast.Call) -> bool:
    keyword = document.argument(call, None, "preserve_rng_state")
    return keyword is not None and is_false(document, keyword)
