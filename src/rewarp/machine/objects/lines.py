"""Which line of the source each instruction comes from: the line table that a compiler leaves with -g."""

from __future__ import annotations

import io
import os
from typing import Any

from rewarp.machine.assembly import Place


def places(data: bytes) -> dict[int, Place]:
    """By the address where the code of a line begins. Empty without a line table, or with one that is damaged:
    nothing depends on it but what people are told."""
    try:
        from elftools.elf.elffile import ELFFile

        file = ELFFile(io.BytesIO(data))
        if not file.has_dwarf_info():
            return {}
        found: dict[int, Place] = {}
        dwarf = file.get_dwarf_info()
        for unit in dwarf.iter_CUs():
            _add(found, dwarf.line_program_for_CU(unit))
        return found
    except Exception:  # a parser of foreign bytes: whatever it stumbles over means the same
        return {}


def _add(found: dict[int, Place], program: Any) -> None:
    if program is None:
        return
    names = _files(program.header)
    for entry in program.get_entries():
        state = entry.state
        if state is not None and not state.end_sequence and state.line:
            found[state.address] = Place(names.get(state.file, "?"), state.line)


def _files(header: Any) -> dict[int, str]:
    """Files and folders are counted from 0 since DWARF 5; before, from 1, and folder 0 is where the compiler ran."""
    modern = header.version >= 5
    folders = [_text(folder) for folder in header.include_directory]
    found = {}
    for number, file in enumerate(header.file_entry):
        index = file.dir_index if modern else file.dir_index - 1
        folder = folders[index] if 0 <= index < len(folders) else ""
        start = folders[0] if modern and folders else ""
        found[number if modern else number + 1] = os.path.join(start, folder, _text(file.name))
    return found


def _text(name: Any) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)
