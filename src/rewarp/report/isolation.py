"""Views of an isolation certificate: a summary for people, Markdown for a pull request."""

from __future__ import annotations

from rewarp import escape
from rewarp.report import fitted
from rewarp.verdict import plural
from rewarp.verify.isolation.certificate import Certificate
from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict, Place

_MARKS = {IsolationVerdict.IDENTICAL: "✅", IsolationVerdict.UNPROVABLE: "❔", IsolationVerdict.DIFFERENT: "🛑"}
_WORST_FIRST = (IsolationVerdict.DIFFERENT, IsolationVerdict.UNPROVABLE, IsolationVerdict.IDENTICAL)
_ROWS = 60
_SHOWN = 8


def headline(certificate: Certificate) -> str:
    if not certificate.files:
        return "nothing changed"
    counts = certificate.counts
    parts = [f"{counts[verdict]} {verdict.value}" for verdict in _WORST_FIRST if counts[verdict]]
    return f"{plural(len(certificate.files), 'changed file')}: {', '.join(parts)}"


def text(certificate: Certificate) -> str:
    lines = [f"NVIDIA: {certificate.verdict.value}. {headline(certificate)}"]
    for file in _sorted(certificate):
        lines.append(f"  {_MARKS[file.verdict]} {file.path}: {file.why} [{file.method}]")
        lines += [
            f"       {_where(place)}{escape.code_line(place.text)}"
            for place in file.places[:_SHOWN]
            if place.text != file.why
        ]
    lines += _compiled_lines(certificate)
    lines += ["assumed:", *(f"  - {text}" for text in certificate.assumptions)]
    return escape.joined(lines)


def _compiled_lines(certificate: Certificate) -> list[str]:
    compiled = certificate.compiled
    if compiled is None:
        return []
    if not compiled.units:
        words = f"not checked: no CUDA unit that the change reaches ({compiled.out_of_reach} out of reach)"
        return [f"{compiled.compiler}, {compiled.arch}: {words}"]
    told = {
        IsolationVerdict.IDENTICAL: "the same",
        IsolationVerdict.DIFFERENT: "different",
        IsolationVerdict.UNPROVABLE: "not checked",
    }
    lines = [
        f"{compiled.compiler}, {compiled.arch}: {told[compiled.verdict]}; {compiled.out_of_reach} units out of reach"
    ]
    lines += [f"  {_MARKS[unit.verdict]} {unit.source}: {unit.why}" for unit in compiled.units]
    return [*lines, f"  normalised: {', '.join(compiled.normalised)}"]


def markdown(certificate: Certificate) -> str:
    mark = _MARKS[certificate.verdict]
    before = certificate.revision_before or certificate.before
    after = certificate.revision_after or certificate.after
    lines = [
        f"## {mark} NVIDIA users: {certificate.verdict.value}",
        "",
        f"{headline(certificate).capitalize()}. From {escape.markdown_code(before)} to {escape.markdown_code(after)}.",
        "",
        "| | file | by | why |",
        "|---|---|---|---|",
    ]
    files = _sorted(certificate)
    lines += [
        escape.markdown_row(
            _MARKS[file.verdict],
            escape.markdown_code(file.path),
            escape.markdown(file.method),
            escape.markdown(file.why),
        )
        for file in files[:_ROWS]
    ]
    if len(files) > _ROWS:
        lines.append(f"| | … and {len(files) - _ROWS} more | | |")
    lines += filter(None, map(_location_list, files))
    if compiled := _compiled_lines(certificate):
        lines += ["", escape.markdown_block(compiled)]
    lines += ["", "<details><summary>Assumed</summary>", ""]
    lines += [f"- {escape.markdown(text)}" for text in certificate.assumptions]
    lines += ["", "</details>"]
    return fitted(lines, "the certificate")


def _location_list(file: FileVerdict) -> str:
    places = [place for place in file.places if place.text and place.text != file.why]
    if not places or file.verdict is IsolationVerdict.IDENTICAL:
        return ""
    shown = [_where(place) + escape.code_line(place.text) for place in places[:_SHOWN]]
    if len(places) > _SHOWN:
        shown.append(f"… and {len(places) - _SHOWN} more")
    return f"\n**{escape.markdown_code(file.path)}**\n\n{escape.markdown_block(shown)}"


def _where(place: Place) -> str:
    lines = [str(line) if line else "–" for line in (place.line_before, place.line_after)]
    return "" if lines == ["–", "–"] else f"line {lines[0]} → {lines[1]}: "


def _sorted(certificate: Certificate) -> list[FileVerdict]:
    return sorted(certificate.files, key=lambda file: (_WORST_FIRST.index(file.verdict), file.path))
