"""The constants of a file that mean a warp's size, its log2 or a mask of lanes, and what they are fixed at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from rewarp.source import Span
from rewarp.targets.base import Target
from rewarp.waves.reading.syntax import Code
from rewarp.waves.reading.vocabulary import ALL_LANES, HALF_NAME, PLATFORM_WIDTHS, SHIFT_NAME, WIDTH_NAME

_NUMBER = rb"\(?\s{0,100}(?:\(\s*(?:unsigned|int|size_t)\s*\)\s*)?(?:(?P<power>1[uU]?\s*<<\s*5)|(?P<digits>(?:0[xX][0-9a-fA-F]+|\d+)))[uU]?[lL]{0,2}\s{0,100}\)?"
_DEFINE = re.compile(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+" + _NUMBER + rb"[ \t]*(?=[\r\n]|$)")
_ASSIGNED = re.compile(rb"\b([A-Za-z_]\w*)\s*(?:=|\{)\s*" + _NUMBER + rb"\s*(?=[;,}>)])")
_RETURNED = re.compile(
    rb"\b([A-Za-z_]\w*)\s*\(\s*(?:void)?\s*\)\s*(?:const\s*)?(?:noexcept\s*)?\{\s*return\s+" + _NUMBER + rb"\s*;\s*\}"
)
_MASK_DEFINE = re.compile(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+(" + ALL_LANES.pattern + rb")")
_WIDE_DEFINE = re.compile(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+\(?(?:0[xX][fF]{16}|~\s*0[uU]?[lL]{2})")
_MASK_ASSIGNED = re.compile(
    rb"\b(?P<type>(?:unsigned|uint32_t|int|uint|auto|int32_t)(?:\s+int)?)\s+(?:const\s+|constexpr\s+)?(?P<name>[A-Za-z_]\w*)\s*[={]\s*"
    rb"(?P<value>" + ALL_LANES.pattern + rb")\s*[;,})]"
)
_CONSTANT = re.compile(
    rb"\b(?:const|constexpr|enum|template|static)\b[^;{}]*\Z|\benum\b[^;}]*\Z|\btemplate\s*<[^;{}]*\Z"
)
_ALIAS = re.compile(
    rb"define[ \t]+(?P<macro>[A-Za-z_]\w*)[ \t]+\(?(?P<of>[A-Za-z_]\w*)\)?[ \t]*(?=\r|\n|\Z)"
    rb"|const(?:expr)?\b[^;=(){}]*?\b(?P<name>[A-Za-z_]\w*)\s*=\s*(?:\w+\s*::\s*)*(?P<is>[A-Za-z_]\w*)\s*[;,]"
)
_THREAD_MACRO = re.compile(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+\(?threadIdx\s*\.\s*x\)?[ \t]*(?=\r|\n|\Z)")
_WARP_WORDS = (b"arp", b"ARP", b"anes", b"ANES", b"avefront", b"WAVE")
_ONES_WORDS = (b"ffffffff", b"FFFFFFFF", b"~", b"-1", b"4294967295", b"UINT32_MAX", b"UINT_MAX", b"f'ff")
_GIVEN = re.compile(
    rb"(?:[={]|return|define[ \t]+\w+)[ \t(]*(?:\([a-z_ ]+\)[ \t]*)?(?:32|16|64|31|5|6|0[xX]|1[uU]?[ \t]*<<)"
)
_LOOKED_AT = 300


@dataclass(frozen=True)
class Constant:
    """A name that is given a number at one place."""

    name: bytes
    value: int
    where: Span
    is_macro: bool
    is_constant: bool
    """Declared so that it never changes: const, constexpr, an enumerator, a macro, a template parameter's default."""


