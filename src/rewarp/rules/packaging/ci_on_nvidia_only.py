"""CI-001: continuous integration that knows NVIDIA machines only."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Phase, Severity
from rewarp.fixes import FileFix
from rewarp.lang.kinds import Kind
from rewarp.lang.yaml import Entry, YamlFile
from rewarp.project.sides import Side, side_of
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_RUNNER = re.compile(
    r"(?i)(^|[^a-z0-9])(gpu|nvidia|cuda|nv|a100|a10g?|a6000|h100|h200|b200|l40s?|l4|t4|v100|g[4-6]\w*)(?![a-z0-9])"
)
_MATRIX_KEY = re.compile(r"(?i)cuda([-_]?versions?|[-_]?ver)?|cudas?")
_ACTION = re.compile(r"(?i)jimver/cuda-toolkit|.*/(setup|install)-cuda(-toolkit)?@")
_AMD = re.compile(rb"(?i)rocm|(?<![a-z])amd(?![a-z0-9])|\bmi[23]\d\d|\bhip(cc|ify)?\b")


def _what(entry: Entry) -> str | None:
    if entry.key == "runs-on" and _RUNNER.search(entry.value):
        return f"the job runs on {entry.value}"
    if entry.key == "uses" and _ACTION.match(entry.value):
        return f"the job installs CUDA with {entry.value}"
    if "matrix" in entry.path and _MATRIX_KEY.fullmatch(entry.key) and entry.value:
        return f"the matrix has {entry.key} {entry.value}"
    return None


@rule(
    id="CI-001",
    title="No job tests on an AMD GPU",
    kinds=Kind.ACTIONS,
    anchors=["runs", "matrix", "Jimver", "jimver"],
    phase=Phase.VERIFICATION,
    rocm=Impact(
        Severity.WORKS,
        why="The workflow goes on working as it is; it just says nothing about AMD GPUs.",
        fix="Add a row or a job for ROCm once there is a runner with an AMD GPU.",
        safety=Safety.DISPLAY_ONLY,
    ),
    example="runs-on: [self-hosted, nvidia, a100]",
    source="https://github.com/linkedin/Liger-Kernel",
    fix=FileFix(
        Kind.ACTIONS,
        "With `--with ci --run` a job of its own compiles the kernels for gfx942 on every push, without a GPU; it is "
        "written once its steps passed here.",
    ),
)
def match(document: YamlFile, context: Context) -> Iterator[Hit]:
    """Looks for the first sign in a workflow that its jobs need NVIDIA machines (a runner label, an action that
    installs CUDA, a matrix over CUDA versions), where nothing in it speaks of AMD."""
    if _AMD.search(document.source.view) or side_of(document.source.path) is Side.OTHER:
        return
    for entry in document.entries:
        what = _what(entry)
        if what:
            yield Hit(entry.span, f"{what}, and no job for AMD is in sight", entry.key)
            return
