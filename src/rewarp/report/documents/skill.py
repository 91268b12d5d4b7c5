"""What `rewarp skill --json` writes as JSON: a document for each of the things that it does."""

from __future__ import annotations

from typing import Annotated, TypedDict


class Shown(TypedDict):
    path: str
    text: str
    files: list[str]


class Written(TypedDict):
    skill: Annotated[str, "its folder"]
    files: list[str]
    changed: list[str]


class Checked(TypedDict):
    skill: Annotated[str, "its folder"]
    stale: Annotated[list[str], "files that are not as this version writes them"]


Document = Annotated[
    Shown | Written | Checked,
    "The output of `rewarp skill --json`: what is shown, what `--to` wrote, or what `--check` found.",
]
