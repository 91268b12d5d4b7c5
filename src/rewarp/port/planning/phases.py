"""Phases as people name them: a number, or a word."""

from __future__ import annotations

from collections.abc import Iterable

from rewarp.errors import UsageError, did_you_mean
from rewarp.port.changes import PortPhase

NAMES = {phase.name.lower(): phase for phase in PortPhase}


def chosen(only: Iterable[str], skip: Iterable[str]) -> frozenset[PortPhase]:
    """The phases to do: all, or those named, without those to be skipped."""
    wanted = _named(only, "--phase") or frozenset(PortPhase)
    left = wanted - _named(skip, "--skip")
    if not left:
        raise UsageError("--phase and --skip together leave no phase to do")
    return left


def _named(texts: Iterable[str], option: str) -> frozenset[PortPhase]:
    words = [word.strip().lower() for text in texts for word in text.split(",") if word.strip()]
    known = {**NAMES, **{str(phase.number): phase for phase in PortPhase}, **{p.title: p for p in PortPhase}}
    for word in words:
        if word not in known:
            hint = did_you_mean(word, NAMES)
            raise UsageError(f"{option}: {word} is none of 0 to {len(NAMES) - 1}, {', '.join(NAMES)}{hint}")
    return frozenset(known[word] for word in words)
