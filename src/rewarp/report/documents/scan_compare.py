"""What `rewarp scan --target a,b --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.schema import Items, OneOf, opened


class Table(TypedDict):
    row: str
    cells: list[str]


@opened
class Scans(TypedDict):
    schema: Literal["rewarp.scan/1"]


class Document(TypedDict):
    """The output of `rewarp scan --compare TARGETS --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.scan-compare/1"]
    rewarp: Annotated[str, "version of rewarp"]
    root: Annotated[str, "the path that was scanned, as given"]
    targets: Annotated[list[Annotated[str, OneOf("rocm", "gaudi")]], Items(2, unique=True)]
    table: Annotated[
        list[Table], "what the other views show: a row for each question, a cell for each target, in their order"
    ]
    scans: Annotated[list[Scans], "of each target, what `rewarp scan --json` gives: rewarp.scan/1"]
