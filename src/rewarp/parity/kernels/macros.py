"""Macros of a translation unit, and what the code becomes when they are expanded (Prosser's algorithm, hide sets)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.parity.kernels.tokens import Macro, Token, joined

_LARGEST = 100_000
"""Steps that one stretch of code may take; more is a macro that grows without end, or a table of data."""
_MOST_DEFINITIONS = 4
"""Definitions of one name that are tried."""


class TooLarge(Exception):
    pass


class MacroTable:
    """The macros that are defined, and which of them can matter for kernels."""

    def __init__(self, marks: frozenset[str]) -> None:
        self.definitions: dict[str, list[Macro]] = {}
        self._marks = marks | {"namespace", "host_name"}
        self.telling: set[str] = set(self._marks)
        """Names after whose expansion a kernel, or the scope of one, can stand there."""
        self._used_by: dict[str, set[str]] = {}

    def define(self, macro: Macro, *, is_sure: bool) -> None:
        known = self.definitions.get(macro.name)
        if is_sure or not known:
            self.definitions[macro.name] = [macro]
        elif all(macro.meaning != other.meaning for other in known) and len(known) < _MOST_DEFINITIONS:
            known.append(macro)
        for name in macro.names:
            self._used_by.setdefault(name, set()).add(macro.name)
        if macro.name in self._marks or not self.telling.isdisjoint(macro.names) or _is_open(macro):
            self._tell(macro.name)

    def undefine(self, name: str) -> None:
        self.definitions.pop(name, None)

    def _tell(self, name: str) -> None:
        """Note that a macro matters, and with it every macro that uses it."""
        waiting = [name]
        while waiting:
            name = waiting.pop()
            self.telling.add(name)
            waiting += self._used_by.get(name, set()) - self.telling


def _is_open(macro: Macro) -> bool:
    """Whether a macro matters whatever its names are: it pastes names, sets the linkage, or opens or closes a scope."""
    texts = [token.text for token in macro.body]
    return "##" in texts or '"C"' in texts or texts.count("{") != texts.count("}")


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
                stack += reversed(self._substituted(macro, {}, token, hidden))
                continue
            found = _arguments(stack)
            if found is None:
                out.append(token)
                continue
            arguments, close = found
            hidden = (token.hidden & close.hidden) | {macro.name}
            stack += reversed(self._substituted(macro, _bound(macro, arguments), token, hidden))
        return out

    def _substituted(
        self, macro: Macro, arguments: Mapping[str, list[Token]], call: Token, hidden: frozenset[str]
    ) -> list[Token]:
        """The body of a macro with its arguments put in, at the place of the call."""
        body = _with_optional(macro.body, bool(arguments.get("__VA_ARGS__")))
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
                _paste(
                    out,
                    right,
                    is_list=macro.is_variadic and macro.parameters is not None and after == macro.parameters[-1],
                )
                at += 2
                continue
            if token.text in arguments:
                argument = arguments[token.text]
                if after == "##":
                    # An empty operand still takes its place: `a ## b` with nothing for `a` is `b`.
                    out += argument or [token._replace(text=_EMPTY)]
                else:
                    if token.text not in expanded:
                        self._steps += len(argument)
                        expanded[token.text] = self.expand(argument)
                    out += expanded[token.text]
            else:
                out.append(token)
            at += 1
        origin = call.macro or macro.name
        return [
            Token(token.text, call.line, token.spaced, origin, token.hidden | hidden)
            for token in out
            if token.text != _EMPTY
        ]


_EMPTY = "\0"


def _paste(out: list[Token], right: list[Token], *, is_list: bool) -> None:
    if is_list and out[-1].text == ",":
        # `, ## __VA_ARGS__`: the comma goes where the list is empty.
        if right:
            out += right
        else:
            out.pop()
        return
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
            out += body[at + 2 : end]
        at = end + 1
    return out


def _arguments(stack: list[Token]) -> tuple[list[list[Token]], Token] | None:
    """The arguments of a call, taken off the stack; None, and nothing taken, where no whole call follows."""
    if not stack or stack[-1].text != "(":
        return None
    arguments: list[list[Token]] = [[]]
    depth = 1
    for at in range(len(stack) - 2, -1, -1):
        token = stack[at]
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0:
            del stack[at:]
            return arguments, token
        if token.text == "," and depth == 1:
            arguments.append([])
        else:
            arguments[-1].append(token)
    return None


def _bound(macro: Macro, arguments: list[list[Token]]) -> dict[str, list[Token]]:
    names = macro.parameters or ()
    bound = {name: arguments[at] if at < len(arguments) else [] for at, name in enumerate(names)}
    if macro.is_variadic and names:
        rest: list[Token] = []
        for argument in arguments[len(names) - 1 :]:
            rest += [*([Token(",", argument[0].line if argument else 0)] if rest else []), *argument]
        bound[names[-1]] = rest
    return bound


def _quoted(tokens: list[Token]) -> str:
    escaped = [
        token._replace(text=re.sub(r'[\\"]', r"\\\g<0>", token.text)) if token.text[-1] in "\"'" else token
        for token in tokens
    ]
    return f'"{joined(escaped)}"'
