"""Every row of the table of PTX as statements: the asm, its operands, and what it becomes.

python tests/support/ptx_cases.py cuda > compare.cu    both sides on an NVIDIA GPU (see ptx_on_cuda.h)
python tests/support/ptx_cases.py hip > every.hip      all forms, to be compiled for AMD
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from rewarp.tables import rows
from rewarp.translation.ptx import hip_form

CPP = {
    **dict.fromkeys(("b8", "u8", "b32", "u32", "f16x2", "bf16x2", "pred", "shared"), ("unsigned", "r")),
    **dict.fromkeys(("s8", "s32"), ("int", "r")),
    **dict.fromkeys(("b16", "u16", "f16", "bf16"), ("unsigned short", "h")),
    "s16": ("short", "h"),
    **dict.fromkeys(("b64", "u64", "f32x2"), ("unsigned long long", "l")),
    "s64": ("long long", "l"),
    "f32": ("float", "f"),
    "f64": ("double", "d"),
    "pointer": ("void*", "l"),
    "b128": ("unsigned __int128", "q"),
}
HALF_OF = {"b32": "b16", "u32": "b16", "b64": "b32", "u64": "b32", "b16": "b8", "b128": "b64"}
CONSTANTS = {"lop3": ("0xea", "0x96", "202", "0xe8", "0x1b", "0"), "cp": ("16",)}
_NOT_PLAIN = re.compile(
    r"\b(?:__(?!int128)\w+|rewarp_(?!ptx)\w+|abort|clock64|\w+Idx|\w+Dim|rsqrtf?|tanhf|0ull$|static_cast<void>"
    r"|rewarp_ptx::(?:load|store|copy|fetch|add_each|exchange|compare|shared|generic|address|shfl|warp|block|uniform|match"
    r"|elect|half_exp2|half_tanh)\w*)"
)
"""What only AMD's compiler has, and what asks for memory or other lanes."""
_NEWER = re.compile(r"approx|full|f32x2|e2m1|b128|WARP_SZ|mov\.b16 [^;]*\{|mov\.b32 [^;]*\{[^}]*,[^}]*,")
"""What is not exact, and what Hopper and C++ constraints do not have: pairs of floats, 4-bit floats, registers of 8 and 128 bits."""


class Case(NamedTuple):
    asm: str
    inputs: tuple[tuple[str, str], ...]
    """Type and name."""
    outputs: tuple[tuple[str, str], ...]
    kinds: tuple[str, ...]
    """The outputs' types in PTX."""
    hip: str | None

    @property
    def name(self) -> str:
        return re.sub(r"\s+", " ", re.search(r'"([^"]*)"', self.asm)[1])  # type: ignore[index]

    @property
    def plain(self) -> bool:
        """Whether the form is C++ that any machine runs."""
        return self.hip is not None and not _NOT_PLAIN.search(self.hip)


class _Builder:
    """One statement in the making: operands of the asm, registers and lines of its text."""

    def __init__(self) -> None:
        self.outputs: list[tuple[str, str, str]] = []
        self.kinds: list[str] = []
        self.inputs: list[tuple[str, str, str]] = []
        self.limits: dict[str, str] = {}
        """What keeps an input where PTX says what happens."""
        self.before: list[str] = []
        self.after: list[str] = []

    def written(self, kind: str, name: str) -> str:
        if kind == "pred":
            self.before.append(f".reg .pred p_{name};")
            self.after.append(f"selp.u32 <{name}>, 1, 0, p_{name};")
        self.outputs.append((*CPP[kind], name))
        self.kinds.append(kind)
        return f"p_{name}" if kind == "pred" else f"<{name}>"

    def read(self, kind: str, name: str) -> str:
        self.inputs.append((*CPP[kind], name))
        if kind != "pred":
            return f"<{name}>"
        self.before += [f".reg .pred p_{name};", f"setp.ne.u32 p_{name}, <{name}>, 0;"]
        return f"p_{name}"

    def case(self, line: str) -> Case:
        scoped = bool(self.before)
        text = " ".join([*self.before, line, *self.after])
        for index, (_, _, name) in enumerate([*self.outputs, *self.inputs]):
            text = text.replace(f"<{name}>", f"%{index}")
        text = "{ " + text + " }" if scoped else text
        out = ", ".join(f'"={letter}"({name})' for _, letter, name in self.outputs)
        into = ", ".join(f'"{letter}"({name}{self.limits.get(name, "")})' for _, letter, name in self.inputs)
        asm = f'asm volatile("{text}" : {out} : {into} : "memory")'
        return Case(
            asm,
            tuple((kind, name) for kind, _, name in self.inputs),
            tuple((kind, name) for kind, _, name in self.outputs),
            tuple(self.kinds),
            hip_form(asm),
        )


