"""pyproject.toml: an extra ``rocm`` with the AMD versions of packages that the file asks for in their CUDA versions."""

from __future__ import annotations

import copy
import re
from collections import defaultdict

from rewarp.errors import UnreadableSource
from rewarp.fixes.text import edited, newline_of
from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile
from rewarp.port.changes import Change, PhaseResult, PortContext, PortPhase
from rewarp.port.packaging.twins import for_rocm
from rewarp.port.tree import Tree
from rewarp.registry import all_rules, fixed_in
from rewarp.source import SourceFile

_TABLE = re.compile(rb"^[ \t]*\[[ \t]*project[ \t]*\.[ \t]*optional-dependencies[ \t]*\][^\r\n]*", re.M)
_WHY = "The extra rocm holds AMD's versions of packages that other extras ask for in CUDA's."


def run(tree: Tree, context: PortContext) -> PhaseResult:
    result = PhaseResult()
    fixed = fixed_in(context.target.name, Kind.PYPROJECT)
    found: dict[str, set[str]] = defaultdict(set)
    for finding in tree.findings(context.target):
        if all_rules()[finding.rule].family == "packaging":
            found[finding.path].add(finding.rule)
    for path in sorted(found):
        data = tree.read(path) if path.rpartition("/")[2] == "pyproject.toml" else None
        after = with_extra(path, data) if data is not None else None
        if after is not None:
            result.changes.append(
                Change(path, after, PortPhase.ENVIRONMENT, _WHY, tuple(sorted(found[path].intersection(fixed))))
            )
    return result


def with_extra(path: str, data: bytes) -> bytes | None:
    """The file with the extra; None where there is nothing to put into it, or no safe place for it."""
    source = SourceFile(path, data)
    try:
        document = TomlFile(source, Kind.PYPROJECT)
    except UnreadableSource:
        return None
    project = document.data.get("project")
    found = [for_rocm(item) for item in document.requirements if item.group != "build-system"]
    twins = sorted({item.text for item in found if item.text and item.why})
    if not isinstance(project, dict) or not twins or "optional-dependencies" in project.get("dynamic", ()):
        return None
    if "rocm" in project.get("optional-dependencies", {}):
        return None
    newline = newline_of(source)
    line = "rocm = [" + ", ".join(f'"{name}"' for name in twins) + "]"
    table = _TABLE.search(source.view)
    if table:
        after = edited(source, [(table.end(), table.end(), newline + line)])
    else:
        gap = newline if source.view.endswith(b"\n") or not source.view else newline * 2
        text = f"{gap}[project.optional-dependencies]{newline}{line}{newline}"
        after = edited(source, [(len(source.view), len(source.view), text)])
    return after if _only_adds(document, path, after, twins) else None


def _only_adds(document: TomlFile, path: str, after: bytes, twins: list[str]) -> bool:
    """Whether the extra is all that changed."""
    expected = copy.deepcopy(document.data)
    expected["project"].setdefault("optional-dependencies", {})["rocm"] = twins
    try:
        return TomlFile(SourceFile(path, after), Kind.PYPROJECT).data == expected
    except UnreadableSource:
        return False
