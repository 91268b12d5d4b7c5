"""Which macros are never defined where NVIDIA's compiler builds, looked up in the tree and not believed by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache

from rewarp.lang.cpp.directives import Directive, Shape, shape
from rewarp.lang.cpp.tokens import Token, Unreadable, tokenize
from rewarp.verify.isolation.cfamily.conditions import condition
from rewarp.verify.isolation.cfamily.residue import may_reach
from rewarp.verify.isolation.file_verdict import Side
from rewarp.verify.isolation.packaging.settings import asked_for, composed
from rewarp.verify.isolation.packaging.switches import NvidiaSwitches
from rewarp.verify.isolation.roles import Role, names_amd, role_of, suffix
from rewarp.verify.isolation.tree import Trees

COMPILER = re.compile(
    r"__HIP__|__HIPCC__|__HIP_PLATFORM_(?:AMD|HCC|SPIRV)__|__HIP_DEVICE_COMPILE__|__HIPCC_RTC__|__HCC__"
    r"|__AMDGCN__|__AMDGPU__|__AMDGCN_WAVEFRONT_SIZE(?:__)?|__AMD__|__gfx\w+__|__GFX\d+__"
)
"""Macros that only AMD's compiler and HIP's headers define."""
_DEFINED = re.compile(rb"(?:define|undef)(?=(?:\s|/\*(?:[^*]|\*(?!/)){0,1000}\*/)*(?:(\w+)|(/\*)))")
"""A name after ``define``; or a comment there that is too long to be looked through."""
_GLUED = (Token("mark", "##", 0, False),)


@lru_cache(maxsize=4096)
def _shaped(data: bytes, raw_strings: bool) -> Shape:
    # The same bytes are asked for again and again.
    return shape(tokenize(data, raw_strings))


def shape_of(path: str, data: bytes) -> Shape:
    """The shape of a file of that name."""
    return _shaped(data, suffix(path) != ".c")


def _defined_in(data: bytes) -> frozenset[bytes] | None:
    """The names that a file may define or undefine; None where they cannot be told."""
    found = list(_DEFINED.finditer(data.replace(b"\\\r\n", b"").replace(b"\\\n", b"")))
    return None if any(match[2] for match in found) else frozenset(match[1] for match in found)


class _State(Enum):
    """What is certain about a macro; the most certain first."""

    OFF = "never defined"
    ZERO = "0 wherever it stands for a number"
    ON = "nothing is certain"


class NvidiaMacros:
    """What is certain about macros on one side of a change."""

    def __init__(self, trees: Trees, side: Side, switches: NvidiaSwitches) -> None:
        self._trees, self._side, self._switches = trees, side, switches
        self._states: dict[str, _State] = {}
        self._unsettled: set[str] | None = None
        self._operands: dict[str, bool] = {}
        self._texts: dict[str, bool] = {}
        self._defined: dict[str, frozenset[bytes] | None] = {}
        self.doubts: dict[str, str] = {}
        """Names that look like AMD's, and why they could not be taken as undefined."""

    # --- never defined, or only to 0 --------------------------------------------------------

    def is_off(self, name: str) -> bool:
        return self._state(name) is _State.OFF

    def is_zero(self, name: str) -> bool:
        return self._state(name) is not _State.ON

    def _state(self, name: str) -> _State:
        if name not in self._states:
            if not _is_of_amd(name):
                return _State.ON
            self._states[name] = _State.OFF
            if self._unsettled is None:
                self._settle(name)
            else:
                self._unsettled.add(name)
        return self._states[name]

    def _settle(self, name: str) -> None:
        """Find the names that nothing can define as long as all of them are undefined at first.

        What stands below `#ifdef NAME` cannot be what first defines it; so all are taken as undefined, and whenever
        one turns out not to be, those that may rest on it are looked at again."""
        self._unsettled, settled = {name}, set[str]()
        while self._unsettled:
            current = min(self._unsettled)
            self._unsettled.discard(current)
            state, doubt = self._seen(current)
            if doubt:
                self.doubts[current] = doubt
            if state is self._states[current]:
                settled.add(current)
            else:
                self._states[current] = state
                self._unsettled |= settled | ({current} if state is _State.ZERO else set())
                settled.clear()
        self._unsettled = None
        for known in sorted(settled):
            if self._states[known] is not _State.ON and not COMPILER.fullmatch(known):
                self._trees.assume(f"An NVIDIA build is not given the macro {known} on the command line.")

    def _seen(self, name: str) -> tuple[_State, str]:
        """What the files say about a name as long as the states found so far hold, and where."""
        state, doubt = self._states[name], ""
        for worse, why in self._definitions(name):
            if worse is _State.ON:
                return worse, why
            state, doubt = worse, why
        return state, doubt

    def _definitions(self, name: str) -> Iterator[tuple[_State, str]]:
        """Places that could define it where NVIDIA's compiler builds."""
        if why := composed(name, self._trees, self._side):
            yield _State.ON, why
        for path in self._trees.containing(name, self._side):
            role = role_of(path)
            if role is not Role.C:
                yield from self._set_by_template(name, path)
                yield from ((_State.ON, why) for why in self._set_by_build(name, path, role))
                continue
            if not self._may_define(path, name):
                continue
            found = self._shape(path)
            if found is None:
                yield _State.ON, f"{path} speaks of it and cannot be read with certainty"
                continue
            for place in found.definitions.get(name, ()):
                if place.directive.word == "define" and may_reach(place.around, self):
                    zero = condition("if", place.directive.tokens[1:], self) == 0
                    yield _State.ZERO if zero else _State.ON, f"defined at {path}:{place.directive.line}"

    def _set_by_template(self, name: str, path: str) -> Iterator[tuple[_State, str]]:
        """`#cmakedefine NAME` defines it where a switch of that name is on; `#cmakedefine01` always does."""
        data = self._trees.read(path, self._side) or b""
        for match in re.finditer(rb"^[ \t]*#[ \t]*cmakedefine(01)?[ \t]+" + name.encode() + rb"\b", data, re.M):
            off = self._switches.is_off(name)
            if match[1] or not off:
                yield _State.ZERO if off else _State.ON, f"defined by {path}"

    def _set_by_build(self, name: str, path: str, role: Role) -> Iterator[str]:
        data = self._trees.read(path, self._side)
        if role is Role.CMAKE and self._switches.is_passed_by(path):
            return
        if role is Role.CMAKE:
            yield from (f"{path}:{line} may define it" for line in self._switches.live_lines(data, name))
        else:
            yield from asked_for(name, path, self._trees, self._side)

    def live_definitions(self, name: str) -> list[tuple[str, int]]:
        """Where NVIDIA's compiler may see it defined, or its definition taken back."""
        return [(path, directive.line) for path, directive in self._live(name)]

    def is_defined_alike(self, name: str) -> bool:
        """Whether NVIDIA's compiler finds one definition, wherever it finds one, and none is taken back."""
        found = [directive for _, directive in self._live(name)]
        texts = {tuple((t.kind, t.text, t.spaced) for t in directive.tokens) for directive in found}
        return len(texts) == 1 and all(directive.word == "define" for directive in found)

    def _live(self, name: str) -> Iterator[tuple[str, Directive]]:
        for path in self._trees.containing(name, self._side):
            if self._may_define(path, name) and (found := self._shape(path)):
                for place in found.definitions.get(name, ()):
                    if may_reach(place.around, self):
                        yield path, place.directive

    def _may_define(self, path: str, name: str) -> bool:
        """Whether it is worth the tokens: most files only ask about a macro."""
        if path not in self._defined:
            data = self._trees.read(path, self._side)
            self._defined[path] = None if data is None else _defined_in(data)
        names = self._defined[path]
        return names is None or name.encode() in names

    def _shape(self, path: str) -> Shape | None:
        data = self._trees.read(path, self._side)
        try:
            return None if data is None or role_of(path) is not Role.C else shape_of(path, data)
        except Unreadable:
            return None

    # --- what a name expands to -----------------------------------------------------------

    def definitions(self, name: str) -> list[tuple[Token, ...]]:
        """Every replacement that the tree gives a macro; a file that speaks of it and cannot be read counts as a
        bad one."""
        found: list[tuple[Token, ...]] = []
        for path in self._trees.containing(name, self._side):
            if role_of(path) is not Role.C or not self._may_define(path, name):
                continue
            file = self._shape(path)
            if file is None:
                found.append(_GLUED)
            for place in file.definitions.get(name, ()) if file else ():
                if place.directive.word == "define":
                    found.append(place.directive.tokens[1:])
        return found

    def is_operand(self, name: str) -> bool:
        if name not in self._operands:
            self._operands[name] = False
            self._operands[name] = all(self._is_one_operand(tokens) for tokens in self.definitions(name))
        return self._operands[name]

    def _is_one_operand(self, tokens: tuple[Token, ...]) -> bool:
        """A number, a name, or something wholly in parentheses; or nothing, which is an error in a condition."""
        if any(token.kind == "word" and not self.is_operand(token.text) for token in tokens):
            return False
        if len(tokens) <= 1:
            return all(token.kind in ("number", "word") for token in tokens)
        return _is_wrapped(tokens)

    def becomes_text(self, name: str) -> bool:
        """Whether it may be a macro that turns its arguments into text, or glues them to something."""
        if name not in self._texts:
            self._texts[name] = True  # a macro that leads back to itself is not worth the trouble
            self._texts[name] = self._found_text(name)
        return self._texts[name]

    def _found_text(self, name: str) -> bool:
        replacements = self.definitions(name)
        if not replacements:  # from outside the tree: there, macros are written in capitals
            return name == "assert" or bool(re.fullmatch(r"(?!__VA_)_*[A-Z][A-Z0-9_]*", name))
        tokens = [token for replacement in replacements for token in replacement]
        return any(
            token.text in ("#", "##") or (token.kind == "word" and token.text != name and self.becomes_text(token.text))
            for token in tokens
        )


def _is_of_amd(name: str) -> bool:
    return bool(COMPILER.fullmatch(name)) or (not name.startswith("__") and names_amd(name))


def _is_wrapped(tokens: tuple[Token, ...]) -> bool:
    """The parenthesis that opens it closes it."""
    depth = 0
    for at, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0 and at < len(tokens) - 1:
            return False
    return tokens[-1].text == ")" and depth == 0
