"""Views of a project: JSON (schema ``rewarp.project/1``, docs/project.md) and the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from rewarp import __version__
from rewarp.project.build import Build, BuildUnit, Given, Reason
from rewarp.project.overview import Overview
from rewarp.report.documents import project as documents

if TYPE_CHECKING:
    from rich.table import Table

    from rewarp.report.console import Console

SCHEMA: Final = "rewarp.project/1"
SCHEMA_VERSION: Final = 1
_MOST = 8
"""Lines of one list on the terminal; JSON has them all."""
_TITLES = {"rocm": "ROCm", "gaudi": "Gaudi"}


def document(overview: Overview) -> documents.Document:
    found = overview.support
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "rewarp": __version__,
        "project": overview.name,
        "target": overview.target,
        "roles": {path: {"role": role.value, "reason": reason} for path, (role, reason) in overview.roles.items()},
        "builds": {"nvidia": _build(overview.nvidia), overview.target: _build(overview.there)},
        "only_nvidia": [unit.source for unit in overview.only_nvidia],
        "only_target": [unit.source for unit in overview.only_there],
        "support": {
            "is_there": found.is_there,
            "evidence": [
                {"way": way.value, "file": file, "line": line, "text": text} for way, file, line, text in found.evidence
            ],
        },
    }


def _build(build: Build) -> documents.Build:
    return {
        "systems": list(build.systems),
        "switches": [{"name": name, "value": value, **_place(reason)} for name, value, reason in build.switches],
        "given": list(build.given),
        "units": [_unit(unit) for unit in build.units],
        "refusals": [{**_place(reason), "why": why} for reason, why in build.refusals],
        "unread": [{**_place(reason), "why": why} for reason, why in build.unread],
    }


def _unit(unit: BuildUnit) -> documents.Unit:
    return {
        "source": unit.source,
        "target": unit.target,
        "system": unit.system,
        "language": unit.language,
        **_place(unit.reason),
        "conditions": list(unit.conditions),
        "hipified": unit.hipified,
        "defines": _given(unit.defines),
        "flags": _given(unit.flags),
        "includes": _given(unit.includes),
    }


def _given(items: Iterable[Given]) -> list[documents.Defines]:
    return [{"text": text, "conditions": list(conditions)} for text, conditions in items]


def _place(reason: Reason) -> documents.Place:
    return {"file": reason.file, "line": reason.line}


# --- the terminal ---------------------------------------------------------------------------


def show(overview: Overview, console: Console) -> None:
    from rewarp.report.console import Text

    title = _TITLES[overview.target]
    console.print(Text(overview.name, "bold"), soft_wrap=True)
    files = ", ".join(f"{count} {role}" for role, count in overview.counts.most_common())
    console.print(Text("files  ", "dim").append(files or "none"), soft_wrap=True)
    systems = dict.fromkeys((*overview.nvidia.systems, *overview.there.systems))
    console.print(
        Text("build  ", "dim").append(_few(list(systems)) or "no build file that is understood"), soft_wrap=True
    )
    if overview.nvidia.units or overview.there.units:
        console.print(_units(overview, title))
    for name, build in (("NVIDIA", overview.nvidia), (title, overview.there)):
        _print(console, f"built for {name} with", _given_by_user(build))
        _print(console, f"the build for {name} ends here", _said(build.refusals), "red")
    _print(console, "compiled for NVIDIA only", map(_line, overview.only_nvidia))
    _print(console, f"compiled for {title} only", map(_line, overview.only_there))
    unsure = [unit for unit in overview.there.units if unit.conditions]
    _print(console, f"on {title} under conditions that are not known", map(_line, unsure), "yellow")
    _print(console, "not followed", _said((*overview.nvidia.unread, *overview.there.unread)), "dim")
    _support(overview, title, console)


def _units(overview: Overview, title: str) -> Table:
    from rich import box
    from rich.table import Table

    from rewarp.report.console import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("units", "NVIDIA", title):
        table.add_column(column, justify="left" if column == "units" else "right")
    columns = [_kinds(overview.nvidia), _kinds(overview.there)]
    for kind in dict.fromkeys(kind for counts in columns for kind in counts):
        table.add_row(Text(kind), *(Text(str(counts[kind])) for counts in columns))
    return table


def _kinds(build: Build) -> Counter[str]:
    found = Counter(unit.language or "no language that is enabled" for unit in build.units)
    found["translated from CUDA first"] = sum(unit.hipified for unit in build.units)
    found["under conditions that are not known"] = sum(bool(unit.conditions) for unit in build.units)
    return +found


def _given_by_user(build: Build) -> Iterator[str]:
    for name, value, (file, line) in build.switches:
        yield f"{name}={value}  {file}:{line}"
    for name in build.given:
        yield f"{name}=…  whatever its value"


def _line(unit: BuildUnit) -> str:
    under = f"  if {' and '.join(unit.conditions)}" if unit.conditions else ""
    return f"{unit.source}  {unit.reason.file}:{unit.reason.line}{under}"


def _said(notes: Sequence[tuple[Reason, str]]) -> Iterator[str]:
    return (f"{file}:{line}: {why}" for (file, line), why in dict.fromkeys(notes))


def _print(console: Console, title: str, lines: Iterable[str], style: str = "bold") -> None:
    from rewarp.report.console import Text

    every = list(lines)
    if not every:
        return
    console.print(Text(f"{title} ({len(every)})", style))
    for line in every[:_MOST]:
        console.print(Text(f"  {line}"), soft_wrap=True)
    if len(every) > _MOST:
        console.print(Text(f"  and {len(every) - _MOST} more: --json", "dim"))


def _support(overview: Overview, title: str, console: Console) -> None:
    from rewarp.report.console import Text

    found = overview.support
    answer = "yes" if found.is_there else "something shows, not enough" if found.evidence else "nothing shows it"
    console.print(Text(f"support for {title}: ", "bold").append(answer, "green" if found.is_there else "yellow"))
    for way, file, line, text in found.best():
        console.print(Text(f"  {way.value}  ", "dim").append(f"{file}:{line}  {text}"), soft_wrap=True)


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more
