"""Macros, and what code becomes when they are expanded (Prosser's algorithm, hide sets)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rewarp.errors import GaveUp
from rewarp.lang.cpp.tokens import Token, joined, names_in

_LARGEST = 100_000
"""Steps that one stretch of code may take; more is a macro that grows without end, or a table of data."""
_MOST_DEFINITIONS = 4
"""Definitions of one name that are tried."""
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


class TooLarge(GaveUp):
    pass


class Macro(NamedTuple):
    name: str
    parameters: tuple[str, ...] | None
    """None for a macro without parentheses."""
    is_variadic: bool
    body: tuple[Token, ...]
    names: frozenset[str]
    """The names in its body."""
    text: str

    @property
    def meaning(self) -> tuple[tuple[str, ...] | None, str]:
        """What two definitions that are the same share."""
        return self.parameters, self.text


def read_macro(tokens: Sequence[Token]) -> Macro | None:
    """The macro that the tokens after ``#define`` define; None where no compiler would take them."""
    if not tokens or not tokens[0].is_name:
        return None
    name, rest = tokens[0].text, tuple(tokens[1:])
    if not rest or rest[0].text != "(" or rest[0].spaced:
        return Macro(name, None, False, rest, names_in(rest), joined(rest))
    close = next((at for at, token in enumerate(rest) if token.text == ")"), None)
    if close is None:
        return None
    inner = [token.text for token in rest[1:close]]
    is_variadic = inner[-1:] == ["..."]
    if is_variadic and (inner := inner[:-1])[-1:] in ([], [","]):
        inner.append("__VA_ARGS__")  # `args...` has a name of its own
    names, body = tuple(inner[::2]), rest[close + 1 :]
    if inner[1::2] != [","] * (max(len(names), 1) - 1) or not all(map(_NAME.fullmatch, names)):
        return None
    return Macro(name, names, is_variadic, body, names_in(body), joined(body))


class MacroTable:
    """The macros that are defined. One that is defined differently under conditions that nobody decided has several
    definitions."""

    def __init__(self) -> None:
        self.definitions: dict[str, list[Macro]] = {}
        self.unsure: set[str] = set()
        """Names of which it is not known whether they are defined."""

    def define(self, macro: Macro, *, is_sure: bool) -> None:
        known = self.definitions.get(macro.name)
        if is_sure or not known:
            self.definitions[macro.name] = [macro]
        elif all(macro.meaning != other.meaning for other in known) and len(known) < _MOST_DEFINITIONS:
            known.append(macro)
        if is_sure:
            self.unsure.discard(macro.name)
        elif not known:
            self.unsure.add(macro.name)

    def undefine(self, name: str, *, is_sure: bool) -> None:
        if is_sure:
            self.definitions.pop(name, None)
            self.unsure.discard(name)
        elif name in self.definitions:
            self.unsure.add(name)

    def sure(self, names: frozenset[str]) -> dict[str, list[Macro]]:
        """Those of the names, and of the names that they lead to, that have one definition and surely that."""
        found: dict[str, list[Macro]] = {}
        waiting = [*names]
        while waiting:
            name = waiting.pop()
            known = self.definitions.get(name)
            if known and len(known) == 1 and name not in self.unsure and name not in found:
                found[name] = known
                waiting += known[0].names
        return found


class Expansion:
    """One expansion of a stretch of code. ``choice`` says which definition to take of a macro that has several."""

    def __init__(self, macros: Mapping[str, list[Macro]], choice: int = 0) -> None:
        self.macros = macros
        self.choice = choice
        self.alternatives = 1
        """How many definitions the macro with the most of them had, of those met."""
        self._steps = 0

    def expand(self, tokens: list[Token] | tuple[Token, ...]) -> list[Token]:
        out: list[Token] = []
        stack = list(reversed(tokens))
        while stack:
            self._steps += 1
            if self._steps > _LARGEST:
                raise TooLarge
            token = stack.pop()
            definitions = self.macros.get(token.text)
            if not definitions or token.text in token.hidden:
                out.append(token)
                continue
            self.alternatives = max(self.alternatives, len(definitions))
            macro = definitions[min(self.choice, len(definitions) - 1)]
            if macro.parameters is None:
                hidden = token.hidden | {macro.name}
                _push(stack, token, self._substituted(macro, {}, token, hidden))
                continue
            found = _arguments(stack)
            if found is None:
                out.append(token)
                continue
            arguments, commas, close = found
            hidden = (token.hidden & close.hidden) | {macro.name}
            _push(stack, token, self._substituted(macro, _bound(macro, arguments, commas), token, hidden))
        return out

    def _substituted(
        self, macro: Macro, arguments: Mapping[str, list[Token]], call: Token, hidden: frozenset[str]
    ) -> list[Token]:
        """The body of a macro with its arguments put in, at the place of the call."""
        body: Sequence[Token] = macro.body
        if "__VA_OPT__" in macro.names and macro.parameters:
            body = _with_optional(macro.body, bool(self.expand(arguments.get(macro.parameters[-1], []))))
        expanded: dict[str, list[Token]] = {}
        out: list[Token] = []
        at = 0
        while at < len(body):
            token = body[at]
            after = body[at + 1].text if at + 1 < len(body) else ""
            if token.text == "#" and after in arguments:
                out.append(token._replace(text=_quoted(arguments[after])))
                at += 2
                continue
            if token.text == "##" and out and at + 1 < len(body):
                right = arguments.get(after, [body[at + 1]])
                is_list = macro.is_variadic and macro.parameters is not None and after == macro.parameters[-1]
                if is_list and out[-1].text == ",":
                    # `, ## __VA_ARGS__`: the comma goes where no list is given; an empty one keeps it.
                    out[-1:] = [out[-1], *right] if _NO_LIST not in arguments else []
                else:
                    _paste(out, right)
                at += 2
                continue
            if token.text in arguments:
                argument = arguments[token.text]
                if after != "##":
                    if token.text not in expanded:
                        self._steps += len(argument)
                        expanded[token.text] = self.expand(argument)
                    argument = expanded[token.text]
                # An empty one still takes its place: `a ## b` with nothing for `a` is `b`, blanks before it stay.
                out += _spaced_like(token, argument) or [token._replace(text=_EMPTY)]
            else:
                out.append(token)
            at += 1
        origin = call.macro or macro.name
        found: list[Token] = []
        spaced = False
        for token in out:
            if token.text != _EMPTY:
                found.append(
                    Token(token.kind, token.text, call.line, token.spaced or spaced, origin, token.hidden | hidden)
                )
            spaced = token.text == _EMPTY and (token.spaced or spaced)
        return found