class Names:
    """The constants of one file, as the target's compiler sees them."""

    def __init__(self, code: Code, target: Target, known: frozenset[str] = frozenset()) -> None:
        self.code = code
        self.target = target
        self.known = frozenset(name.encode() for name in known)
        """Names for a warp's size that other files fix at 32."""

    def _reachable(self, at: int) -> bool:
        return not self.code.document.is_dead(at, self.target)

    @cached_property
    def constants(self) -> dict[bytes, list[Constant]]:
        """Every name that is given a number, by name, unreachable ones left out."""
        found: dict[bytes, list[Constant]] = {}
        for constant in self._constants():
            found.setdefault(constant.name, []).append(constant)
        return found

    def _constants(self) -> Iterator[Constant]:
        for line in self.code.lines_with(b"32", b"<< 5", b"<<5", *_WARP_WORDS):
            if _GIVEN.search(self.code.text, *line):
                yield from self._on_line(line)

    def _on_line(self, line: Span) -> Iterator[Constant]:
        for pattern, is_macro in ((_DEFINE, True), (_ASSIGNED, False), (_RETURNED, False)):
            for match in pattern.finditer(self.code.text, *line):
                value = 32 if match["power"] else _integer(match["digits"])
                if value not in (5, 6, 16, 31, 32, 64) or not self._reachable(match.start()):
                    continue
                constant = is_macro or pattern is _RETURNED or self._is_constant(match.start())
                yield Constant(match[1], value, Span(match.start(), match.end()), is_macro, constant)

    def constants_named(self, name: bytes) -> list[Constant]:
        """Where a name, whatever it says, is given a number that may be one of lanes."""
        return [given for line in self.code.lines_with(name) for given in self._on_line(line) if given.name == name]

    def _is_constant(self, at: int) -> bool:
        text = self.code.text
        start = max(text.rfind(b";", 0, at), text.rfind(b"}", 0, at), at - _LOOKED_AT, 0)
        return _CONSTANT.search(text[start:at]) is not None

    def is_fixed(self, name: bytes, value: int) -> bool:
        """Whether a name has this value and, in this file, never another."""
        return {constant.value for constant in self.constants.get(name, ())} == {value}

    @cached_property
    def widths(self) -> frozenset[bytes]:
        """Names for a warp's size that are fixed at 32."""
        found = {
            name
            for name in self.constants
            if self.is_fixed(name, 32) and (WIDTH_NAME.fullmatch(name) or name in PLATFORM_WIDTHS)
        }
        return frozenset(found | {name for name, other in self._aliases.items() if other in found})

    def offsets_of(self, name: bytes) -> list[int]:
        """Where a name for a warp's size gets its value, or another name's."""
        alias = self._aliases.get(name)
        found = [constant.where.start for constant in self.constants.get(name, ())]
        return found if found or alias is None else self.offsets_of(alias)

    @cached_property
    def _aliases(self) -> dict[bytes, bytes]:
        """Constants that are nothing but another name for a warp's size, and that name."""
        return {
            match["macro"] or match["name"]: match["of"] or match["is"]
            for start, end in self.code.lines_with(*_WARP_WORDS)
            for match in _ALIAS.finditer(self.code.text, start, end)
            if self._reachable(match.start())
        }

    @cached_property
    def thirty_twos(self) -> frozenset[bytes]:
        """Constants of 32 whatever they are called: how they are used tells what they mean."""
        return frozenset(
            name
            for name, places in self.constants.items()
            if self.is_fixed(name, 32) and any(place.is_constant for place in places)
        )

    @cached_property
    def halves(self) -> frozenset[bytes]:
        return frozenset(name for name in self.constants if HALF_NAME.fullmatch(name) and self.is_fixed(name, 16))

    @cached_property
    def shifts(self) -> frozenset[bytes]:
        return frozenset(name for name in self.constants if SHIFT_NAME.fullmatch(name) and self.is_fixed(name, 5))

    @cached_property
    def portable(self) -> frozenset[bytes]:
        """Names for a warp's size whose value this file leaves to the platform, or to another file."""
        words = set(map(self.code.word_at, self.code.offsets_of(*_WARP_WORDS)))
        found = {word for word in words - self.widths if word in PLATFORM_WIDTHS or WIDTH_NAME.fullmatch(word)}
        return frozenset(found | {name for name, other in self._aliases.items() if other in found})

    @cached_property
    def hardware(self) -> frozenset[bytes]:
        """Those of them that no file of the project fixes at 32."""
        return self.portable - self.known

    @cached_property
    def threads(self) -> frozenset[bytes]:
        """Macros that stand for the number of a thread in its block."""
        lines = self.code.lines_with(b"threadIdx") if b"define" in self.code.text else []
        return frozenset(match[1] for line in lines for match in _THREAD_MACRO.finditer(self.code.text, *line))

    @cached_property
    def masks(self) -> dict[bytes, Span]:
        """Names with the value of 32 ones in 32 bits, and where they get it; not those that have 64 in another case."""
        found: dict[bytes, Span] = {}
        wide: set[bytes] = set()
        text = self.code.text
        for start, end in self.code.lines_with(*_ONES_WORDS):
            for match in _MASK_DEFINE.finditer(text, start, end):
                if self._reachable(match.start()):
                    found.setdefault(match[1], Span(*match.span()))
            for match in _MASK_ASSIGNED.finditer(text, start, end + 1):
                if self._reachable(match.start()):
                    found.setdefault(match["name"], Span(match.start("type"), match.end("value")))
            for match in _WIDE_DEFINE.finditer(text, start, end):
                wide.add(match[1])
        return {name: where for name, where in found.items() if name not in wide}


def _integer(digits: bytes) -> int:
    if digits[:2] in (b"0x", b"0X"):
        return int(digits, 16)
    return int(digits) if len(digits) < 12 else -1
