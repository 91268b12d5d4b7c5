"""What `rewarp fleet query --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict


class Document(TypedDict):
    """The output of `rewarp fleet query --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.fleet-query/1"]
    columns: list[str]
    rows: Annotated[list[list[Any]], "a value for each column; what JSON has no type for, such as a time, is text"]
