"""Python to Gaudi: golden cases, one file each under tests/port/gaudi.

A case has the files before (`--- before PATH`; `--- both PATH` for those that stay), each changed file after
(`--- after PATH`; none: nothing changes) and what is left to a person (`--- manual RULE: words of the reason`).
Whatever changes must be proved harmless for NVIDIA, and a second run must change nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from rewarp.config import Config
from rewarp.port.changes import PhaseResult, PortContext, PortPhase
from rewarp.port.gaudi import run
from rewarp.port.proving.evidence import certificate
from rewarp.port.tree import Tree
from rewarp.targets import TARGETS
from rewarp.verify.isolation.file_verdict import IsolationVerdict

GAUDI = TARGETS["gaudi"]
CASES = sorted((Path(__file__).parents[1] / "port" / "gaudi").glob("*.txt"))
_SECTION = re.compile(r"^--- (before|after|both|manual)(?: |$)(.*)\n", re.MULTILINE)


@dataclass
class Case:
    before: dict[str, bytes] = field(default_factory=dict)
    after: dict[str, bytes] = field(default_factory=dict)
    manual: list[str] = field(default_factory=list)


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
    found.after = {**found.before, **found.after}
    return found


def tree_of(files: dict[str, bytes], folder: Path) -> Tree:
    for path, data in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return Tree(folder, Config())


def ported(tree: Tree) -> tuple[Tree, PhaseResult]:
    result = run(tree, PortContext(GAUDI))
    return tree.with_changes(result.changes), result


def files_of(tree: Tree) -> dict[str, bytes]:
    return {path: tree.read(path) or b"" for path in tree.paths()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_case(case: Path, tmp_path: Path) -> None:
    expected = read_case(case)
    before = tree_of(expected.before, tmp_path)
    after, result = ported(before)
    assert files_of(after) == expected.after
    proof = certificate(before, after)
    assert [(file.path, file.why) for file in proof.files if file.verdict is not IsolationVerdict.IDENTICAL] == []
    reasons = [f"{manual.rule}: {manual.why}" for manual in result.manual]
    assert len(reasons) == len(expected.manual), reasons
    for words in expected.manual:
        rule, _, why = words.partition(": ")
        assert any(reason.startswith(f"{rule}:") and why in reason for reason in reasons), reasons
    again, second = ported(after)
    assert second.changes == []
    assert files_of(again) == files_of(after)


def test_there_are_enough_cases() -> None:
    cases = [read_case(case) for case in CASES]
    assert sum(case.after != case.before for case in cases) >= 15
    assert sum(case.after == case.before for case in cases) >= 8


def test_line_ends_encoding_and_every_other_byte_stay(tmp_path: Path) -> None:
    text = "# -*- coding: latin-1 -*-\r\nimport torch\r\n\r\ndef f(x):\r\n\t# caf\xe9\r\n\treturn x.cuda()\r\n".encode(
        "latin-1"
    )
    after, _ = ported(tree_of({"module.py": text}, tmp_path))
    data = after.read("module.py") or b""
    gate = b'\r\n\r\nIS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()'
    assert data.replace(gate, b"").replace(b'x.to("hpu") if IS_GAUDI else ', b"") == text
    assert gate in data


def test_only_the_phases_that_were_asked_for(tmp_path: Path) -> None:
    text = b'import torch\nwith torch.autocast("cuda"):\n    x = torch.ones(2).cuda()\n'
    tree = tree_of({"module.py": text}, tmp_path)
    result = run(tree, PortContext(GAUDI, phases=frozenset({PortPhase.LIBRARIES})))
    assert [change.phase for change in result.changes] == [PortPhase.LIBRARIES]
    assert b"torch.ones(2).cuda()\n" in (result.changes[0].after or b"")


def test_what_does_not_parse_is_left_alone(tmp_path: Path) -> None:
    tree = tree_of({"broken.py": b"import torch\nx.cuda(\n", "binary.py": b"\x00\xff torch.cuda"}, tmp_path)
    assert run(tree, PortContext(GAUDI)).changes == []
