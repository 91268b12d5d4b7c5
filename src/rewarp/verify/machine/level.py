"""The machine level: programs ran as AMD machine code on an emulator, and printed what their CUDA originals print."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rewarp import __version__
from rewarp.errors import UsageError
from rewarp.run import Limits, NotBuilt, ProgramResult, Request, run_program
from rewarp.run.results import Alarm, Ran
from rewarp.verify.build.flags import Flags
from rewarp.verify.checks import Check, Evidence, Level, Outcome
from rewarp.verify.machine.golden import find_golden, read_golden
from rewarp.verify.machine.orders import TOLERANCE, once, other_order
from rewarp.verify.machine.programs import Program, Programs, find_programs
from rewarp.verify.machine.said import own_failure
from rewarp.verify.machine.sources import with_what_is_missing
from rewarp.verify.programs import ProgramRun, TextRules, compare_programs

Progress = Callable[[int, int], object]
NO_GOLDEN = "nothing to compare with: record the original with `rewarp verify programs --a … --record {name}.zip`"


@dataclass(frozen=True)
class Wanted:
    """How programs are run."""

    arches: Sequence[str] = ("gfx942",)
    arguments: Sequence[str] = ()
    golden: Sequence[Path] = ()
    """Folders with recorded runs, by the names of programs."""
    rules: TextRules = field(default_factory=TextRules)
    limits: Limits = field(default_factory=lambda: Limits(seconds=600.0))
    watch: bool = True
    cores: int | None = None
    where: str = "machine"
    orders: int = 1
    """So many runs more, each with the waves in another hostile order; on the emulator alone."""


def list_programs(root: Path, exclude: Iterable[str] = ()) -> Evidence:
    """What could be run, and was not: for a look at a tree in which nothing runs."""
    found = find_programs(root, exclude=exclude)
    checks = [
        Check(
            Level.MACHINE,
            f"{program.path} as AMD machine code on an emulator",
            Outcome.NOT_CHECKED,
            "nothing was run: `rewarp verify machine` runs it",
            program.path,
        )
        for program in found.programs
    ]
    return Evidence(Level.MACHINE, tuple(checks) or (_nothing(),), {"rewarp": __version__})


def verify_machine(
    root: Path,
    wanted: Wanted,
    *,
    extra: Flags | None = None,
    exclude: Iterable[str] = (),
    progress: Progress = lambda done, total: None,
) -> Evidence:
    """Builds and runs every program of a tree, or the one that a file is. Their host code runs with the user's rights."""
    start = time.perf_counter()
    found = find_programs(root, extra or Flags(), exclude)
    checks: list[Check] = []
    rows: list[dict[str, Any]] = []
    total = len(found.programs) * len(wanted.arches)
    for program in found.programs:
        for arch in wanted.arches:
            progress(len(rows), total)
            made, row = _one(program, arch, found, wanted)
            checks += made
            rows.append(row)
    progress(total, total)
    provenance = {"rewarp": __version__, "arches": list(wanted.arches), "where": wanted.where, "watched": wanted.watch}
    seconds = time.perf_counter() - start
    return Evidence(Level.MACHINE, tuple(checks) or (_nothing(),), provenance, {"programs": rows}, seconds)


def _nothing() -> Check:
    return Check(Level.MACHINE, "programs", Outcome.NOT_CHECKED, "no CUDA or HIP source here has a main function")


def _one(program: Program, arch: str, found: Programs, wanted: Wanted) -> tuple[list[Check], dict[str, Any]]:
    what = f"{program.path} as {arch} code on an emulator"
    if wanted.where != "machine":
        what = f"{program.path} for {arch} ({wanted.where})"
    row: dict[str, Any] = {"path": program.path, "arch": arch}
    kept: list[bytes] = []
    flags = program.unit.flags
    request = Request(
        files=(program.unit.file,),
        arguments=tuple(wanted.arguments),
        arches=(arch,),
        includes=(*flags.includes, *program.unit.guessed),
        options=flags.options,
        watch=wanted.watch,
        cores=wanted.cores,
        limits=wanted.limits,
        where=wanted.where,
        orders=wanted.orders if wanted.where == "machine" else 0,
        tolerance=TOLERANCE,
    )
    asked = [request]

    def run(one: Request) -> ProgramResult:
        asked[:] = [one]
        return run_program(one, pass_on=kept.append, capture=True)

    try:
        result = with_what_is_missing(request, found.others, run)
    except NotBuilt as error:
        why = f"it was not built: {error}"
        return [Check(Level.MACHINE, what, Outcome.NOT_CHECKED, why, program.path)], row | {"why": why}
    ran = result.runs[0]
    row |= _figures(result, ran)
    checks = [_ending(what, program, ran)]
    seen = {
        (alarm.what, alarm.file, alarm.line): alarm for one in reversed(result.runs) for alarm in one.records.alarms
    }
    checks += [_alarm(program, arch, alarm) for alarm in reversed(seen.values()) if not alarm.is_remark]
    ordered = other_order(
        f"{program.path} as {arch} code in another order of its waves",
        program.path,
        result,
        lambda: run_program(once(asked[0]), capture=True),
    )
    checks += [ordered] if ordered else []
    checks.append(_against_golden(program, arch, ran, b"".join(kept), wanted))
    return checks, row


