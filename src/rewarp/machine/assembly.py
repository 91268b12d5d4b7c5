"""AMD assembly, as clang, Triton and LLVM's disassembler write it: instructions, kernels, data. Reading only."""

from __future__ import annotations

import os
import re
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rewarp.errors import ParseError
from rewarp.machine.expressions import Expression
from rewarp.machine.metadata import Metadata

if TYPE_CHECKING:
    from rewarp.machine.dialects import Indexing

_COMMENT = re.compile(r"(?:;|//).*")
_LABEL = re.compile(r'([\w.$@"<>]+):')
_REGISTER = re.compile(r"([vsa])(?:(\d+)|\[(\d+)(?::(\d+))?\])(?:\.([lh]))?$")
_TTMP = re.compile(r"ttmp(?:(\d+)|\[(\d+):(\d+)\])$")
_FUNCTION = re.compile(r"(neg|abs|sext)\((.*)\)$")
_MODIFIER = re.compile(r"([a-z_0-9]+):(\[[^\]]*\]|[-\w.]+)")
_SYMBOL = re.compile(r"([A-Za-z_.$][\w.$]*)(?:@([a-z0-9@]+))?\s*([-+]\s*(?:0x[0-9a-fA-F]+|\d+))?$")
_FAR = re.compile(r"\((\.L[\w.$]+)-\.Lpost_getpc\d+\)(&4294967295|>>32)$")
"""A branch that is too far for an offset of 16 bits, from the program counter that stands before it."""
_INLINED = re.compile(r"([^\s\[\]]+):(\d+):\d+")
SYSTEM = re.compile(r"/include/hip/|/lib/clang/|/libcxx/|^/usr/(?:include|lib)/|^/opt/rocm")
_FLOAT = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?$")
_INTEGER = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)$")
_SPECIAL = {
    "vcc": (106, 2),
    "vcc_lo": (106, 1),
    "vcc_hi": (107, 1),
    "m0": (124, 1),
    "null": (125, 1),
    "exec": (126, 2),
    "exec_lo": (126, 1),
    "exec_hi": (127, 1),
    "flat_scratch": (102, 2),
    "flat_scratch_lo": (102, 1),
    "flat_scratch_hi": (103, 1),
    "xnack_mask": (104, 2),
    "xnack_mask_lo": (104, 1),
    "xnack_mask_hi": (105, 1),
}
_NAMED = frozenset(
    "src_shared_base src_private_base src_shared_limit src_private_limit src_vccz src_execz src_scc vccz execz scc "
    "src_lds_direct".split()
)
_FLAGS = frozenset(
    "glc slc dlc sc0 sc1 nt clamp gds lds tfe scc offen idxen addr64 off_sgpr high row_mirror row_half_mirror".split()
)


@dataclass(frozen=True)
class Operand:
    """One operand: ``v``, ``s`` and ``a`` registers, ``k`` a constant, ``y`` a symbol, ``n`` a named value, ``o`` off."""

    kind: str
    index: int = 0
    count: int = 1
    value: int = 0
    is_float: bool = False
    """A constant that stands for a number: what bits it has is for the instruction to say."""
    number: float = 0.0
    name: str = ""
    negative: bool = False
    absolute: bool = False
    extended: bool = False
    half: str = ""


@dataclass(frozen=True)
class Place:
    """A line of the source that was compiled."""

    file: str
    line: int


@dataclass(frozen=True)
class Instruction:
    mnemonic: str
    operands: tuple[Operand, ...]
    modifiers: dict[str, Any]
    flags: frozenset[str]
    text: str
    number: int
    """The line of the assembly."""
    place: Place | None = None


@dataclass
class Kernel:
    """What the descriptor and the metadata say of a kernel."""

    name: str
    directives: dict[str, int] = field(default_factory=dict)
    arguments: list[dict[str, Any]] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass
class Data:
    """Bytes of a section, and the places in them that hold addresses."""

    content: bytearray = field(default_factory=bytearray)
    relocations: list[tuple[int, str, int]] = field(default_factory=list)
    """Where, of which symbol, plus how much."""
    align: int = 16


