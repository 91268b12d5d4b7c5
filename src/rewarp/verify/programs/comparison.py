"""Two runs side by side: how they ended, what they printed, which files they wrote."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from rewarp import __version__
from rewarp.verify.checks import Check, Evidence, Level, Outcome
from rewarp.verify.programs.recorded import ProgramRun
from rewarp.verify.programs.running import BYTES, NUMBERS, TEXT, Output
from rewarp.verify.programs.text import TextRules, compare_bytes, compare_numbers_in_text, compare_text


def compare_programs(
    golden: ProgramRun,
    actual: ProgramRun,
    outputs: Sequence[Output],
    *,
    stdout: str = NUMBERS,
    rules: TextRules | None = None,
) -> Evidence:
    """The checks of the second run against the first."""
    rules = rules or TextRules()
    started = time.perf_counter()
    checks = [_endings(golden, actual), _judged("standard output", stdout, golden.stdout, actual.stdout, rules)]
    checks += [_file(output, golden, actual, rules) for output in outputs]
    return Evidence(
        Level.NUMBERS,
        tuple(checks),
        provenance={"tool": f"rewarp {__version__}", "a": golden.provenance, "b": actual.provenance},
        details={"a": golden.figures, "b": actual.figures},
        seconds=golden.seconds + actual.seconds + time.perf_counter() - started,
    )


def _endings(golden: ProgramRun, actual: ProgramRun) -> Check:
    # The same failure twice proves nothing.
    outcome = Outcome.PASSED if golden.ended_well and actual.ended_well else Outcome.FAILED
    return Check(Level.NUMBERS, "both end well", outcome, f"{golden.ending}; {actual.ending}")


def _file(output: Output, golden: ProgramRun, actual: ProgramRun, rules: TextRules) -> Check:
    what = f"file {output.name}"
    one, other = golden.files.get(output.name), actual.files.get(output.name)
    if output.name not in golden.files or output.name not in actual.files:
        which = "first" if output.name not in golden.files else "second"
        return Check(Level.NUMBERS, what, Outcome.NOT_CHECKED, f"it was not recorded in the {which} run")
    if one is None or other is None:
        who = "neither run" if one is None and other is None else "the first run" if one is None else "the second run"
        verb = "wrote" if who == "neither run" else "did not write"
        return Check(Level.NUMBERS, what, Outcome.FAILED, f"{who} {verb} it")
    return _judged(what, output.kind, one, other, rules)


def _judged(what: str, kind: str, golden: bytes, actual: bytes, rules: TextRules) -> Check:
    title = f"{what} ({kind})"
    if not golden and not actual:
        return Check(Level.NUMBERS, title, Outcome.NOT_CHECKED, "both are empty: there is nothing to compare")
    if kind in (TEXT, NUMBERS) and not any(rules.lines(golden)) and not any(rules.lines(actual)):
        return Check(Level.NUMBERS, title, Outcome.NOT_CHECKED, "nothing is left of either: all of it is ignored")
    compared: tuple[Outcome, str, dict[str, Any]]
    if kind == TEXT:
        compared = compare_text(golden, actual, rules)
    elif kind == NUMBERS:
        compared = compare_numbers_in_text(golden, actual, rules)
    elif kind == BYTES:
        compared = compare_bytes(golden, actual)
    else:
        compared = _compare_buffers(kind, golden, actual, rules)
    outcome, why, evidence = compared
    return Check(Level.NUMBERS, title, outcome, why, evidence=evidence)


def _compare_buffers(dtype: str, golden: bytes, actual: bytes, rules: TextRules) -> tuple[Outcome, str, dict[str, Any]]:
    try:
        import numpy  # noqa: F401
    except ImportError:
        return Outcome.NOT_CHECKED, "numpy is not installed: pip install 'rewarp[numbers]'", {}
    from rewarp.verify.numbers import compare_arrays
    from rewarp.verify.numbers.formats import format_of
    from rewarp.verify.numbers.tolerance import Tolerance, standard

    form = format_of(dtype)
    if len(golden) != len(actual):
        return Outcome.FAILED, f"{len(actual):,} bytes, and {len(golden):,} in the first run", {}
    if len(golden) % form.size:
        return Outcome.FAILED, f"{len(golden):,} bytes are no whole number of {dtype}", {}
    table = standard().at(form)
    given = rules.given
    tolerance = Tolerance(given.get("atol", table.atol), given.get("rtol", table.rtol))
    found = compare_arrays(golden, actual, dtype, None if form.is_exact else tolerance)
    evidence = {
        "compared": found.compared,
        "max_abs": found.max_abs,
        "max_rel": found.max_rel,
        "cosine": found.cosine,
        "ulp": dict(found.ulp),
        "worst": dict(found.worst),
        "tolerance": {"atol": tolerance.atol, "rtol": tolerance.rtol},
    }
    words = found.why or f"{found.compared:,} numbers, the largest difference {found.max_abs or 0:.3g}"
    return found.outcome, words, evidence
