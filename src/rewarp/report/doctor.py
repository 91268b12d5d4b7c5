"""Views of a machine: JSON (schema ``rewarp.doctor/1``, docs/doctor.md) and the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from rewarp import __version__
from rewarp.host import Backend, Device, Fact, Level, Machine, Note, ToolState, TorchBuild, TorchState
from rewarp.report.documents import doctor as documents

if TYPE_CHECKING:
    from rich.table import Table

    from rewarp.report.console import Console, Text

SCHEMA: Final = "rewarp.doctor/1"
SCHEMA_VERSION: Final = 1
_LEVEL_STYLE = {Level.INFO: "cyan", Level.WARNING: "yellow", Level.ERROR: "bold red"}
_STATE_STYLE = {
    ToolState.WORKS: "green",
    ToolState.MISSING: "dim",
    ToolState.FAILED: "red",
    ToolState.TIMED_OUT: "red",
}


def document(machine: Machine) -> documents.Document:
    """The machine as plain data. A fact is {"value", "source"}; what is not known is null."""
    torch = _plain(machine.torch)
    torch["backend"] = machine.torch.backend.value if machine.torch.backend else None
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "rewarp": __version__,
        "platform": machine.backend.value,
        "why": machine.why,
        "system": _plain(machine.system),
        "platforms": [
            {"backend": item.backend.value, "versions": _plain(item.versions), "evidence": _plain(item.evidence)}
            for item in machine.platforms
        ],
        "devices": _plain(machine.devices),
        "torch": torch,
        "tools": _plain(machine.tools),
        "environment": _plain(machine.environment),
        "notes": _plain(machine.notes),
        "abilities": _plain(machine.abilities),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value


# --- the terminal ------------------------------------------------------------------------


def show(machine: Machine, console: Console) -> None:
    from rich.console import Group
    from rich.panel import Panel

    from rewarp.report.console import Text

    console.print(Panel(Group(*_head(machine)), title="this machine", title_align="left"))
    if machine.devices:
        console.print(_devices(machine.devices))
        for note in sorted({device.note for device in machine.devices if device.note}):
            console.print(Text(f"  {note}", "dim"), soft_wrap=True)
    console.print(_torch(machine.torch))
    console.print(_tools(machine))
    _notes(console, "on this machine", machine.notes)
    _notes(console, "environment variables", machine.environment)
    console.print(_abilities(machine))


def _head(machine: Machine) -> Iterator[Text]:
    from rewarp.report.console import Text

    style = "bold green" if machine.backend is not Backend.CPU else "bold yellow"
    yield Text(machine.backend.label, style).append(f"  ({machine.why})", "dim")
    for platform in machine.platforms:
        label = platform.backend.label
        for name, version in platform.versions.items():
            yield Text(f"{label}: {name} {version.value}").append(f"  {version.source}", "dim")
        for fact in () if platform.devices else platform.evidence:
            yield Text(f"{label}: {fact.value}, no device usable").append(f"  {fact.source}", "dim")
    yield Text(", ".join(f"{name} {fact.value}" for name, fact in machine.system.items()), "dim")


def _table(title: str, *columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _row(table: Table, *cells: str | Text) -> None:
    """Add a row. Plain strings stay plain: what a tool printed must not be read as markup."""
    from rewarp.report.console import Text

    table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells))


def _cell(fact: Fact[Any] | None) -> str:
    return "unknown" if fact is None else f"{fact.value}"


def _devices(devices: Iterable[Device]) -> Table:
    table = _table("devices", "#", "name", "arch", "memory", "units", "cores", "wave", "FP8", "read from")
    for device in devices:
        memory = f"{device.memory_bytes.value / 2**30:.1f} GiB" if device.memory_bytes else "unknown"
        product = f" = {device.product.value}" if device.product else ""
        sources = [device.name, device.arch, device.memory_bytes, device.compute_units]
        read = dict.fromkeys(_short(fact.source) for fact in sources if fact)
        _row(
            table,
            str(device.index),
            (device.name.value if device.name else "unnamed") + product,
            _cell(device.arch),
            memory,
            _cell(device.compute_units),
            _cell(device.cores),
            _cell(device.wave_size),
            _cell(device.fp8) if device.backend is Backend.ROCM else "",
            ", ".join(read),
        )
    return table


def _short(source: str) -> str:
    return "kfd" if source.startswith("/sys/class/kfd") else source.split(":")[0]


def _torch(torch: TorchBuild) -> Table:
    table = _table("torch", "", "")
    table.show_header = False
    _row(table, "state", torch.state.value + (f": {torch.detail}" if torch.detail else ""))
    _row(table, "interpreter", torch.python)
    if torch.state is TorchState.WORKS:
        _row(table, "version", torch.version or "unknown")
        built = {"cuda": torch.cuda, "hip": torch.hip, "xpu": torch.xpu, "hpu": torch.hpu}
        _row(table, "built for", ", ".join(f"{key} {value}" for key, value in built.items() if value) or "CPU")
        if torch.archs:
            _row(table, "holds code for", " ".join(torch.archs))
        seen = "unknown" if torch.devices is None else str(len(torch.devices))
        _row(table, "devices it sees", seen + (f" ({torch.device_error})" if torch.device_error else ""))
    return table


def _tools(machine: Machine) -> Table:
    from rewarp.report.console import Text, stacked

    table = _table("tools", "tool", "state", "version", "path")
    for tool in machine.tools:
        where = tool.path or ""
        if tool.on_path is False:
            where += " (not on PATH)"
        state = Text(tool.state.value, _STATE_STYLE[tool.state])
        version = tool.version.value if tool.version else ("" if tool.path is None else "unknown")
        _row(table, tool.name, state, version, stacked(where, *([tool.detail] if tool.detail else [])))
    return table


def _notes(console: Console, title: str, notes: Iterable[Note]) -> None:
    from rewarp.report.console import Text

    notes = list(notes)
    if not notes:
        return
    table = _table(title, "", "what", "what it does here")
    for note in notes:
        subject = note.subject if note.value is None else f"{note.subject}={note.value}"
        message = note.message + (f" {note.advice}" if note.advice else "")
        _row(table, Text(note.level.value, _LEVEL_STYLE[note.level]), Text(subject), Text(message))
    console.print(table)


def _abilities(machine: Machine) -> Table:
    from rewarp.report.console import Text

    table = _table("what rewarp can verify here", "level", "", "why")
    for ability in machine.abilities:
        answer = Text("yes", "green") if ability.possible else Text("no", "yellow")
        _row(table, ability.name, answer, ability.why)
    return table
