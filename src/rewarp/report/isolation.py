"""Views of an isolation certificate: a summary for people, Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from rewarp.verdict import plural
from rewarp.verify.isolation.certificate import Certificate
from rewarp.verify.isolation.model import FileVerdict, Place, Verdict

_MARKS = {Verdict.IDENTICAL: "✅", Verdict.UNPROVABLE: "❔", Verdict.DIFFERENT: "🛑"}
_WORST_FIRST = (Verdict.DIFFERENT, Verdict.UNPROVABLE, Verdict.IDENTICAL)
_ROWS = 60
_SHOWN = 8
_LIMIT = 60_000
"""GitHub takes comments of at most 65,536 characters."""


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
        lines += [f"       {_where(place)}{place.text}" for place in file.places[:_SHOWN] if place.text != file.why]
    lines += ["assumed:", *(f"  - {text}" for text in certificate.assumptions)]
    return "\n".join(lines) + "\n"


def markdown(certificate: Certificate) -> str:
    mark = _MARKS[certificate.verdict]
    before = certificate.revision_before or certificate.before
    after = certificate.revision_after or certificate.after
    lines = [
        f"## {mark} NVIDIA users: {certificate.verdict.value}",
        "",
        f"{headline(certificate).capitalize()}. From `{before}` to `{after}`.",
        "",
        "| | file | by | why |",
        "|---|---|---|---|",
    ]
    files = _sorted(certificate)
    lines += [
        f"| {_MARKS[file.verdict]} | `{file.path}` | {_escape(file.method)} | {_escape(file.why)} |"
        for file in files[:_ROWS]
    ]
    if len(files) > _ROWS:
        lines.append(f"| | … and {len(files) - _ROWS} more | | |")
    for file in files:
        lines += _places(file)
    lines += ["", "<details><summary>Assumed</summary>", ""]
    lines += [f"- {_escape(text)}" for text in certificate.assumptions]
    lines += ["", "</details>"]
    found = "\n".join(lines) + "\n"
    if len(found) > _LIMIT:
        cut = found.rfind("\n", 0, _LIMIT)
        fences = found.count("```", 0, cut) % 2
        found = (
            found[:cut] + ("\n```" if fences else "") + "\n\n… cut to fit a comment: the certificate has everything.\n"
        )
    return found


def _places(file: FileVerdict) -> Iterator[str]:
    places = [place for place in file.places if place.text and place.text != file.why]
    if places and file.verdict is not Verdict.IDENTICAL:
        yield from ("", f"**`{file.path}`**", "", "```")
        yield from (_where(place) + place.text.replace("```", "'''") for place in places[:_SHOWN])
        if len(places) > _SHOWN:
            yield f"… and {len(places) - _SHOWN} more"
        yield "```"


def _where(place: Place) -> str:
    lines = [str(line) if line else "–" for line in (place.line_before, place.line_after)]
    return "" if lines == ["–", "–"] else f"line {lines[0]} → {lines[1]}: "


def _sorted(certificate: Certificate) -> list[FileVerdict]:
    return sorted(certificate.files, key=lambda file: (_WORST_FIRST.index(file.verdict), file.path))


def _escape(text: str) -> str:
    return text.replace("<", "&lt;").replace("|", "\\|").replace("\n", " ")