def cases() -> Iterator[Case]:
    for row in rows("ptx.csv"):
        if row["kind"] == "register":
            builder = _Builder()
            yield builder.case(f"mov.{row['types']} {builder.written(row['types'], 'd')}, %%{row['name']};")
        elif row["kind"] == "instruction" and "carry" not in row["hip"]:
            for name in row["name"].split():
                yield from _cases_of(name, row)
    yield from _carries()


def _cases_of(opcode: str, row: dict[str, str]) -> Iterator[Case]:
    types = [kinds.split("|") for kinds in row["types"].split()]
    modifiers = list(map(_alternatives, row["modifiers"].split()))
    # Rounding and types of conversions depend on each other; elsewhere one choice at a time will do.
    both = product(_each_once(modifiers), product(*types)) if opcode == "cvt" else _each_once_of_two(modifiers, types)
    for words, kinds in both:
        if opcode == "cvt" and words == ("sat",) and _holds(*kinds):
            continue  # nothing to saturate: PTX does not have it
        for constant in CONSTANTS.get(opcode, ("",)):
            yield from _case_of(opcode, [word for word in words if word], list(kinds), row["operands"], constant)


def _holds(kind: str, other: str) -> bool:
    """Whether every number of the other integer type is one of this type."""
    if kind[0] not in "us" or other[0] not in "us":
        return False
    bits, other_bits = int(kind[1:]) - (kind[0] == "s"), int(other[1:]) - (other[0] == "s")
    return bits >= other_bits and (kind[0] == "s" or other[0] == "u")


