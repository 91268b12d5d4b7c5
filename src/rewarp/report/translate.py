"""Views of a translation: a summary for people, and JSON (schema ``rewarp.translate/1``, docs/translate.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from rewarp import __version__
from rewarp.escape import joined
from rewarp.findings import Failed, Finding, Skipped
from rewarp.tables import cuda
from rewarp.translation.model import Problem, Translation
from rewarp.translation.tree import TranslatedFile, TranslatedTree

SCHEMA = "rewarp.translate/1"
LEFT = ("unsupported", "unknown")
"""The kinds of problems after which a translation is not complete."""
_HEADINGS = {
    "unsupported": "unsupported",
    "unknown": "unknown",
    "noted": "to check: translated, and the meaning or the signature differs",
    "decision": "to check: conditions on NVIDIA's macros",
}
_PLACES = 4


@dataclass(frozen=True)
class TranslateReport:
    """A translated tree, and what was made of it."""

    tree: TranslatedTree
    way: str
    """Where the result went: ``stdout``, ``mirror``, ``beside``, ``in-place``, ``shim`` or ``nowhere``."""
    allow: frozenset[str] = frozenset()
    """Classes (``unsupported``, ``unknown``, ``all``) and names that may be left."""
    written: tuple[str, ...] = ()
    more: tuple[tuple[str, Problem, Finding], ...] = ()
    """Problems that only this way of using the translation has, by path."""

    @cached_property
    def problems(self) -> list[tuple[str, Problem, Finding]]:
        """Every problem with the path of its file."""
        found = [
            (translation.path, problem, finding)
            for translation in self.tree.translations
            for problem, finding in zip(translation.problems, translation.findings)
            if self.way != "shim" or problem.kind != "decision"  # the shim decides for all files at once
        ]
        return sorted(found + list(self.more), key=lambda item: (item[0], item[1].where))

    @cached_property
    def by_path(self) -> dict[str, list[tuple[Problem, Finding]]]:
        found: dict[str, list[tuple[Problem, Finding]]] = {}
        for path, problem, finding in self.problems:
            found.setdefault(path, []).append((problem, finding))
        return found

    @cached_property
    def left(self) -> list[Problem]:
        """What stands between the result and HIP's compiler, and was not allowed."""
        return [problem for _, problem, _ in self.problems if problem.kind in LEFT and not self._allows(problem)]

    def _allows(self, problem: Problem) -> bool:
        return bool(self.allow & {"all", problem.kind, problem.symbol})


# --- JSON -----------------------------------------------------------------------------------


def document(report: TranslateReport) -> dict[str, Any]:
    """The report as plain data, in an order that never varies."""
    tree = report.tree
    files = [_file(report, file) for file in tree.files]
    status = Counter(file["status"] for file in files)
    return {
        "schema": SCHEMA,
        "rewarp": __version__,
        "root": str(tree.root),
        "way": report.way,
        "complete": not report.left and not tree.failed,
        "totals": {
            "files": len(files),
            **{name: status[name] for name in ("changed", "unchanged", "skipped", "failed")},
            **asdict(tree.counts),
            "left": len(report.left),
        },
        "names": _names(report),
        "needs_support": tree.needs_support,
        "written": list(report.written),
        "files": files,
    }


def render(report: TranslateReport) -> str:
    import json

    return json.dumps(document(report), indent=1, ensure_ascii=True) + "\n"


def _file(report: TranslateReport, file: TranslatedFile) -> dict[str, Any]:
    outcome = file.outcome
    found: dict[str, Any] = {
        "path": file.path,
        "new_path": file.new_path,
        "status": "failed" if isinstance(outcome, Failed) else "skipped",
        "reason": None if isinstance(outcome, Translation) else outcome.reason,
        "counts": None,
        "edits": 0,
        "needs_support": False,
        "findings": [_finding(problem, finding) for problem, finding in report.by_path.get(file.path, ())],
    }
    if isinstance(outcome, Translation):
        found["status"] = "changed" if outcome.changed else "unchanged"
        found["counts"] = asdict(outcome.counts)
        found["edits"] = len(outcome.replacements)
        found["needs_support"] = outcome.needs_support
    return found


def _finding(problem: Problem, finding: Finding) -> dict[str, Any]:
    return {
        "kind": problem.kind,
        "name": problem.symbol,
        "rule": finding.rule,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line,
        "end_column": finding.end_column,
        "message": finding.message,
        "fix": finding.fix,
        "snippet": finding.snippet,
    }


def _names(report: TranslateReport) -> dict[str, Any]:
    """Distinct names by class."""
    renames = cuda.renames()
    renamed = {
        old.decode(): new.decode()
        for old in report.tree.names
        if (new := renames.get(old)) and old not in report.tree.project.own_names
    }
    by_kind = {
        kind: sorted({problem.symbol for _, problem, _ in report.problems if problem.kind == kind and problem.symbol})
        for kind in ("noted", *LEFT)
    }
    return {"renamed": dict(sorted(renamed.items())), **by_kind}


# --- for people -------------------------------------------------------------------------------


def summary(report: TranslateReport) -> str:
    """What was translated, and what is left to do, each name once."""
    tree, counts = report.tree, report.tree.counts
    translations = tree.translations
    changed = sum(translation.changed for translation in translations)
    lines = [
        f"files: {len(translations)} read, {changed} with something to translate",
        f"names: {counts.mapped} mapped, {counts.noted} mapped with a note, "
        f"{counts.unsupported} unsupported, {counts.unknown} unknown",
    ]
    for kind, heading in _HEADINGS.items():
        lines += _section(report, kind, heading)
    for title, type_ in (("not translated", Failed), ("left out", Skipped)):
        outcomes = [file.outcome for file in tree.files if isinstance(file.outcome, type_)]
        if outcomes:
            lines += ["", f"{title}:", *(f"  {outcome.path}: {outcome.reason}" for outcome in outcomes)]
    return joined(lines)


def _section(report: TranslateReport, kind: str, heading: str) -> Iterator[str]:
    places: dict[tuple[str, str], list[str]] = {}
    for path, problem, finding in report.problems:
        if problem.kind == kind:
            places.setdefault((problem.message, problem.fix), []).append(f"{path or '<stdin>'}:{finding.line}")
    if not places:
        return
    yield ""
    yield f"{heading}:"
    for (message, fix), found in sorted(places.items(), key=lambda item: (-len(item[1]), item[0])):
        distinct = list(dict.fromkeys(found))
        more = f" and {len(distinct) - _PLACES} more" if len(distinct) > _PLACES else ""
        yield f"  {message}"
        yield f"    at {', '.join(distinct[:_PLACES])}{more}"
        yield f"    {fix}"
