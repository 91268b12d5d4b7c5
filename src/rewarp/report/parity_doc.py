"""A checked parity document: claims with their answers, on the terminal and as JSON (``rewarp.parity-doc/1``)."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Final

from rewarp import __version__
from rewarp.parity.claims.checking import Answer, Checked, Code
from rewarp.report.documents import parity_doc as documents

if TYPE_CHECKING:
    from rewarp.report.console import Console

SCHEMA: Final = "rewarp.parity-doc/1"
_STYLES = {Answer.TRUE: "green", Answer.FALSE: "bold red", Answer.CANNOT_TELL: "yellow"}
_LONGEST = 110


def document(file: str, checked: list[Checked], code: Code) -> documents.Document:
    """The claims as plain data."""
    counts = Counter(one.answer for one in checked)
    return {
        "schema": SCHEMA,
        "rewarp": __version__,
        "document": file,
        "root": code.parity.root,
        "a": code.parity.a,
        "b": code.parity.b,
        "counts": {answer.value: counts[answer] for answer in Answer},
        "score_blocked_by": list(code.scores.blocked_by),
        "claims": [_claim(one) for one in checked],
    }


def _claim(one: Checked) -> documents.Claims:
    claim = one.claim
    return {
        "line": claim.line,
        "text": claim.text,
        "backend": claim.backend,
        "names": list(claim.names),
        "topic": claim.topic or None,
        "state": claim.state.value if claim.state else None,
        "dtype": claim.dtype or None,
        "percent": claim.percent,
        "ratio": list(claim.ratio) if claim.ratio else None,
        "count": claim.count,
        "counted": claim.counted or None,
        "answer": one.answer.value,
        "why": one.why,
        "evidence": [{"path": place.path, "line": place.line, "text": place.text} for place in one.evidence],
    }


def render_json(file: str, checked: list[Checked], code: Code) -> str:
    return json.dumps(document(file, checked, code), indent=1, allow_nan=False) + "\n"


def show(file: str, checked: list[Checked], code: Code, console: Console) -> None:
    from rewarp.report.console import Text

    compared = (None, code.parity.a, code.parity.b)
    elsewhere = [one for one in checked if one.claim.backend not in compared]
    for one in checked:
        if one.claim.backend not in compared:
            continue
        line = Text(f"{file}:{one.claim.line}: ")
        line.append(one.answer.value, style=_STYLES[one.answer])
        console.print(line.append(f"  {_shortened(one.claim.text)}"))
        console.print(Text(f"    {one.why}", style="dim"))
        for place in one.evidence:
            console.print(Text(f"    {place.path}:{place.line} {_shortened(place.text.strip())}".rstrip(), style="dim"))
    counts = Counter(one.answer for one in checked)
    summary = ", ".join(f"{counts[answer]} {answer.value}" for answer in Answer)
    console.print(Text(f"{len(checked)} claims about {code.parity.a} and {code.parity.b}: {summary}", style="bold"))
    if elsewhere:
        others = ", ".join(sorted({str(one.claim.backend) for one in elsewhere}))
        console.print(Text(f"{len(elsewhere)} of them are about what was not compared: {others}", style="dim"))
    console.print(Text("Held against the source; nothing was built or run.", style="dim"))


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
