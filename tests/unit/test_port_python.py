"""Python to ROCm: golden cases, one file each under tests/port/python.

A case has the files before (`--- before PATH`; `--- both PATH` for those that stay), each changed file after
(`--- after PATH`; none: nothing changes) and what is left to a person (`--- manual RULE: words of the reason`).
Whatever changes must be proved harmless for NVIDIA, and a second run must change nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from rewarp.config import Config
from rewarp.port.changes import OPTIONAL, Change, PhaseResult, PortContext, PortOptions
from rewarp.port.cpp.old_torch import speaks_of_old_torch
from rewarp.port.python import run
from rewarp.port.python.gate import gate_change, gate_for
from rewarp.port.tree import Tree
from rewarp.targets import ROCM
from rewarp.verify.isolation.file_verdict import IsolationVerdict, Side
from rewarp.verify.isolation.python import compare

CASES = sorted((Path(__file__).parents[1] / "port" / "python").glob("*.txt"))
_SECTION = re.compile(r"^--- (before|after|both|manual|versions)(?: |$)(.*)\n", re.MULTILINE)
PLAIN = Config()


@dataclass
class Case:
    before: dict[str, bytes] = field(default_factory=dict)
    after: dict[str, bytes] = field(default_factory=dict)
    manual: list[str] = field(default_factory=list)
    config: Config = PLAIN


def read_case(case: Path) -> Case:
    found = Case()
    parts = _SECTION.split(case.read_text())[1:]
    for kind, argument, text in zip(parts[::3], parts[1::3], parts[2::3]):
        path = argument.strip() or "module.py"
        if kind in ("before", "both"):
            found.before[path] = text.encode()
        if kind in ("after", "both"):
            found.after[path] = text.encode()
        if kind == "manual":
            found.manual.append(argument)
        if kind == "versions":
            found.config = replace(PLAIN, **dict(item.split("=") for item in argument.split()))  # type: ignore[arg-type]
    found.after = {**found.before, **found.after}
    return found


def tree_of(files: dict[str, bytes], folder: Path, config: Config = PLAIN) -> Tree:
    for path, data in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return Tree(folder, config)


def ported(tree: Tree) -> tuple[Tree, PhaseResult]:
    """The tree after the part, with the gate where it was asked for."""
    old = speaks_of_old_torch(tree)
    context = PortContext(
        ROCM, None if old else gate_for(tree, ROCM), PortOptions(wanted=frozenset(OPTIONAL)), old_torch=old
    )
    result = run(tree, context)
    gate = context.gate and gate_change(tree, context.gate, result.changes)
    changes: list[Change] = [*([gate] if gate else []), *result.changes]
    return tree.with_changes(changes), result


class Sides:
    """The two trees, as the certificate asks for them."""

    def __init__(self, before: Tree, after: Tree) -> None:
        self.trees: dict[Side, Tree] = {"before": before, "after": after}

    def read(self, path: str, side: Side) -> bytes | None:
        return self.trees[side].read(path)

    def paths(self, side: Side) -> list[str]:
        return self.trees[side].paths()


def files_of(tree: Tree) -> dict[str, bytes]:
    return {path: tree.read(path) or b"" for path in tree.paths()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_case(case: Path, tmp_path: Path) -> None:
    expected = read_case(case)
    before = tree_of(expected.before, tmp_path, expected.config)
    after, result = ported(before)
    changed = {path: data for path, data in files_of(after).items() if data != expected.before.get(path)}
    wanted = {path: data for path, data in expected.after.items() if data != expected.before.get(path)}
    assert changed == wanted
    for path in changed:
        verdict = compare(path, before.read(path), after.read(path), Sides(before, after))
        assert verdict.verdict is IsolationVerdict.IDENTICAL, (path, verdict.why)
    reasons = [f"{manual.rule}: {manual.why}" for manual in result.manual]
    assert len(reasons) == len(expected.manual), reasons
    for words in expected.manual:
        rule, _, why = words.partition(": ")
        assert any(reason.startswith(rule) and why in reason for reason in reasons), reasons
    again, second = ported(after)
    assert second.changes == []
    assert [(manual.rule, manual.line) for manual in second.manual] == [(m.rule, m.line) for m in result.manual]
    assert files_of(again) == files_of(after)


def test_there_are_enough_cases() -> None:
    cases = [read_case(case) for case in CASES]
    assert sum(case.after != case.before for case in cases) >= 30
    assert sum(case.after == case.before for case in cases) >= 10
