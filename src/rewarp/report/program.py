"""A program's run on the emulator, or on a card: lines for a terminal, and JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from rewarp import __version__
from rewarp.findings import Finding
from rewarp.report.documents import run as documents
from rewarp.run.findings import finding
from rewarp.run.results import ON_GPU, ON_MACHINE, Alarm, Kernel, NotBuilt, ProgramResult, Ran
from rewarp.toolchain.demangle import demangled
from rewarp.verdict import plural

SCHEMA: Final = "rewarp.run/1"
_KERNELS = 6
_ALARMS = 20


def how(where: str, arch: str) -> str:
    """The words for what happened: an emulator is no card."""
    if where == ON_MACHINE:
        return f"ran as {arch} code on an emulator"
    return (
        f"ran on this machine's AMD GPU, compiled for {arch}" if where == ON_GPU else f"ran as {arch} code on rocjitsu"
    )


def lines(result: ProgramResult) -> list[str]:
    """The report, in short."""
    found: list[str] = []
    for ran in result.runs:
        found += _run_lines(result, ran)
    found += [f"differs: {one.second} against {one.first}: {one.words}" for one in result.differences]
    if len(result.runs) > 1 and not result.differences and not any(ran.incomplete for ran in result.runs):
        found.append(f"the same output in {len(result.runs)} runs")
    for place in dict.fromkeys(one.place for one in result.header_libraries):
        names = ", ".join(str(one) for one in result.header_libraries if one.place == place)
        found.append(f"compiled into its kernels: {names} ({place})")
    found += [f"note: {note}" for note in result.notes]
    return found


def alarms(result: ProgramResult) -> list[str]:
    """What must be told even where nothing else is."""
    return [line for ran in result.runs for alarm in ran.records.alarms for line in _alarm_lines(alarm)]


def _run_lines(result: ProgramResult, ran: Ran) -> Iterator[str]:
    kernels, records = ran.records.kernels, ran.records
    launches = sum(kernel.launches for kernel in kernels)
    order = f", order {ran.order}" if ran.order is not None else ""
    watched = ("; watched" if result.watched else "; not watched") if result.where == ON_MACHINE else ""
    if result.where == ON_MACHINE and not kernels:
        yield f"no kernel ran as {ran.arch} code: {ran.ended.words}, {ran.ended.seconds:.1f} s{order}"
    else:
        counts = f": {plural(len(kernels), 'kernel')}, {_launches(launches)}" if kernels else ""
        ending = f"{ran.ended.words}, {ran.ended.seconds:.1f} s"
        yield f"{how(result.where, ran.arch)}{order}{counts}; {ending}{watched}"
    longest = sorted(kernels, key=lambda kernel: -kernel.seconds)
    for kernel in longest[:_KERNELS]:
        yield f"  {kernel.seconds:8.3f} s {kernel.launches:>7,} × {demangled(kernel.name)[:100]}"
    if len(longest) > _KERNELS:
        yield f"  and {plural(len(longest) - _KERNELS, 'kernel')} more (--json has them)"
    for alarm in records.alarms[:_ALARMS]:
        yield from _alarm_lines(alarm)
    if len(records.alarms) > _ALARMS:
        yield f"  and {len(records.alarms) - _ALARMS:,} alarms more (--json has them)"
    for kernel_name, instruction in records.unsupported:
        yield f"  not supported: {instruction} in {demangled(kernel_name)}"
    for text in records.limits:
        yield f"  a limit of the card: {text}"
    for name in records.missing:
        yield f"  not in the runtime: {name}"
    for library, function, calls in records.host:
        yield f"  computed on the host: {function} ({library}), {calls:,} calls"
    if records.damaged:
        yield f"  {records.damaged} notes of the runtime could not be read"


def _launches(count: int) -> str:
    return "1 launch" if count == 1 else f"{count:,} launches"


def _alarm_lines(alarm: Alarm) -> Iterator[str]:
    times = f" ({alarm.count:,} times)" if alarm.count > 1 else ""
    yield f"{_place(alarm.file, alarm.line)}{'remark' if alarm.is_remark else 'alarm'}: {alarm.what}: {alarm.text}{times}"
    parts = [f"kernel {demangled(alarm.kernel)}" if alarm.kernel else ""]
    parts += [f"workgroup {','.join(map(str, alarm.group))}" if alarm.group else ""]
    parts += [
        f"wave {alarm.wave}" if alarm.wave is not None else "",
        f"lane {alarm.lane}" if alarm.lane is not None else "",
    ]
    parts += [alarm.instruction]
    yield f"  {', '.join(filter(None, parts))}"
    if alarm.other:
        other = alarm.other
        where = _place(str(other.get("file") or ""), int(other.get("line") or 0))
        who = f"workgroup {','.join(map(str, other.get('group') or ()))}, wave {other.get('wave')}"
        yield f"  the other side: {where}{other.get('does') or ''}; {who}, {other.get('instruction') or ''}"


def _place(file: str, line: int) -> str:
    if not file:
        return ""
    near = os.path.relpath(file) if os.path.isabs(file) else file
    return f"{file if near.startswith('../..') else near}:{line}: "


def document(result: ProgramResult, programs: Iterable[Path] = ()) -> documents.Ran:
    return {
        "schema": SCHEMA,
        "tool": f"rewarp {__version__}",
        "programs": [str(file) for file in programs],
        "on": result.where,
        "watched": result.watched,
        "exit_code": result.exit_code,
        "runs": [_run(result, ran) for ran in result.runs],
        "differences": [{"first": one.first, "second": one.second, "words": one.words} for one in result.differences],
        "not_translated": [_finding(finding) for finding in result.findings],
        "notes": list(result.notes),
        "toolchain": result.toolchain or None,
        "header_libraries": [
            {"name": one.library.name, "version": one.version, "folder": str(one.place)}
            for one in result.header_libraries
        ],
    }


def render_json(result: ProgramResult, programs: Iterable[Path] = ()) -> str:
    return json.dumps(document(result, programs), indent=2) + "\n"


def _run(result: ProgramResult, ran: Ran) -> documents.Runs:
    records = ran.records
    return {
        "arch": ran.arch,
        "order": ran.order,
        "how": how(result.where, ran.arch),
        "exit_status": ran.ended.code,
        "ending": ran.ended.words,
        "seconds": round(ran.ended.seconds, 3),
        "complete": not ran.incomplete,
        "kernels": [_kernel(kernel) for kernel in records.kernels],
        "alarms": [_alarm(alarm) for alarm in records.alarms],
        "findings": [_finding(finding(alarm)) for alarm in records.alarms],
        "unsupported": [{"kernel": kernel, "instruction": text} for kernel, text in records.unsupported],
        "missing": list(records.missing),
        "limits": list(records.limits),
        "computed_on_host": [{"library": a, "function": b, "calls": c} for a, b, c in records.host],
        "unreadable_notes": records.damaged,
    }


def _kernel(kernel: Kernel) -> documents.Kernels:
    return {
        "name": kernel.name,
        "launches": kernel.launches,
        "seconds": kernel.seconds,
        "waves": kernel.waves,
    }


def _alarm(alarm: Alarm) -> documents.Alarms:
    return {
        "what": alarm.what,
        "text": alarm.text,
        "kernel": alarm.kernel,
        "file": alarm.file,
        "line": alarm.line,
        "instruction": alarm.instruction,
        "group": list(alarm.group),
        "wave": alarm.wave,
        "lane": alarm.lane,
        "other": alarm.other,
        "count": alarm.count,
        "is_remark": alarm.is_remark,
    }


def failure(error: NotBuilt, programs: Iterable[Path] = ()) -> documents.Failed:
    return {
        "schema": SCHEMA,
        "tool": f"rewarp {__version__}",
        "programs": [str(file) for file in programs],
        "exit_code": 2,
        "failed": error.step.value,
        "reason": error.reason,
        "errors": [
            {"file": d.file, "line": d.line, "column": d.column, "message": d.message} for d in error.diagnostics
        ],
        "not_translated": [_finding(finding) for finding in error.findings],
    }


def render_failure(error: NotBuilt, programs: Iterable[Path] = ()) -> str:
    return json.dumps(failure(error, programs), indent=2) + "\n"


def _finding(finding: Finding) -> documents.Findings:
    return {
        "rule": finding.rule,
        "path": finding.path,
        "line": finding.line,
        "column": finding.column,
        "message": finding.message,
        "fix": finding.fix,
    }
