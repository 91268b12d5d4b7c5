"""The Markdown that a maintainer wants to read before merging a port."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from rewarp import __version__
from rewarp.escape import markdown, markdown_code, markdown_row
from rewarp.port.engine import Port
from rewarp.port.model import Manual
from rewarp.report import plugins_line
from rewarp.report.isolation import headline
from rewarp.report.port import effort, kind, level_line
from rewarp.verdict import EFFORT_BASIS, plural
from rewarp.verify.isolation.model import Verdict
from rewarp.verify.model import Evidence, Level, Outcome

_ROWS = 60
_NAME_ASSUMED = "No header from outside the project uses the name "
_HOW = {
    "rocm": (
        "`python -c 'import torch; print(torch.version.hip, torch.cuda.is_available())'` must print a version and `True`.",
        "Build and test as the project's own instructions say; for CUDA sources `rewarp verify build .` compiles every "
        "kernel for AMD first, without a GPU.",
        "`rewarp verify run -- COMMAND` shows that the work reached the GPU and no call fell back to the CPU.",
        "Record numbers on an NVIDIA machine (`rewarp verify record`) and compare them on AMD (`rewarp verify compare`).",
    ),
    "gaudi": (
        "`python -c 'import habana_frameworks.torch, torch; print(torch.hpu.is_available())'` must print `True`.",
        "Run the project's own tests; any call that still reaches `torch.cuda` raises there.",
    ),
}


def body(port: Port) -> str:
    """The whole text."""
    parts = [_head(port), _changes(port), _nvidia(port), _target(port), _left(port), _try_it(port)]
    return "\n".join(line for part in parts for line in part)


def _head(port: Port) -> Iterator[str]:
    files = {change.path for change in port.changes}
    yield f"# Support {port.target.title}"
    yield ""
    yield (
        f"{plural(len(files), 'file')} in {plural(sum(bool(step.changes) for step in port.steps), 'phase')}, made by "
        f"rewarp {__version__}. Nothing was run; what is known, and what is not, stands below."
    )
    if others := plugins_line():
        yield markdown(others)
    if port.gate and any(port.gate.name.encode() in (change.after or b"") for change in port.changes):
        yield f"One gate decides: {markdown_code(port.gate.expression)} in {markdown_code(port.gate.path)}."
    yield ""


def _changes(port: Port) -> Iterator[str]:
    yield from ("## What changed, and why", "")
    if not port.changes:
        yield from ("Nothing had to be changed.", "")
    for step in port.steps:
        if not step.changes:
            continue
        yield from (f"### {step.phase.number} {step.phase.title}", "", "| | file | why | rules |", "|---|---|---|---|")
        for change in step.changes[:_ROWS]:
            yield markdown_row(
                kind(change, port), markdown_code(change.path), _sentence(change.why), ", ".join(change.rules)
            )
        if len(step.changes) > _ROWS:
            yield f"| | … and {len(step.changes) - _ROWS} more | | |"
        yield ""


def _nvidia(port: Port) -> Iterator[str]:
    yield from ("## For NVIDIA users", "")
    if port.proof is None:
        yield from ("Not checked: verification was left out.", "")
        return
    certificate = port.proof.certificate
    verdict = certificate.verdict
    if not certificate.files:
        yield from ("Nothing changed.", "")
        return
    yield f"**{verdict.value.capitalize()}.** {headline(certificate).capitalize()}."
    yield ""
    for file in port.proof.unproved:
        yield f"- **{file.verdict.value}**: {markdown_code(file.path)}: {_sentence(file.why)}"
    if port.proof.unproved:
        yield ""
    methods: dict[str, int] = defaultdict(int)
    for file in certificate.files:
        if file.verdict is Verdict.IDENTICAL:
            methods[file.method] += 1
    yield from (
        f"- {plural(count, 'file')} proved by: {_sentence(method)}" for method, count in sorted(methods.items())
    )
    yield from ("", "<details><summary>Assumed</summary>", "")
    yield from (f"- {markdown(text)}" for text in _shortened(certificate.assumptions))
    yield from ("", "</details>", "")
    digest = markdown_code(certificate.document()["digest"])
    yield f"Digest of the certificate: {digest}. `rewarp verify isolation BASE` makes it again."
    yield ""


def _shortened(assumptions: Iterable[str]) -> Iterator[str]:
    """One line for all names of which the same is assumed."""
    names: list[str] = []
    for text in assumptions:
        if text.startswith(_NAME_ASSUMED):
            names.append(text.removeprefix(_NAME_ASSUMED).rstrip("."))
        else:
            yield text
    if names:
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        yield f"{_NAME_ASSUMED}{', '.join(names[:4])}{more}."


def _target(port: Port) -> Iterator[str]:
    yield from (f"## For {port.target.title}", "")
    levels = port.proof.levels if port.proof else ()
    for level in levels:
        if level.level is not Level.ISOLATION:
            yield f"- {_sentence(level_line(level))}"
        if level.level is Level.BUILD:
            yield from _compiled(level)
    if not levels:
        yield "Not checked: verification was left out."
    yield ""


def _compiled(build: Evidence) -> Iterator[str]:
    arches = build.provenance.get("arches", ())
    units = build.details.get("units", ())
    for arch in arches:
        good = [
            check for check in build.checks if check.what.endswith(f"for {arch}") and check.outcome is Outcome.PASSED
        ]
        yield f"  - {arch}: {len(good)} of {plural(len(units), 'unit')} compiled to AMD machine code, not run"
    for check in build.checks:
        if check.outcome is Outcome.FAILED:
            yield f"  - failed: {_sentence(check.what)}: {_sentence(check.why)}"


def _left(port: Port) -> Iterator[str]:
    before, after = port.findings_before, port.findings_after
    yield from ("## What is left", "")
    yield f"Findings of the scan: {len(before)} before, {len(after)} after; {len(port.left)} still stand in the way."
    yield f"{effort(after).capitalize()}."
    yield ""
    if port.manual:
        yield from _places(port.manual)
    if port.left:
        yield from ("<details><summary>Findings that still stand in the way</summary>", "")
        for finding in port.left[:_ROWS]:
            yield f"- {markdown_code(f'{finding.path}:{finding.line}')} {finding.rule}: {_sentence(finding.message)}"
        if len(port.left) > _ROWS:
            yield f"- … and {len(port.left) - _ROWS} more"
        yield from ("", "</details>", "")
    yield from (f"<sub>{EFFORT_BASIS}</sub>", "")


def _places(manual: Iterable[Manual]) -> Iterator[str]:
    yield from ("Left to a person, each with the reason:", "")
    found = list(manual)
    for item in found[:_ROWS]:
        place = f"{item.path}:{item.line}" if item.line else item.path
        rule = f" ({item.rule})" if item.rule else ""
        yield f"- {markdown_code(place)}{rule}: {_sentence(item.what)}. Why: {_sentence(item.why)}"
    if len(found) > _ROWS:
        yield f"- … and {len(found) - _ROWS} more"
    yield ""


def _try_it(port: Port) -> Iterator[str]:
    yield from ("## How to test on real hardware", "")
    yield from (f"{number}. {line}" for number, line in enumerate(_HOW[port.target.name], 1))
    yield ""


def _sentence(text: str) -> str:
    """Text whose full stop is ours to set."""
    return markdown(text.rstrip(". "))
