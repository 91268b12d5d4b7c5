"""What the preprocessor works on: tokens, stretches of code, directives, macros."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Union

BODY = "{}"
"""The token that stands for a whole function body."""
GROUP = "{...}"
"""The token for other braces: a class, a table."""
_PARAMETER = re.compile(r"\w+|\.\.\.")
_MACRO_LIKE = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]*|[A-Z]{4,}")


class Token(NamedTuple):
    """One preprocessing token."""

    text: str
    line: int
    spaced: bool = False
    """Whether blanks stand before it."""
    macro: str = ""
    """The macro in the file that wrote it; empty where the file itself did."""
    hidden: frozenset[str] = frozenset()
    """Macros that may no longer expand it."""

    @property
    def is_name(self) -> bool:
        return self.text[0].isalpha() or self.text[0] in "_$"

    @property
    def is_macro_like(self) -> bool:
        return _MACRO_LIKE.fullmatch(self.text) is not None


def joined(tokens: tuple[Token, ...] | list[Token]) -> str:
    """Tokens as text, with the blanks that stood between them."""
    return "".join((" " if token.spaced else "") + token.text for token in tokens).strip()


def names_in(tokens: tuple[Token, ...] | list[Token]) -> frozenset[str]:
    return frozenset(token.text for token in tokens if token.is_name)


class Code(NamedTuple):
    """One statement at file scope, or what directives leave of it."""

    tokens: tuple[Token, ...]
    names: frozenset[str]
    is_whole: bool
    """Whether it ends here, and opens or closes no scope."""
    is_call: bool
    """Whether it begins like the use of a macro."""


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


@dataclass(eq=False)
class Directive:
    """One preprocessor line."""

    word: str
    tokens: tuple[Token, ...]
    line: int

    @cached_property
    def text(self) -> str:
        return joined(self.tokens)

    @property
    def name(self) -> str:
        """The macro that it defines or asks for."""
        return self.tokens[0].text if self.tokens else ""

    @cached_property
    def macro(self) -> Macro | None:
        """The macro that a `#define` defines."""
        if not self.tokens or not self.tokens[0].is_name:
            return None
        name, *rest = self.tokens
        if not rest or rest[0].text != "(" or rest[0].spaced:
            return _macro(name.text, None, False, rest)
        close = next((at for at, token in enumerate(rest) if token.text == ")"), None)
        if close is None:
            return None
        names = [token.text for token in rest[1:close] if _PARAMETER.fullmatch(token.text)]
        is_variadic = names[-1:] == ["..."]
        if is_variadic:
            # `args...` names what `...` alone calls __VA_ARGS__.
            names = names[:-1] if rest[close - 2].is_name else [*names[:-1], "__VA_ARGS__"]
        return _macro(name.text, tuple(names), is_variadic, rest[close + 1 :])


def _macro(name: str, parameters: tuple[str, ...] | None, is_variadic: bool, body: list[Token]) -> Macro:
    return Macro(name, parameters, is_variadic, tuple(body), names_in(body), joined(body))


Item = Union[Code, Directive]
