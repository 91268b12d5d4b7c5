"""``rewarp translate`` with a compiler: what HIP's says of the result, as findings in the source."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rewarp.cli import terminal
from rewarp.errors import UsageError
from rewarp.findings import Finding
from rewarp.report.translate import Compilation
from rewarp.source import SourceFile
from rewarp.toolchain import find_for
from rewarp.toolchain.nvcc import Nvcc, find_nvcc
from rewarp.translation.changes import Problem, finding_of
from rewarp.translation.reported_rules import NO_TWIN
from rewarp.translation.tree import TranslatedTree
from rewarp.verify.build import verify_build
from rewarp.verify.build.units import project_of
from rewarp.verify.checks import Check, Outcome

ARCH = "gfx942"
_CUDA_ARCH = "sm_80"
_FIX = "change the source or the translation here; these are the compiler's own words"
_CUDA_OPTIONS = ("-D", "-U", "-std=")
_FOR_CUDA = re.compile(r"-DTHRUST_DEVICE_SYSTEM=\w*CUDA")
"""What sets rocThrust up for the GPU that it is not for."""
Found = tuple[str, Problem, Finding]


def why_no_compiler() -> str:
    """What to install where there is no HIP compiler; empty where there is one."""
    try:
        find_for((ARCH,))
    except UsageError as error:
        return str(error)
    return ""


def compiled(
    path: Path, tree: TranslatedTree, exclude: Sequence[str], includes: Iterable[str], quiet: bool
) -> tuple[Compilation, list[Found]]:
    """How the units of the result compile for AMD, and a problem for each error, where it is in the source."""
    folders = [Path(folder) for folder in includes]
    with terminal.progress_bar("compiling", quiet) as progress:
        evidence = verify_build(path, arches=(ARCH,), exclude=exclude, includes=folders, progress=progress)
    compilers = [f"{one['clang']}, HIP {one['hip'] or 'unknown'}" for one in evidence.provenance["compilers"]]
    # Besides units there are launches; and where there is no unit or no compiler, one check says so.
    units = [check for check in evidence.checks if "translated" in check.evidence] or list(evidence.checks)
    # A linker's question, and to CUDA the same one: nothing that the translation did.
    units = [replace(one, outcome=Outcome.NOT_CHECKED) if one.evidence.get("undefined") else one for one in units]
    root = path if path.is_dir() else project_of(path.absolute())
    refused = _Refused(root, tree, {f"{row['path']} for {ARCH}": row for row in evidence.details["units"]})
    found = [problem for unit in units if unit.outcome is Outcome.FAILED for problem in refused.problems(unit)]
    distinct = {(where, problem): (where, problem, finding) for where, problem, finding in found}
    return Compilation(ARCH, ", ".join(compilers), tuple(units)), list(distinct.values())


class _Refused:
    """Units that HIP's compiler refuses, beside the sources that they were made of."""

    def __init__(self, root: Path, tree: TranslatedTree, rows: Mapping[str, Mapping[str, Any]]) -> None:
        self.root, self.rows = root, rows
        self.sources = {os.path.realpath(tree.place(one.path)): one.source for one in tree.translations}
        try:
            self.nvcc: Nvcc | None = find_nvcc()
        except UsageError:
            self.nvcc = None

    def problems(self, unit: Check) -> Iterator[Found]:
        row = self.rows[unit.what]
        for_cuda = [option for option in row["options"] if _FOR_CUDA.match(option)]
        fix = f"leave {for_cuda[0]} out of the build for AMD" if for_cuda else _FIX + self._said_by_nvcc(row)
        for error in unit.evidence.get("errors", ()):
            source, line, message = self._place(row["path"], error)
            if source is not None:
                where = source.line_span(min(line, len(source.line_starts)))
                problem = Problem(NO_TWIN, where, "refused", f"HIP's compiler refuses this: {message}", fix)
                yield source.path, problem, finding_of(source, problem)

    def _place(self, unit: str, error: Mapping[str, Any]) -> tuple[SourceFile | None, int, str]:
        """What lies outside of what is translated is told of at the top of the unit."""
        source = self.sources.get(os.path.realpath(self.root / error["path"]))
        if source is not None:
            return source, error["line"] or 1, error["message"]
        where = f"{error['path']}:{error['line']}" if error["line"] else error["path"]
        return self.sources.get(os.path.realpath(self.root / unit)), 1, f"{where}: {error['message']}"

    def _said_by_nvcc(self, row: Mapping[str, Any]) -> str:
        """Whether the source compiles as CUDA at all, where nvcc is here to ask."""
        if self.nvcc is None:
            return ""
        options = [option for option in row["options"] if option.startswith(_CUDA_OPTIONS)]
        folders = [f"-I{folder}" for folder in (*row["includes"], *row["guessed_includes"])]
        done = self.nvcc.ptx(self.root / row["path"], _CUDA_ARCH, ["-w", *options, *folders])
        return "" if done.ok else f" (nvcc refuses the source, too: {done.errors[0]})"
