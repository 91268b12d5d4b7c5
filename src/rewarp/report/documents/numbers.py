"""What `rewarp verify compare --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.verify.numbers.document import Divergence, Modules, Outcome, SecondPass, Setting, Tolerance


class Checks(TypedDict):
    what: str
    outcome: Outcome
    why: str


class Document(TypedDict):
    """The output of `rewarp verify compare --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.numbers/1"]
    rewarp: Annotated[str, "version of rewarp"]
    outcome: Outcome
    seconds: float
    golden: Annotated[Setting | None, "how the golden file was recorded"]
    here: Annotated[Setting | None, "how it was replayed; null when nothing ran"]
    divergence: Annotated[Divergence | None, "where the numbers part first; null when they do not"]
    second_pass: Annotated[SecondPass | None, "the pass in which every module gets the recorded inputs"]
    modules: Annotated[list[Modules], "every module call in the order in which they ended; the last is the whole"]
    top1: Annotated[
        dict[str, float],
        "by float output of the whole: share of rows whose largest element is in the same place",
    ]
    tolerances: Annotated[dict[str, Tolerance], "[atol, rtol] by dtype; layers: [power]"]
    notes: list[str]
    checks: list[Checks]
