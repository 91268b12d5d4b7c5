"""The run level on a terminal: its checks, then what ran."""

from __future__ import annotations

from pathlib import Path

from rewarp.report import verify as views
from rewarp.report.console import Console, Text
from rewarp.verify.checks import Evidence
from rewarp.verify.tree import Verification

_KERNELS = 8
_NAME = 100


def show(evidence: Evidence, console: Console) -> None:
    views.show(as_verification(evidence), console)
    details = evidence.details
    attention = ", ".join(f"{name} ({count:,} calls)" for name, count in details["attention"].items())
    if attention:
        console.print(Text(f"attention  {attention}"))
    if details["backends"]:
        console.print(Text(f"back ends  {', '.join(details['backends'])}"))
    kernels = details["kernels"]
    for name, (count, nanoseconds) in list(kernels.items())[:_KERNELS]:
        console.print(Text(f"{nanoseconds / 1e6:>10.2f} ms {count:>8,} × {name[:_NAME]}"))
    if len(kernels) > _KERNELS:
        console.print(Text(f"{len(kernels) - _KERNELS:>10,} kernels more (--json has them)", style="dim"))
    for line in details["problems"]:
        console.print(Text(f"not watched: {line}", style="yellow"))


def as_verification(evidence: Evidence) -> Verification:
    """One level alone, for the views of a whole verification."""
    return Verification(Path.cwd(), (evidence,))
