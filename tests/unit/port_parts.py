"""Golden cases of a part of the port: one file holds the tree before, what changes, and what is left to a person.

Sections start with ``--- before: PATH``, ``--- after: PATH`` (only files that change or come), ``--- manual: RULE ...``
and ``--- unknown: PATH`` for files of a kind that the isolation certificate may not know: they must not be found
different. All others must be proved.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from rewarp.port.changes import OPTIONAL, PhaseResult, PortContext, PortOptions
from rewarp.port.tree import Tree
from rewarp.targets import ROCM
from rewarp.verify.isolation.file_verdict import IsolationVerdict
from rewarp.verify.isolation.judge import judge
from rewarp.verify.isolation.tree import Trees
from rewarp.workspace import Folder

Run = Callable[[Tree, PortContext], PhaseResult]
CASES = Path(__file__).parents[1] / "port"
_SECTION = re.compile(r"^--- (before|after|manual|unknown): ?(.*)\n", re.MULTILINE)


def cases(folder: str) -> list[Path]:
    found = sorted((CASES / folder).glob("*.txt"))
    assert found, folder
    return found


def check(case: Path, run: Run, tmp: Path) -> None:
    """The part makes exactly the changes of the case, proved for NVIDIA, and none when it runs again."""
    parts = _SECTION.split(case.read_text(encoding="utf-8"))[1:]
    sections = list(zip(parts[::3], parts[1::3], parts[2::3]))
    before = {name: text for kind, name, text in sections if kind == "before"}
    after = {name: text for kind, name, text in sections if kind == "after"}
    manual = [rule for kind, rules, _ in sections if kind == "manual" for rule in rules.split()]
    unknown = {name for kind, name, _ in sections if kind == "unknown"}
    write(tmp / "before", before)
    tree = Tree(tmp / "before")
    context = PortContext(ROCM, options=PortOptions(wanted=frozenset(OPTIONAL)))
    result = run(tree, context)
    assert {change.path: (change.after or b"").decode() for change in result.changes} == after
    assert sorted({entry.rule for entry in result.manual}) == sorted(manual), result.manual
    assert all(change.why.endswith(".") for change in result.changes)
    ported = tree.with_changes(result.changes)
    assert run(ported, context).changes == []
    write(tmp / "after", before | after)
    verdicts = isolation(tmp)
    assert verdicts.keys() == after.keys()
    assert {path for path, verdict in verdicts.items() if verdict is not IsolationVerdict.IDENTICAL} <= unknown
    assert IsolationVerdict.DIFFERENT not in verdicts.values()


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())


def isolation(tmp: Path) -> dict[str, IsolationVerdict]:
    trees = Trees(Folder(tmp / "before", everything=True), Folder(tmp / "after", everything=True))
    return {file.path: file.verdict for file in judge(trees)}