@dataclass
class Program:
    """An assembly file."""

    arch: str = ""
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    """Of code, by the number of the instruction."""
    data: dict[str, Data] = field(default_factory=dict)
    symbols: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Of data: section and offset."""
    sizes: dict[str, int] = field(default_factory=dict)
    kernels: dict[str, Kernel] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    """What ``.set`` gives a name."""
    formats: dict[int, str] = field(default_factory=dict)
    """What printf prints, by its hash."""


def parse(text: str) -> Program:
    """Read a file. Raises ParseError for what cannot be read."""
    from rewarp.machine.modes import follow

    program = _Reader(text).read()
    follow(program)
    return program


class _Reader:
    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._program = Program()
        self._section = ".text"
        self._files: dict[str, str] = {}
        self._by_name: dict[str, str] = {}
        self._folder = ""
        self._place: Place | None = None
        self._described: list[tuple[Kernel, str, str]] = []
        self._at = 0
        self._indexing: Indexing | None = None

    def read(self) -> Program:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if "amdgpu_metadata" in line and line.strip() == ".amdgpu_metadata":
                self._metadata()
                continue
            plain = _without_comment(line).strip()
            if plain.startswith((".loc\t", ".loc ")):
                self._location(plain, line)
            else:
                self._line(plain)
        # What a descriptor says may be computed from values that stand behind it.
        for kernel, name, value in self._described:
            kernel.directives[name] = self._number(value)
        return self._program

    def _line(self, line: str) -> None:
        while match := _LABEL.match(line):
            self._label(match[1].strip('"'))
            line = line[match.end() :].strip()
        if not line:
            return
        if line.startswith("."):
            word, _, rest = line.partition(" ") if "\t" not in line else line.partition("\t")
            self._directive(word, rest.strip())
        elif self._is_code:
            self._program.instructions += self._in_words(self._instruction(line))

    def _in_words(self, instruction: Instruction) -> list[Instruction]:
        from rewarp.machine.dialects import Indexing, gfx9_words, with_other_bytes, with_scratch_buffer, with_steps

        if self._program.arch.startswith(("gfx95", "gfx12")):
            instruction = with_other_bytes(instruction, self._program.arch)
        if not self._program.arch.startswith(("gfx10", "gfx11", "gfx12")):
            self._indexing = self._indexing or Indexing()
            if self._program.arch.startswith("gfx90"):
                instruction = with_scratch_buffer(instruction)
            return with_steps(self._indexing.read(instruction))
        return list(gfx9_words([instruction]))

    @property
    def _is_code(self) -> bool:
        return self._section.startswith(".text")

    def _label(self, name: str) -> None:
        program = self._program
        if self._is_code:
            program.labels[name] = len(program.instructions)
        elif not self._section.startswith(".debug"):
            program.symbols[name] = (self._section, len(self._data.content))

    @property
    def _data(self) -> Data:
        return self._program.data.setdefault(self._section, Data())

    # --- directives -----------------------------------------------------------------------

    def _directive(self, word: str, rest: str) -> None:
        if word in (".text", ".data", ".bss"):
            self._section = word
        elif word == ".section":
            self._section = rest.split(",")[0].strip()
        elif word == ".amdgcn_target":
            self._program.arch = rest.strip('"').rpartition("--")[2]
        elif word == ".amdhsa_kernel":
            self._kernel(rest)
        elif word == ".file":
            self._file(rest)
        elif word in (".set", ".equ"):
            name, _, value = rest.partition(",")
            self._program.values[name.strip()] = value.strip()
        elif word == ".size":
            name, _, value = rest.partition(",")
            if value.strip().isdigit():
                self._program.sizes[name.strip()] = int(value)
        elif word in (".comm", ".lcomm"):
            self._common(rest)
        elif not self._is_code and not self._section.startswith((".debug", ".note", ".AMDGPU")):
            self._datum(word, rest)

    def _file(self, rest: str) -> None:
        number, _, names = rest.partition(" ")
        if not number.isdigit():
            return
        parts = re.findall(r'"([^"]*)"', names)[: 2 if re.match(r'"[^"]*"\s+"', names) else 1]
        path = os.path.join(*parts) if parts else "?"
        if number == "0":
            self._folder = parts[0] if len(parts) > 1 else ""
        self._files[number] = os.path.join(self._folder, path)
        self._by_name[parts[-1] if parts else "?"] = self._files[number]

    def _location(self, plain: str, line: str) -> None:
        """The line of the source; of what was inlined from a header of the system, the line that it was called from."""
        parts = plain.split()
        number = int(parts[2])
        if not number:
            return
        self._place = Place(self._files.get(parts[1], "?"), number)
        if SYSTEM.search(self._place.file):
            for name, at in _INLINED.findall(line[len(plain) :]):
                file = self._by_name.get(name, os.path.join(self._folder, name))
                if not SYSTEM.search(file):
                    self._place = Place(file, int(at))
                    break

    def _kernel(self, name: str) -> None:
        kernel = self._program.kernels.setdefault(name, Kernel(name))
        while self._at < len(self._lines):
            parts = _without_comment(self._lines[self._at]).split()
            self._at += 1
            if parts[:1] == [".end_amdhsa_kernel"]:
                return
            if len(parts) >= 2:
                self._described.append((kernel, parts[0].removeprefix(".amdhsa_"), " ".join(parts[1:])))
        raise ParseError(f"the descriptor of {name} does not end")

    def _number(self, text: str) -> int:
        """A number, or an expression over names that were set; Triton's and rdc builds write such."""
        if _INTEGER.match(text):
            return int(text, 0)
        return Expression(text, self._program.values).value()

    def _datum(self, word: str, rest: str) -> None:
        data = self._data
        sizes = {".byte": 1, ".short": 2, ".value": 2, ".2byte": 2, ".long": 4, ".4byte": 4, ".quad": 8, ".8byte": 8}
        if word in sizes:
            for item in rest.split(","):
                self._value(data, item.strip(), sizes[word])
        elif word in (".ascii", ".asciz", ".string"):
            data.content += _string(rest) + (b"" if word == ".ascii" else b"\0")
        elif word in (".zero", ".skip", ".space"):
            data.content += bytes(int(rest.split(",")[0], 0))
        elif word in (".p2align", ".align", ".balign"):
            power = int(rest.split(",")[0], 0)
            size = power if word == ".balign" else 1 << power
            data.align = max(data.align, size)
            data.content += bytes(-len(data.content) % size)
        elif word == ".fill":
            repeat, size, value = ([int(part, 0) for part in rest.split(",")] + [1, 0])[:3]
            data.content += (value & ((1 << 8 * size) - 1)).to_bytes(size, "little") * repeat

    def _common(self, rest: str) -> None:
        """Zeros with a name, whichever section is open. For AMD's target the alignment is a power of two."""
        name, size, *power = (part.strip() for part in rest.split(","))
        data = self._program.data.setdefault(".bss", Data())
        align = 1 << int(power[0], 0) if power else 16
        data.align = max(data.align, align)
        data.content += bytes(-len(data.content) % align)
        self._program.symbols[name] = (".bss", len(data.content))
        self._program.sizes[name] = int(size, 0)
        data.content += bytes(int(size, 0))

    def _value(self, data: Data, item: str, size: int) -> None:
        if _INTEGER.match(item):
            data.content += (int(item, 0) & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        elif (found := _SYMBOL.match(item)) and size == 8:
            data.relocations.append((len(data.content), found[1], _offset(found[3])))
            data.content += bytes(8)
        else:
            raise ParseError(f"line {self._at}: {item} is no value that is understood", self._at)

    def _metadata(self) -> None:
        lines: list[str] = []
        while self._at < len(self._lines) and ".end_amdgpu_metadata" not in self._lines[self._at]:
            lines.append(self._lines[self._at])
            self._at += 1
        self._at += 1
        document = Metadata(lines).read()
        for described in document.get("amdhsa.kernels", []):
            kernel = self._program.kernels.setdefault(described[".name"], Kernel(described[".name"]))
            kernel.arguments = described.get(".args", [])
            kernel.metadata = {key: value for key, value in described.items() if key != ".args"}
        for line in document.get("amdhsa.printf", []):
            head, _, form = str(line).partition(",")
            self._program.formats[int(head.rpartition(":")[2], 16)] = form

    # --- instructions ---------------------------------------------------------------------

    def _instruction(self, line: str) -> Instruction:
        mnemonic, _, rest = line.partition(" ")
        if "\t" in mnemonic:
            mnemonic, _, rest = line.partition("\t")
        operands: list[Operand] = []
        modifiers: dict[str, Any] = {}
        flags: set[str] = set()
        for number, piece in enumerate(_split(rest)):
            words = _words(piece)
            if number == 0 or words:
                self._pieces(mnemonic, words, operands, modifiers, flags)
        return Instruction(mnemonic, tuple(operands), modifiers, frozenset(flags), line, self._at, self._place)

    def _pieces(
        self, mnemonic: str, words: list[str], operands: list[Operand], modifiers: dict[str, Any], flags: set[str]
    ) -> None:
        """Between two commas stands an operand; behind the last one, modifiers."""
        if mnemonic.startswith(("s_waitcnt", "s_delay_alu", "s_wait_")):
            return
        for position, word in enumerate(words):
            if match := _MODIFIER.fullmatch(word):
                modifiers[match[1]] = _modifier(match[2])
            elif word in _FLAGS and (position or word not in ("scc",)):
                flags.add(word)
            else:
                operands.append(self._operand(word))

    def _operand(self, word: str) -> Operand:
        negative = absolute = extended = False
        while True:
            if word.startswith("|") and word.endswith("|") and len(word) > 2:
                absolute, word = True, word[1:-1]
            elif found := _FUNCTION.match(word):
                negative, absolute = negative or found[1] == "neg", absolute or found[1] == "abs"
                extended, word = extended or found[1] == "sext", found[2]
            elif word.startswith("-") and word[1:2] in "vsa|" and not _INTEGER.match(word):
                negative, word = True, word[1:]
            else:
                break
        marks = {"negative": negative, "absolute": absolute, "extended": extended}
        if found := _REGISTER.match(word):
            first = int(found[2] or found[3])
            last = int(found[4]) if found[4] else first
            return Operand(found[1], first, last - first + 1, half=found[5] or "", **marks)  # type: ignore[arg-type]
        if word in _SPECIAL:
            index, count = _SPECIAL[word]
            return Operand("s", index, count, **marks)  # type: ignore[arg-type]
        if found := _TTMP.match(word):
            first = int(found[1] or found[2])
            return Operand("s", 108 + first, int(found[3] or first) - first + 1)
        if word == "off":
            return Operand("o")
        if word in _NAMED:
            return Operand("n", name=word.removeprefix("src_"), **marks)  # type: ignore[arg-type]
        if word.startswith("lit(") and word.endswith(")"):
            return self._operand(word[4:-1])
        if _INTEGER.match(word):
            return Operand("k", value=int(word, 0), **marks)  # type: ignore[arg-type]
        if _FLOAT.match(word):
            return Operand("k", is_float=True, number=float(word), **marks)  # type: ignore[arg-type]
        if found := _SYMBOL.match(word):
            return Operand("y", name=found[1], value=_offset(found[3]), half=found[2] or "")
        if found := _FAR.match(word):
            # The program counter that it is added to reads zero here, as for the addresses of symbols.
            return Operand("y", name=found[1], half="abs32@lo" if found[2] == "&4294967295" else "abs32@hi")
        return Operand("y", name=word, half="expression")


# --- small readers --------------------------------------------------------------------------


def _without_comment(line: str) -> str:
    if ";" not in line and "//" not in line:
        return line
    if '"' in line:  # a string may hold anything
        at, quoted = 0, False
        while at < len(line):
            if line[at] == "\\" and quoted:
                at += 1
            elif line[at] == '"':
                quoted = not quoted
            elif not quoted and (line[at] == ";" or line.startswith("//", at)):
                return line[:at]
            at += 1
        return line
    return _COMMENT.sub("", line)


def _split(text: str) -> list[str]:
    """At commas outside of brackets."""
    found, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        if letter in "[(":
            depth += 1
        elif letter in "])":
            depth -= 1
        elif letter == "," and depth == 0:
            found.append(text[start:at].strip())
            start = at + 1
    found.append(text[start:].strip())
    return found


def _words(text: str) -> list[str]:
    """At spaces outside of brackets; a symbol keeps what is added to it."""
    text = re.sub(r"\s*([-+])\s*(?=\d)", r"\1", text) if "@" in text else text
    found, depth, start = [], 0, 0
    for at, letter in enumerate(text + " "):
        if letter in "[(":
            depth += 1
        elif letter in "])":
            depth -= 1
        elif letter == " " and depth == 0:
            if at > start:
                found.append(text[start:at])
            start = at + 1
    return found


def _modifier(text: str) -> Any:
    if text.startswith("["):
        return tuple(_modifier(part.strip()) for part in text[1:-1].split(","))
    return int(text, 0) if _INTEGER.match(text) else text


def _offset(text: str | None) -> int:
    return int(text.replace(" ", ""), 0) if text else 0


def _string(text: str) -> bytes:
    escapes = {"n": 10, "t": 9, "r": 13, "b": 8, "f": 12, "v": 11, "a": 7, '"': 34, "\\": 92, "'": 39}
    inner = text.strip()[1:-1].encode("utf-8", "surrogateescape")

    def escaped(found: re.Match[bytes]) -> bytes:
        word = found[1].decode()
        return bytes([int(word, 8) & 255 if word[0].isdigit() else escapes.get(word, ord(word))])

    return re.sub(rb"\\([0-7]{1,3}|.)", escaped, inner, flags=re.DOTALL)


def float_bits(number: float, size: int) -> int:
    """The bits of a constant in a format of so many bytes."""
    form = {2: "e", 4: "f", 8: "d"}[size]
    return int.from_bytes(struct.pack(f"<{form}", number), "little")
