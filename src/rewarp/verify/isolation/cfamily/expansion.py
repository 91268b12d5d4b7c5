"""Macros that a change brought: expanded where they are used, so that what they stand for can be compared.

Only a macro that no file had heard of before, with one definition on NVIDIA's side (or the same in several files), plain
enough that to expand it first changes nothing about how other macros expand.
"""

from __future__ import annotations

import posixpath
import re

from rewarp.lang.cpp.directives import Directive
from rewarp.lang.cpp.macros import Macro
from rewarp.lang.cpp.tokens import Token
from rewarp.tables import cuda
from rewarp.verify.isolation.cfamily.includes import outside_roots
from rewarp.verify.isolation.cfamily.macros import NvidiaMacros
from rewarp.verify.isolation.tree import Trees

# A header from outside may use any name; in capitals, with a first part that is no library's, it hardly will.
_NAME = re.compile(
    r"(?!(?:AT|BOOST|C10|CU|CUB|CUDA|CUDART|CUTLASS|GLOG|GTEST|NCCL|NV|NVTX|PY|PYBIND11|STD|THRUST|TORCH)_)"
    r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|rewarp_\w+"
)
_DISPATCH = re.compile(r"AT_DISPATCH_(?:ALL|FLOATING|INTEGRAL|COMPLEX)_TYPES(?:_AND_(?:HALF|COMPLEX))?")
"""torch's: of their arguments the first is a value in every version, and the second, a name, was text once."""
_ROUNDS = 40
_LARGEST = 200_000


def new_macro(node: Directive, trees: Trees, macros: NvidiaMacros) -> Macro | None:
    """The macro that a ``#define`` brings, where nothing but its own uses can notice it."""
    macro = _read(node)
    if macro is None or not _NAME.fullmatch(macro.name) or trees.containing(macro.name, "before"):
        return None
    places = macros.live_definitions(macro.name)
    if cuda.twin(macro.name.encode()) or not macros.is_defined_alike(macro.name):
        return None
    if any(_is_for_outside(macro.name, path, trees) for path, _ in places):
        return None
    trees.assume(f"No header from outside the project uses the name {macro.name}.")
    return macro


def _is_for_outside(name: str, path: str, trees: Trees) -> bool:
    """A macro that is named after a library, or that no code of the project uses and that is not named after its own
    header, is there to set something elsewhere."""
    libraries = {root.upper().replace("-", "_") for root in outside_roots(trees)}
    parts = name.split("_")
    if any("_".join(parts[:number]) in libraries for number in range(1, len(parts))):
        return True
    if parts[0].lower() == re.split(r"[_.-]", posixpath.basename(path).lower())[0]:
        return False
    return not any(_uses(name, trees.read(path, "after") or b"") for path in trees.containing(name, "after"))


def _uses(name: str, data: bytes) -> bool:
    word = re.escape(name.encode())
    rest = re.sub(rb"//[^\n]*|/\*.*?\*/|#[ \t]*(?:define|undef)[ \t]+" + word + rb"\b", b"", data, flags=re.S)
    return bool(re.search(rb"\b" + word + rb"\b", rest))


def _read(node: Directive) -> Macro | None:
    macro = node.macro
    if macro is None or macro.is_variadic or not all(re.fullmatch(r"[A-Za-z]\w*", n) for n in macro.parameters or ()):
        return None
    return None if any(token.text in ("#", "##", macro.name) for token in macro.body) else macro


class Expander:
    """Expands the macros that are visible so far."""

    def __init__(self, macros: NvidiaMacros) -> None:
        self.visible: dict[str, Macro] = {}
        self._macros = macros

    def code(self, tokens: list[Token]) -> list[Token]:
        """A stretch of code between two directives."""
        if not any(token.text in self.visible for token in tokens):
            return tokens
        return self._expanded(tokens, frozenset())

    def definition(self, node: Directive) -> Directive:
        """The body of another macro, where expanding it there or later comes to the same."""
        own = _read(node)
        if own is None or not any(token.text in self.visible for token in own.body):
            return node
        head = node.tokens[: len(node.tokens) - len(own.body)]
        body = self._expanded(list(own.body), frozenset(own.parameters or ()))
        return Directive(node.word, (*head, *body), node.line)

    def _expanded(self, tokens: list[Token], untouchable: frozenset[str]) -> list[Token]:
        for _ in range(_ROUNDS):
            done = self._once(tokens, untouchable)
            if done == tokens or len(done) > _LARGEST:
                break
            tokens = done
        return tokens

    def _once(self, tokens: list[Token], untouchable: frozenset[str]) -> list[Token]:
        found: list[Token] = []
        calls: list[bool] = []  # for each open parenthesis: whether a macro may turn what is in it into text
        dispatches: list[bool] = []  # and whether it is torch's dispatch, still at its first argument
        at = 0
        while at < len(tokens):
            token = tokens[at]
            macro = self.visible.get(token.text) if token.kind == "word" and not any(calls) else None
            replaced = self._replaced(macro, tokens, at, untouchable) if macro else None
            if replaced:
                body, at = replaced
                found += body
                continue
            if token.text == "(":
                before = tokens[at - 1] if at else None
                is_text = bool(before and before.kind == "word" and self._macros.becomes_text(before.text))
                of_torch = bool(before and is_text and self._is_dispatch(before.text))
                calls.append(is_text and not of_torch)
                dispatches.append(of_torch)
            elif token.text == "," and dispatches and dispatches[-1]:
                calls[-1] = True
            elif token.text == ")" and calls:
                calls.pop()
                dispatches.pop()
            found.append(token)
            at += 1
        return found

    def _is_dispatch(self, name: str) -> bool:
        return bool(_DISPATCH.fullmatch(name)) and not self._macros.definitions(name)

    @staticmethod
    def _replaced(
        macro: Macro, tokens: list[Token], at: int, untouchable: frozenset[str]
    ) -> tuple[list[Token], int] | None:
        """What a use stands for, and where the code goes on after it."""
        if macro.parameters is None:
            return _spaced_like(tokens[at], [token._replace(line=tokens[at].line) for token in macro.body]), at + 1
        arguments, end = _arguments(tokens, at + 1)
        if arguments is None or any(token.text in untouchable for argument in arguments for token in argument):
            return None
        if len(arguments) != len(macro.parameters) and not (not macro.parameters and arguments == [[]]):
            return None
        given = dict(zip(macro.parameters, arguments))
        body: list[Token] = []
        for token in macro.body:
            body += given[token.text] if token.text in given else [token._replace(line=tokens[at].line)]
        return _spaced_like(tokens[at], body), end


def _spaced_like(name: Token, body: list[Token]) -> list[Token]:
    """White space before what a macro stands for is what stood before its name."""
    return [body[0]._replace(spaced=name.spaced), *body[1:]] if body else []


def _arguments(tokens: list[Token], at: int) -> tuple[list[list[Token]] | None, int]:
    if at >= len(tokens) or tokens[at].text != "(":
        return None, at
    found: list[list[Token]] = [[]]
    depth = 0
    for end in range(at, len(tokens)):
        text = tokens[end].text
        depth += {"(": 1, ")": -1}.get(text, 0)
        if depth == 0:
            return found, end + 1
        if text == "," and depth == 1:
            found.append([])
        elif end > at:
            found[-1].append(tokens[end])
    return None, at
