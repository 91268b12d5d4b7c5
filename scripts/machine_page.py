"""The page of the machine's instructions: what is supported, what each was checked with, what is approximate, what is missing."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from rewarp.machine import accuracy
from rewarp.machine.assembly import parse
from rewarp.machine.program import ARCHES
from rewarp.machine.shapes import Unsupported, encode

TABLES = Path(__file__).parent.parent / "tests" / "machine" / "instructions"
_ENDING = re.compile(r"_(e32|e64)$")
_FAMILIES = (
    ("scalar unit", r"s_(?!load|store|buffer|scratch|atomic|atc|dcache)"), ("scalar memory", r"s_"),
    ("matrices", r"v_s?mfma|v_smfmac|v_s?wmma"), ("packed and dot products", r"v_pk_|v_dot"), ("comparisons", r"v_cmp"),
    ("vector unit", r"v_"), ("LDS", r"ds_"), ("global memory", r"global_"), ("flat memory", r"flat_"), ("scratch", r"scratch_"),
    ("buffers", r"t?buffer_"),
)  # fmt: skip
_INTRODUCTION = """# Instructions of the machine

Made by `scripts/build_docs.py` from the machine's own tables. Every name that LLVM's assembler takes for an architecture is on
this page; images, exports and interpolation, which compute kernels have no use for, are left out. Names stand without `_e32`
and `_e64`.

What an instruction was checked with:

- **AMD**: AMD's pseudocode, as tinygrad carries it, was run on random numbers and on the edges of each type, with part of the
  lanes off, and all registers, masks, SCC and memory were compared bit for bit. One NaN counts as another.
- **AMD, amended**: the same, where the pseudocode is known to say less than cards do; `tests/machine/second_source.py` lists
  what was put right, and why.
- **NumPy, with AMD's matrix calculator for the layout**: products of whole numbers, each element where that tool says it lies.
- **NumPy**, **a kernel of its own**: what has no pseudocode, or none that can be run, in `tests/unit/test_machine_unwritten.py`,
  `test_machine_modes.py` and `test_machine_accuracy.py`.
- **as gfx942**: the same text and the same function as on gfx942, where it was checked.
- **unchecked**: supported, and held against no second source one by one; the kernels of the other tests may use it.

The pseudocode is that of gfx950 for gfx942, gfx90a and gfx950, of gfx1100, and of gfx1201. Atomics are checked with and without
a result. Of `mul:` and `div:` cards take no notice where denormal numbers are kept, or where MODE says IEEE, and neither does the
machine. Denormal singles become zero where a kernel's descriptor or its code says so; other roundings than to the nearest, and
halves and doubles that are flushed, stop a kernel with their name.

gfx942 and gfx1100 are what the machine is made for. The others are carried by the same tables, and the kernels of the tests run on
them: gfx90a, gfx950 (160 KB of LDS) and gfx1201 whole. gfx950's and gfx1201's 8-bit floats are those of the OCP, which the machine
does not have: they stop a kernel with their name. So do stochastic rounding (what AMD's pseudocode and its software say of it
differs), buffers with an index or a format, and what all workgroups of a card share (GDS, GWS).
"""


def is_supported(arch: str, text: str) -> bool:
    try:
        for instruction in parse(f'.amdgcn_target "amdgcn-amd-amdhsa--{arch}"\n.text\nkernel:\n{text}\n').instructions:
            encode(instruction)
    except Unsupported:
        return False
    return True


def markdown() -> str:
    tables = {arch: _table(arch) for arch in sorted(ARCHES, key=lambda name: int(re.sub(r"\D", "", name)))}
    lines = [_INTRODUCTION, "| | names | supported | checked | unchecked |", "|---|--:|--:|--:|--:|"]
    for arch, states in tables.items():
        every = {name for names in states.values() for name in names}
        missing, unchecked = states.get("", set()), states.get("unchecked", set())
        supported = len(every) - len(missing)
        lines.append(f"| {arch} | {len(every)} | {supported} | {supported - len(unchecked)} | {len(unchecked)} |")
    lines += ["", *_approximate()]
    for arch, states in tables.items():
        lines += [f"## {arch}", ""]
        for state in sorted(states, key=lambda name: (name == "", name == "unchecked", name)):
            lines += [
                f"### {'Not supported' if state == '' else state}: {len(states[state])}",
                "",
                *_listed(states[state]),
            ]
    return "\n".join(lines).rstrip() + "\n"


def _table(arch: str) -> dict[str, set[str]]:
    """Names by what they were checked with; the empty one: not supported. A name counts as what its worst form is."""
    worst: dict[str, str] = {}
    alike = {text for text, source in _rows("gfx942") if source} if arch in ("gfx90a", "gfx950") else set()
    for text, source in _rows(arch):
        source = source or ("as gfx942" if text in alike else "")
        name = _ENDING.sub("", text.split()[0])
        state = (source or "unchecked") if is_supported(arch, text) else ""
        if name not in worst or _rank(state) < _rank(worst[name]):
            worst[name] = state
    found: dict[str, set[str]] = defaultdict(set)
    for name, state in worst.items():
        found[state].add(name)
    return found


def _rows(arch: str) -> list[tuple[str, str]]:
    """Each text, and what it was checked with."""
    lines = TABLES.joinpath(f"{arch}.txt").read_text("utf-8").splitlines()
    return [(text.strip(), source.strip()) for text, _, source in (line.partition("|") for line in lines)]


def _rank(state: str) -> int:
    return 0 if state == "" else 1 if state == "unchecked" else 2


def _listed(names: set[str]) -> list[str]:
    left, lines = set(names), []
    for title, pattern in _FAMILIES:
        members = sorted(name for name in left if re.match(pattern, name))
        left -= set(members)
        if members:
            lines += [f"**{title}**: {', '.join(f'`{name}`' for name in members)}", ""]
    return lines


_APPROXIMATIONS = """## Approximations

Cards compute these only nearly, and the bounds are those of AMD's manuals. The machine gives the exact result or one of its
neighbours. `machine.load(code, perturb=1)` moves each result within what a card may be off, another number another way: a
program whose output changes with it depends on digits that no card promises.

| | may be off by | |
|---|---|---|"""


def _approximate() -> list[str]:
    rows = [f"| `{name}` | {bound} | {bound.note} |" for name, bound in sorted(accuracy.BOUNDS.items())]
    return [_APPROXIMATIONS, *rows, ""]
