"""What `rewarp bridge matrix --json` writes as JSON; `check` has the same crossings."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from rewarp.bridge.crossing import Basis, CrossingVerdict, Kind
from rewarp.schema import OneOf

Verdict = Annotated[str, OneOf(CrossingVerdict)]
Rests = Annotated[str, "what the rule rests on", OneOf(Basis)]
_Settings = TypedDict("_Settings", {"from": dict[str, Any], "to": dict[str, Any]})
_Sides = TypedDict("_Sides", {"from": str, "to": str})


class Also(TypedDict):
    verdict: Verdict
    field: str
    cause: str
    basis: Rests


class Remedies(_Settings):
    """With the settings that both sides get, by name."""

    what: str
    leads_to: Annotated[Verdict, "of the same pair with it: the check was run again"]


class Crossings(_Sides):
    """With the side that writes and the one that reads."""

    kind: Annotated[str, OneOf(Kind)]
    verdict: Verdict
    cause: str
    field: Annotated[str | None, "the setting that decides"]
    rule: Annotated[str | None, "how a conversion is done, where one is known"]
    basis: Rests
    source: str
    also: Annotated[list[Also], "everything else that differs"]
    remedies: list[Remedies]


class Tables(TypedDict):
    title: str
    rows: Annotated[dict[str, dict[str, Crossings]], "by the platform that writes, then by the one that reads"]


class Document(TypedDict):
    """The output of `rewarp bridge matrix --json`."""

    schema: Literal[1]
    platforms: Annotated[dict[str, str], "their titles, by name"]
    reference: Annotated[dict[str, Any], "the settings that a platform's bare name stands for"]
    tables: list[Tables]
    not_run: str
