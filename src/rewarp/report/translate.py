"""Views of a translation: a summary for people, and JSON (schema ``rewarp.translate/1``, docs/translate.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from rewarp import __version__
from rewarp.escape import joined
from rewarp.findings import Failed, Finding, Skipped
from rewarp.report.documents import translate as documents
from rewarp.tables import cuda
from rewarp.translation.changes import Counts, Problem, Translation
from rewarp.translation.tree import TranslatedFile, TranslatedTree
from rewarp.verify.checks import Check, Outcome

SCHEMA: Final = "rewarp.translate/1"
LEFT = ("unsupported", "unknown", "refused")
"""The kinds of problems after which a translation is not complete."""
_HEADINGS = {
    "unsupported": "unsupported",
    "unknown": "unknown",
    "refused": "refused by HIP's compiler",
    "noted": "to check: translated, and the meaning or the signature differs",
    "decision": "to check: conditions on NVIDIA's macros",
}
_PLACES = 4


@dataclass(frozen=True)
class Compilation:
    """What HIP's compiler said of the result."""

    arch: str
    compiler: str
    units: tuple[Check, ...]

    @property
    def not_checked(self) -> list[Check]:
        return [unit for unit in self.units if unit.outcome is Outcome.NOT_CHECKED]

    @property
    def counts(self) -> dict[str, int]:
        seen = Counter(unit.outcome.value for unit in self.units)
        return {"passed": seen["passed"], "refused": seen["failed"], "not_checked": seen["not checked"]}


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
    compilation: Compilation | None = None
    """None where the result was not compiled."""
    not_compiled: str = ""
    """Why not."""

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


def document(report: TranslateReport) -> documents.Document:
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
            "changed": status["changed"],
            "unchanged": status["unchanged"],
            "skipped": status["skipped"],
            "failed": status["failed"],
            **_counts(tree.counts),
            "left": len(report.left),
        },
        "names": _names(report),
        "needs_support": tree.needs_support,
        "compiled": _compiled(report.compilation),
        "written": list(report.written),
        "files": files,
    }


def render(report: TranslateReport) -> str:
    import json

    return json.dumps(document(report), indent=1, ensure_ascii=True) + "\n"


def _compiled(seen: Compilation | None) -> documents.Compiled | None:
    if seen is None:
        return None
    units: list[documents.Units] = [
        {"unit": unit.what, "outcome": unit.outcome.value, "why": unit.why} for unit in seen.units
    ]
    counts = seen.counts
    return {
        "arch": seen.arch,
        "compiler": seen.compiler,
        "passed": counts["passed"],
        "refused": counts["refused"],
        "not_checked": counts["not_checked"],
        "units": units,
    }


def _counts(counts: Counts) -> documents.Counts:
    return {
        "mapped": counts.mapped,
        "noted": counts.noted,
        "unsupported": counts.unsupported,
        "unknown": counts.unknown,
    }


def _file(report: TranslateReport, file: TranslatedFile) -> documents.Files:
    outcome = file.outcome
    found: documents.Files = {
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
        found["counts"] = _counts(outcome.counts)
        found["edits"] = len(outcome.replacements)
        found["needs_support"] = outcome.needs_support
    return found


def _finding(problem: Problem, finding: Finding) -> documents.Finding:
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


def _names(report: TranslateReport) -> documents.ByKind:
    """Distinct names by class."""
    renames = cuda.renames()
    renamed = {
        old.decode(): new.decode()
        for old in report.tree.names
        if (new := renames.get(old)) and old not in report.tree.project.own_names
    }
    by_kind = {
        kind: sorted({problem.symbol for _, problem, _ in report.problems if problem.kind == kind and problem.symbol})
        for kind in ("noted", "unsupported", "unknown")
    }
    return {
        "renamed": dict(sorted(renamed.items())),
        "noted": by_kind["noted"],
        "unsupported": by_kind["unsupported"],
        "unknown": by_kind["unknown"],
    }


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
    if report.compilation:
        count = report.compilation.counts
        lines.append(
            f"compiled for {report.compilation.arch}: {count['passed']} units pass, {count['refused']} are refused, "
            f"{count['not_checked']} not checked"
        )
    elif report.not_compiled:
        lines.append(f"not compiled: {report.not_compiled}")
    for kind, heading in _HEADINGS.items():
        lines += _section(report, kind, heading)
    if report.compilation and report.compilation.not_checked:
        lines += ["", "not checked:", *(f"  {unit.what}: {unit.why}" for unit in report.compilation.not_checked)]
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