def _spaced_like(place: Token, tokens: list[Token]) -> list[Token]:
    """Tokens put in the place of one: before the first stand the blanks that stood there."""
    if not tokens or tokens[0].spaced == place.spaced:
        return tokens
    return [tokens[0]._replace(spaced=place.spaced), *tokens[1:]]


def _push(stack: list[Token], call: Token, tokens: list[Token]) -> None:
    """What a macro became, to be read on from."""
    if tokens:
        stack += reversed(_spaced_like(call, tokens))
    elif call.spaced and stack and not stack[-1].spaced:
        stack[-1] = stack[-1]._replace(spaced=True)


_EMPTY = "\0"
_NO_LIST = "\0..."
"""The argument that says that none were given for ``...``."""


def _paste(out: list[Token], right: list[Token]) -> None:
    left = out.pop()
    if not right:
        out.append(left)
        return
    text = (left.text + right[0].text).replace(_EMPTY, "") or _EMPTY
    out.append(left._replace(text=text, hidden=left.hidden & right[0].hidden))
    out += right[1:]


def _with_optional(body: tuple[Token, ...], has_list: bool) -> list[Token]:
    """The body with `__VA_OPT__(…)` decided."""
    out: list[Token] = []
    at = 0
    while at < len(body):
        if body[at].text != "__VA_OPT__" or at + 1 >= len(body) or body[at + 1].text != "(":
            out.append(body[at])
            at += 1
            continue
        depth, end = 0, at + 1
        while end < len(body):
            depth += (body[end].text == "(") - (body[end].text == ")")
            if depth == 0:
                break
            end += 1
        if has_list:
            out += _spaced_like(body[at], list(body[at + 2 : end]))
        at = end + 1
    return out


def _arguments(stack: list[Token]) -> tuple[list[list[Token]], list[Token], Token] | None:
    """The arguments of a call, the commas between them and its end, taken off the stack; None, and nothing taken, where
    no whole call follows."""
    if not stack or stack[-1].text != "(":
        return None
    arguments: list[list[Token]] = [[]]
    commas: list[Token] = []
    depth = 1
    for at in range(len(stack) - 2, -1, -1):
        token = stack[at]
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0:
            del stack[at:]
            return arguments, commas, token
        if token.text == "," and depth == 1:
            arguments.append([])
            commas.append(token)
        else:
            arguments[-1].append(token)
    return None


def _bound(macro: Macro, arguments: list[list[Token]], commas: list[Token]) -> dict[str, list[Token]]:
    names = macro.parameters or ()
    bound = {name: arguments[at] if at < len(arguments) else [] for at, name in enumerate(names)}
    if macro.is_variadic and names:
        first = len(names) - 1
        rest = list(arguments[first]) if first < len(arguments) else []
        for comma, argument in zip(commas[first:], arguments[first + 1 :]):
            rest += [comma, *argument]
        bound[names[-1]] = rest
        if len(arguments) < len(names) or (len(names) == 1 and arguments == [[]]):
            bound[_NO_LIST] = []
    return bound


def _quoted(tokens: list[Token]) -> str:
    escaped = [
        token._replace(text=re.sub(r'[\\"]', r"\\\g<0>", token.text)) if token.text[-1] in "\"'" else token
        for token in tokens
    ]
    return f'"{joined(escaped)}"'
