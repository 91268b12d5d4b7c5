"""Reads the kernels of this folder; README.md describes their form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from lane_simulator import Argument, Buffer, Call, LaneProgram, Scalar
from rewarp.edits import apply
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile
from rewarp.translation.ptx import hip_form
from rewarp.waves.fixing.plan import plan

FOLDER = Path(__file__).parent
WITHOUT_FIX = frozenset((FOLDER / "without_fix.txt").read_text().split())
"""Cases that no fix of rewarp's own makes right; those that it changes must at least not run and be wrong."""
_GATE = re.compile(rb"^#if (!?)defined\(__HIP_PLATFORM_AMD__\)\n(.*?)(?:^#else\n(.*?))?^#endif\n", re.M | re.S)
_SECTION = re.compile(r"^// ---- (\w+)\n", re.M)
_SAID = re.compile(r"^// ([a-z0-9 ]+): (.+)$", re.M)
_RUN = re.compile(
    r"(?P<entry>[\w<>, ]+?)(?:<<<(?P<grid>\w+|\([^)]*\)), (?P<block>\w+|\([^)]*\))>>>)?\((?P<arguments>.*)\)\Z"
)
_ARGUMENT = re.compile(r"(?:^|, )(?=\w+: )")
_TYPED = re.compile(r"(\w+): (\w+)(?:\[(\d+)\])?(?: = (.+))?\Z")


@dataclass(frozen=True)
class Case:
    name: str
    kind: str
    call: Call
    expected: tuple[str, list[float]]
    """The buffer that counts, and what is in it."""
    at_64: str
    unchecked: str | None
    original: bytes
    fixed: bytes | None

    def unit(self, which: str, text: bytes) -> LaneProgram:
        return LaneProgram(f"{self.name}__{which}", text, self.call, f"{self.name}.cu ({which})")


def read_case(file: Path) -> Case:
    head, *sections = _SECTION.split(file.read_text())
    said = dict(_SAID.findall(head))
    texts = {name: text.encode() for name, text in zip(sections[::2], sections[1::2])}
    buffer, _, numbers = said["gives"].partition(" = ")
    return Case(
        file.stem,
        said["kind"],
        _call(said["run"]),
        (buffer, eval(numbers)),
        said["at 64"],
        said.get("unchecked"),
        texts["original"],
        texts.get("fixed"),
    )


def _call(text: str) -> Call:
    match = _RUN.match(text)
    assert match, text
    arguments = tuple(map(_argument, filter(None, _ARGUMENT.split(match["arguments"]))))
    grid, block = (part and part.strip("()") for part in (match["grid"], match["block"]))
    return Call(match["entry"], arguments, grid, block)


def _argument(text: str) -> Argument:
    match = _TYPED.match(text)
    assert match, text
    name, type_, count, value = match.groups()
    return Buffer(name, type_, int(count), value or "0") if count else Scalar(name, type_, value)


def nvidia_side(text: bytes) -> bytes:
    """The original as plain CUDA: what a project has before anyone ported it."""
    return _GATE.sub(lambda match: (match[2] if match[1] else match[3]) or b"", text)


def fixed_by_rewarp(case: Case) -> bytes | None:
    """The plain CUDA of a case after rewarp's fix; None where it changes nothing."""
    before = nvidia_side(case.original)
    after = fixed(before, f"{case.name}.cu")
    return after if after != before else None


def fixed(text: bytes, path: str) -> bytes:
    files = plan([CodeFile(SourceFile(path, text), Kind.CUDA)], asm_forms=hip_form).files
    return apply(text, [edit for file in files for edit in file.edits])


CASES = {file.stem: read_case(file) for file in sorted(FOLDER.glob("*.cu"))}
