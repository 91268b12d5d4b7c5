"""Reads an ``asm`` statement: its C++ operands, and its text as PTX instructions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from rewarp.errors import GaveUp

_KEYWORD = re.compile(rb"(?:asm|__asm__|__asm)\b(?:\s|\\\r?\n|volatile\b|__volatile__\b)*\(")
_TOKEN = re.compile(
    rb"""(?P<comment>//(?:\\\r?\n|[^\r\n])*|/\*.*?\*/)
    |(?P<raw>R"(?P<delim>[^()\\\s"]{0,16})\((?P<text>.*?)\)(?P=delim)")
    |(?P<string>"(?:\\.|[^"\\])*")
    |(?P<char>'(?:\\.|[^'\\])+')
    |(?P<directive>^[ \t]*\#[^\n]*)
    |(?P<mark>[()\[\]{}:])
    |(?P<another>asm\b(?<!\wasm)|__asm(?:__)?\b)""",
    re.X | re.S | re.M,
)
_LONGEST = 20_000
_BLANK = re.compile(rb"(?:\s|\\\r?\n)+")
_CONSTRAINT = re.compile(r"[=+&]*(\w)\Z")
_PTX_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_REGISTERS = re.compile(r"\.reg\s*\.(\w+)\s+(.+)", re.S)
_REGISTER_RANGE = re.compile(r"(%?[\w$]+)<(\d+)>\Z")
_LABEL = re.compile(r"[A-Za-z_$][\w$%=]*\s*:(?!:)\s*")
_HEAD = re.compile(r"(?:@(!?)\s*(%*[\w$]+)\s+)?([a-z]\w*(?:(?:\.|::)\w+)*)\s*", re.S)
_TYPE = re.compile(
    r"(?:[bus](?:8|16|32|64|128)|[us]16x2|f(?:16|16x2|32|32x2|64)|bf16(?:x2)?|tf32|e[45]m[23]x[24]|e4m3|e5m2|e2m1x[24]"
    r"|ue8m0x2|pred)\Z"
)


class Unreadable(GaveUp):
    """What stands there is not a plain asm statement of PTX."""


@dataclass(frozen=True)
class Operand:
    """``"=r"(lane)``: a C++ expression and the kind of register it becomes."""

    constraint: str
    """The letter: ``r``, ``l``, ``h``, ``f``, ``d``, ``n`` … or the number of the output it shares a register with."""
    text: str
    output: bool


@dataclass(frozen=True)
class Instruction:
    """``@p ld.global.v4.u32 {%0, %1, %2, %3}, [%4];``"""

    opcode: str
    modifiers: tuple[str, ...]
    """Everything after the opcode but types. PTX has an order for them; real code and older PTX differ from it."""
    types: tuple[str, ...]
    operands: tuple[str, ...]
    guard: str = ""
    """The predicate, ``p`` or ``!p``."""
    text: str = ""

    @property
    def name(self) -> str:
        return self.text.split(" ")[1 if self.guard else 0]


@dataclass(frozen=True)
class Statement:
    operands: tuple[Operand, ...]
    instructions: tuple[Instruction, ...]
    registers: dict[str, str] = field(default_factory=dict)
    """Declared in the text: name, type."""

    @property
    def is_ptx(self) -> bool:
        """Whether it can be PTX: nearly all of its instructions have a dotted name, no other assembler's have."""
        names = [instruction.name for instruction in self.instructions]
        return any("." in name or name in ("trap", "exit", "ret", "brkpt") for name in names)


def statement_end(view: bytes, at: int) -> int | None:
    """The place after the ``)`` of the asm statement that begins at ``at``."""
    keyword = _KEYWORD.match(view, at)
    if not keyword:
        return None
    depth = 1
    for token in _TOKEN.finditer(view, keyword.end(), at + _LONGEST):
        if token["another"]:
            return None  # this one was never closed
        depth += {b"(": 1, b")": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    return None


@lru_cache(maxsize=1024)
def read(text: bytes) -> Statement:
    """The statement with this text, from its ``asm`` to its ``)``. Raises Unreadable."""
    keyword = _KEYWORD.match(text)
    if not keyword:
        raise Unreadable("not an asm statement")
    sections = _sections(text[keyword.end() : -1])
    ptx = _joined(sections[0])
    operands = [_operand(part, True) for part in _parts(sections[1])] if len(sections) > 1 else []
    operands += [_operand(part, False) for part in _parts(sections[2])] if len(sections) > 2 else []
    if any(one.constraint.isdigit() and not _is_output(operands, int(one.constraint)) for one in operands):
        raise Unreadable("an operand that shares a register with no output")
    registers: dict[str, str] = {}
    instructions: list[Instruction] = []
    for line in _lines(ptx):
        declared = _REGISTERS.match(line)
        if declared:
            registers |= _declared(*declared.groups())
        elif line.startswith("."):
            raise Unreadable(f"the directive {line.split()[0]}")
        else:
            instructions.append(_instruction(line))
    return Statement(tuple(operands), tuple(instructions), registers)


# --- C++ ------------------------------------------------------------------------------------


def _sections(inside: bytes) -> list[list[bytes]]:
    """Text, outputs, inputs and clobbers, each as its strings and what stands between them; comments are dropped."""
    sections: list[list[bytes]] = [[b""]]
    depth = 0
    at = 0
    for token in _TOKEN.finditer(inside):
        between = inside[at : token.start()]
        at = token.end()
        sections[-1][-1] += between
        if token["directive"]:
            raise Unreadable("a text that depends on #if")
        if token["comment"]:
            continue
        if not depth and (token["string"] or token["raw"]):
            sections[-1] += [token["text"] if token["raw"] else token[0], b""]
            continue
        depth += {b"(": 1, b"[": 1, b"{": 1, b")": -1, b"]": -1, b"}": -1}.get(token[0], 0)
        if not depth and token[0] == b":":
            sections.append([b""])
        else:
            sections[-1][-1] += token[0]
    sections[-1][-1] += inside[at:]
    return sections


def _joined(section: list[bytes]) -> str:
    """The text of the assembly: nothing but string literals, escapes undone."""
    if any(_BLANK.sub(b"", between) for between in section[::2]):
        raise Unreadable("a text that a macro builds")
    parts = [part[1:-1] if part.startswith(b'"') else part for part in section[1::2]]
    text = b"".join(parts).decode("utf-8", "surrogateescape")
    return re.sub(r"\\([nrtv\"\\])", lambda escape: {"n": "\n", '"': '"', "\\": "\\"}.get(escape[1], " "), text)


def _parts(section: list[bytes]) -> list[tuple[str, str]]:
    """Constraint and what follows it, up to the comma."""
    return [
        (section[index][1:-1].decode("ascii", "replace"), section[index + 1].decode("utf-8", "surrogateescape"))
        for index in range(1, len(section), 2)
    ]


def _operand(part: tuple[str, str], output: bool) -> Operand:
    letter = _CONSTRAINT.match(part[0])
    text = part[1].strip().rstrip(",").strip()
    if not letter or not (text.startswith("(") and text.endswith(")")):
        raise Unreadable(f'the operand "{part[0]}"')
    return Operand(letter[1], " ".join(text[1:-1].replace("\\\n", " ").split()), output)


def _is_output(operands: list[Operand], index: int) -> bool:
    return index < len(operands) and operands[index].output and not operands[index].constraint.isdigit()


# --- PTX ------------------------------------------------------------------------------------


def _lines(ptx: str) -> list[str]:
    """Declarations and instructions. A brace that holds no operands opens or closes a scope."""
    found: list[str] = []
    current = ""
    braces = 0
    for char in _PTX_COMMENT.sub(" ", ptx):
        if char == "{" and current.strip():
            braces += 1
        elif char == "}" and braces:
            braces -= 1
        elif char in "{};":
            found.append(current)
            current = ""
            continue
        current += char
    found.append(current)
    lines = [" ".join(_LABEL.sub("", line.strip(), count=1).split()) for line in found]
    return [line for line in lines if line]


def _declared(kind: str, names: str) -> dict[str, str]:
    found = {}
    for name in names.split(","):
        many = _REGISTER_RANGE.match(name.strip())
        listed = [f"{many[1]}{index}" for index in range(int(many[2]))] if many else [name.strip()]
        found.update({bare.lstrip("%"): kind for bare in listed})
    return found


def _instruction(line: str) -> Instruction:
    head = _HEAD.match(line)
    if not head:
        raise Unreadable(line[:60])
    opcode, *rest = head[3].split(".")
    types = tuple(part for part in rest if _TYPE.match(part))
    modifiers = tuple(part for part in rest if not _TYPE.match(part))
    guard = f"{head[1] or ''}{head[2].lstrip('%')}" if head[2] else ""
    return Instruction(opcode, modifiers, types, tuple(_split(line[head.end() :])), guard, line)


def _split(text: str) -> list[str]:
    """Operands: commas in braces and brackets separate nothing."""
    found, depth = [""], 0
    for char in text:
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(char, 0)
        if char == "," and not depth:
            found.append("")
        else:
            found[-1] += char
    return [part.strip() for part in found if part.strip()]