def _ending(what: str, program: Program, ran: Ran) -> Check:
    evidence = {"kernels": len(ran.records.kernels), "launches": sum(one.launches for one in ran.records.kernels)}
    outcome, why = Outcome.PASSED, f"{ran.ended.words}, {evidence['launches']:,} launches"
    if ran.ended.code == 0 and not evidence["launches"]:
        outcome, why = Outcome.NOT_CHECKED, "it ended well and launched no kernel: nothing of it ran as AMD code"
    elif ran.incomplete:
        outcome, why = Outcome.NOT_CHECKED, _what_lacks(ran)
    elif ran.ended.code != 0:
        outcome = Outcome.FAILED
        why = "; ".join((ran.ended.words, *ran.records.limits))
    return Check(Level.MACHINE, what, outcome, why, program.path, evidence=evidence)


def _what_lacks(ran: Ran) -> str:
    records = ran.records
    if records.unsupported:
        return f"the machine cannot do this: {records.unsupported[0][1]}"
    if records.missing:
        return f"the runtime has no {', '.join(records.missing)}"
    return records.no_room or ran.ended.words


def _alarm(program: Program, arch: str, alarm: Alarm) -> Check:
    what = f"{program.path} as {arch} code: {alarm.what}"
    inside = alarm.file or program.path
    evidence: dict[str, Any] = {"kernel": alarm.kernel, "instruction": alarm.instruction, "group": list(alarm.group)}
    evidence |= {"wave": alarm.wave, "lane": alarm.lane, "count": alarm.count}
    return Check(Level.MACHINE, what, Outcome.FAILED, alarm.text or alarm.what, inside, alarm.line or None, evidence)


def _against_golden(program: Program, arch: str, ran: Ran, printed: bytes, wanted: Wanted) -> Check:
    what = f"what {program.path} prints as {arch} code"
    file = find_golden(program.unit.file, wanted.golden)
    if file is None:
        # With a recorded run that one decides: an original may say the same.
        if said := own_failure(printed):
            return Check(Level.MACHINE, what, Outcome.FAILED, f"it says itself: {said}", program.path)
        return Check(Level.MACHINE, what, Outcome.NOT_CHECKED, NO_GOLDEN.format(name=program.name), program.path)
    if ran.incomplete:
        return Check(Level.MACHINE, what, Outcome.NOT_CHECKED, "it did not run to its end", program.path)
    try:
        golden = read_golden(file)
    except UsageError as error:
        return Check(Level.MACHINE, what, Outcome.NOT_CHECKED, str(error), program.path)
    code = ran.ended.code
    here = ProgramRun((program.path,), code, ran.ended.words, ran.ended.seconds, printed, "", {}, arch, __version__)
    compared = compare_programs(golden, here, (), rules=wanted.rules)
    worst = next((c for c in compared.checks if c.outcome is not Outcome.PASSED), compared.checks[-1])
    evidence = {"golden": str(file), "recorded_on": golden.machine} | dict(worst.evidence)
    return Check(Level.MACHINE, what, worst.outcome, f"{worst.why} ({file.name})", program.path, evidence=evidence)


def _figures(result: ProgramResult, ran: Ran) -> dict[str, Any]:
    return {
        "ended": ran.ended.words,
        "seconds": round(ran.ended.seconds, 3),
        "kernels": [{"name": one.name, "launches": one.launches, "waves": one.waves} for one in ran.records.kernels],
        "computed_on_the_host": [f"{library} {name} ({calls})" for library, name, calls in ran.records.host],
        "notes": list(result.notes),
    }
