"""Views of an isolation certificate: a summary for people, Markdown for a pull request."""

from __future__ import annotations

from rewarp import escape
from rewarp.report import fitted
from rewarp.verdict import plural
from rewarp.verify.isolation.certificate import Certificate
from rewarp.verify.isolation.model import FileVerdict, Place, Verdict

_MARKS = {Verdict.IDENTICAL: "✅", Verdict.UNPROVABLE: "❔", Verdict.DIFFERENT: "🛑"}
_WORST_FIRST = (Verdict.DIFFERENT, Verdict.UNPROVABLE, Verdict.IDENTICAL)
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
    lines += ["assumed:", *(f"  - {text}" for text in certificate.assumptions)]
    return escape.joined(lines)


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
    lines += filter(None, map(_places, files))
    lines += ["", "<details><summary>Assumed</summary>", ""]
    lines += [f"- {escape.markdown(text)}" for text in certificate.assumptions]
    lines += ["", "</details>"]
    return fitted(lines, "the certificate")


def _places(file: FileVerdict) -> str:
    places = [place for place in file.places if place.text and place.text != file.why]
    if not places or file.verdict is Verdict.IDENTICAL:
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