def _each_once_of_two(
    modifiers: list[list[str]], types: list[list[str]]
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    for chosen in _each_once([*modifiers, *types]):
        yield chosen[: len(modifiers)], chosen[len(modifiers) :]


def _alternatives(modifier: str) -> list[str]:
    body = modifier.partition("=")[2] or modifier
    words, optional, _ = body.partition("?")
    return [*([""] if optional else []), *words.split("|")]


def _each_once(choices: list[list[str]]) -> Iterator[tuple[str, ...]]:
    """Every alternative once, the others at their first."""
    yield tuple(choice[0] for choice in choices)
    for index, choice in enumerate(choices):
        for other in choice[1:]:
            yield tuple(other if at == index else first[0] for at, first in enumerate(choices))


def _case_of(opcode: str, modifiers: list[str], types: list[str], operands: str, constant: str) -> Iterator[Case]:
    sizes = (2, 4) if "{" in operands else (1,)
    for size in sizes:
        yield from _sized(opcode, modifiers, types, operands, constant, size)


def _sized(
    opcode: str, modifiers: list[str], types: list[str], operands: str, constant: str, size: int
) -> Iterator[Case]:
    last = types[-1] if types else "b32"
    if size == 4 and opcode == "mov" and last not in ("b32", "u32"):
        return
    builder = _Builder()
    if last[0] in "us" and last[1:] != "16" and opcode in ("div", "rem"):
        builder.limits["b"] = " | 1"
    if last.endswith("64") and opcode in ("bfe", "bfi"):
        builder.limits.update(dict.fromkeys("ce" if opcode == "bfi" else "bc", " & 255"))
    texts = []
    for slot in operands.split():
        body, _, kind = slot.partition(":")
        kind = {"": last, "T": last, "T0": types[0] if types else "", "T1": (types + ["", ""])[1]}.get(kind, kind)
        texts.append(_operand(builder, body, kind, size, opcode, modifiers, constant))
    vector = [f"v{size}"] if size > 1 and opcode in ("ld", "ldu", "st", "red") else []
    name = ".".join([opcode, *modifiers, *vector, *types])
    yield builder.case(f"{name} {', '.join(texts)};".replace(" ;", ";"))


def _operand(
    builder: _Builder, body: str, kind: str, size: int, opcode: str, modifiers: list[str], constant: str
) -> str:
    name = body.strip("[]{}")
    if body.startswith("["):
        shared = name == "a" and any(word.startswith("shared") for word in modifiers)
        return f"[{builder.read('shared' if shared else 'pointer', name)}]"
    if body.startswith("{"):
        part = HALF_OF[kind] if opcode == "mov" and size == 2 else "b8" if opcode == "mov" else kind
        make = builder.written if name == "d" else builder.read
        return "{" + ", ".join(make(part, f"{name}{index}") for index in range(size)) + "}"
    if "|" in body:
        return f"{builder.written(kind, 'd')}|{builder.written('pred', 'p')}"
    if body[0].isdigit():
        return body
    if constant and body in ("e", "c") and (opcode == "lop3") == (body == "e"):
        return constant
    if opcode in ("discard", "applypriority"):
        return "128"
    if "wait_group" in modifiers:
        return "0"
    return builder.written(kind, name) if name == "d" else builder.read(kind, name)


def _carries() -> Iterator[Case]:
    for kind, word in (("u32", "unsigned"), ("u64", "unsigned long long")):
        letter = CPP[kind][1]
        for lines in (
            f"add.cc.{kind} %0, %2, %3; addc.cc.{kind} %1, %4, %3; addc.{kind} %0, %0, %4;",
            f"sub.cc.{kind} %0, %2, %3; subc.cc.{kind} %1, %4, %3; subc.{kind} %0, %0, %4;",
            f"mad.lo.cc.{kind} %0, %2, %3, %4; madc.hi.cc.{kind} %1, %2, %3, %3; madc.lo.cc.{kind} %0, %0, %4, %2;"
            f" madc.hi.{kind} %1, %1, %3, %4;",
        ):
            operands = f': "=&{letter}"(d), "=&{letter}"(p) : "{letter}"(a), "{letter}"(b), "{letter}"(c)'
            asm = f'asm volatile("{{ {lines} }}" {operands} : "memory")'
            yield Case(
                asm,
                tuple((word, name) for name in "abc"),
                tuple((word, name) for name in "dp"),
                (kind, kind),
                hip_form(asm),
            )


def _locals(case: Case) -> str:
    return " ".join(f"{kind} {name}{{}};" for kind, name in case.outputs)


def _put(name: str, kind: str) -> str:
    if kind.removesuffix("x2") not in ("f16", "bf16"):
        return f"to.put({name});"
    return f"to.put_halves({name}, {'0x7c00u' if kind.startswith('f16') else '0x7f80u'});"


def cuda() -> Iterator[str]:
    yield '#include "ptx_on_cuda.h"'
    compared = [case for case in cases() if case.plain and not _NEWER.search(case.name)]
    for index, case in enumerate(compared):
        into = " ".join(
            f"const {kind} {name} = input.take<{kind}>({at});" for at, (kind, name) in enumerate(case.inputs)
        )
        out = " ".join(_put(name, kind) for (_, name), kind in zip(case.outputs, case.kinds))
        yield f'struct Case{index} {{ static const char* name() {{ return R"({case.name})"; }}'
        yield f"static __device__ void theirs(const Input& input, Output& to) {{ {into} {_locals(case)} {case.asm}; {out} }}"
        yield f"static __device__ void ours(const Input& input, Output& to) {{ {into} {_locals(case)} {case.hip}; {out} }} }};"
    yield "int main() {"
    yield from (f"  compare<Case{index}>();" for index in range(len(compared)))
    yield "  return finish(); }"


def hip() -> Iterator[str]:
    yield '#include "rewarp_hip.h"'
    for index, case in enumerate(cases()):
        parameters = ", ".join(
            [f"{kind} {name}" for kind, name in case.inputs] + [f"{kind}& {name}" for kind, name in case.outputs]
        )
        yield f"// {case.name}"
        yield f"__device__ void case_{index}({parameters}) {{ {case.hip}; }}"


if __name__ == "__main__":
    print("\n".join({"cuda": cuda, "hip": hip}[sys.argv[1]]()))
