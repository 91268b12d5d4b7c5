"""A job that compiles the kernels for AMD GPUs on every push. It needs no GPU."""

from __future__ import annotations

import re

from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.port.model import Change, PhaseResult, PortContext, PortPhase
from rewarp.port.tree import Tree
from rewarp.registry import fixed_in

PATH = ".github/workflows/rocm.yml"
_KNOWS_AMD = re.compile(rb"(?i)\b(rocm|hip|hipcc|gfx\d+\w*|amdgpu|rewarp)\b")
_WHY = "CI compiles the kernels for gfx942 on every push, on a machine without a GPU."
_JOB = """\
name: rocm
on: [push, pull_request]
jobs:
  compile:
    # Compiles every kernel for AMD GPUs; none is needed for that.
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install "rewarp[compile]"
      - run: rewarp verify build . --arch gfx942
"""


def run(tree: Tree, context: PortContext) -> PhaseResult:
    """Only for a project that has both kernels and CI on GitHub, and no job for AMD yet."""
    paths = tree.paths()
    workflows = [path for path in paths if re.fullmatch(r"\.github/workflows/[^/]+\.ya?ml", path)]
    has_kernels = any(path.endswith(".cu") and kind_of_path(path) is Kind.CUDA for path in paths)
    if not workflows or not has_kernels or any(_KNOWS_AMD.search(tree.read(path) or b"") for path in workflows):
        return PhaseResult()
    return PhaseResult(
        [Change(PATH, _JOB.encode(), PortPhase.VERIFICATION, _WHY, fixed_in(context.target.name, Kind.ACTIONS))]
    )
