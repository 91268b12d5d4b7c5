"""The schemas of what commands write, made of its types; scripts/build_docs.py writes them."""

from __future__ import annotations

import typing
from pathlib import Path
from typing import Any

from rewarp.bench import document as bench
from rewarp.report.documents import (
    bench_compare,
    bridge_check,
    bridge_convert,
    bridge_matrix,
    bridge_probe,
    doctor,
    explain,
    fleet,
    fleet_query,
    numbers,
    parity,
    parity_doc,
    parity_flow,
    parity_trend,
    port,
    project,
    recorded,
    run,
    scan,
    scan_compare,
    skill,
    translate,
    verify,
    waves,
)
from rewarp.schema import schema, text
from rewarp.verify.isolation import document as isolation

SCHEMAS = Path(__file__).parents[1] / "schemas"
DOCUMENTS = (
    bench,
    bench_compare,
    bridge_check,
    bridge_convert,
    bridge_matrix,
    bridge_probe,
    doctor,
    explain,
    fleet,
    fleet_query,
    isolation,
    numbers,
    parity,
    parity_doc,
    parity_flow,
    parity_trend,
    port,
    project,
    recorded,
    run,
    scan,
    scan_compare,
    skill,
    translate,
    verify,
    waves,
)


def schemas() -> dict[Path, str]:
    """Every schema that is made of a type, and its text."""
    found = {}
    for module in DOCUMENTS:
        document: Any = module.Document
        *_, folder, name = module.__name__.split(".")
        name = folder if name == "document" else name.replace("_", "-")
        one, about = _first(document)
        named = typing.get_args(typing.get_type_hints(one).get("schema"))
        title = named[0] if named and isinstance(named[0], str) else f"rewarp {name.replace('-', ' ')}"
        found[SCHEMAS / f"{name}-1.json"] = text(schema(document, title, about))
    return found


def _first(document: Any) -> tuple[Any, str]:
    """A document, the first where it is one of several; and what it is."""
    if typing.is_typeddict(document):
        return document, document.__doc__ or ""
    several, about = typing.get_args(document)
    return typing.get_args(several)[0], about
