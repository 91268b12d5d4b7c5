"""The body of a function as a small tree: only what decides which way ends in work, and which in an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union


@dataclass(frozen=True)
class Path:
    """A name, with what stands before it: `S::F32`, `self`, `kernels::UNARY`."""

    name: str


@dataclass(frozen=True)
class Text:
    """A string."""

    value: str


@dataclass(frozen=True)
class Field:
    value: Expression
    name: str


@dataclass(frozen=True)
class Call:
    """A function by its path."""

    line: int
    path: str
    generics: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Method:
    line: int
    receiver: Expression
    name: str
    generics: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Struct:
    name: str
    fields: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True)
class Tuple:
    items: tuple[Expression, ...]


@dataclass(frozen=True)
class Arm:
    line: int
    pattern: Pattern
    guard: Expression | None
    value: Expression
    cfg: tuple[str, ...] = ()


@dataclass(frozen=True)
class Match:
    line: int
    value: Expression
    arms: tuple[Arm, ...]


@dataclass(frozen=True)
class If:
    line: int
    condition: Expression
    then: Expression
    otherwise: Expression | None


@dataclass(frozen=True)
class Is:
    """`let PATTERN = VALUE` as a condition, `matches!`."""

    value: Expression
    pattern: Pattern


@dataclass(frozen=True)
class Binary:
    left: Expression
    operator: str
    right: Expression


@dataclass(frozen=True)
class Not:
    value: Expression


@dataclass(frozen=True)
class Let:
    line: int
    pattern: Pattern
    type: str
    value: Expression | None
    otherwise: Expression | None
    is_mutable: bool = False


@dataclass(frozen=True)
class Guarded:
    """A statement under `cfg`."""

    cfg: tuple[str, ...]
    value: Expression


@dataclass(frozen=True)
class Block:
    items: tuple[Expression, ...]
    tail: Expression | None
    functions: tuple[tuple[str, int, int, int], ...] = ()
    """Functions inside: name, line, start, end."""
    macros: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    """Macros inside: name and rules."""
    says_todo: bool = False


@dataclass(frozen=True)
class Return:
    value: Expression | None


@dataclass(frozen=True)
class Try:
    value: Expression


@dataclass(frozen=True)
class MacroCall:
    line: int
    name: str
    arguments: str


TOO_DEEP = "<nested too deep>"
"""What stands for a body that could not be read, as a macro that cannot be seen through."""


@dataclass(frozen=True)
class Closure:
    body: Expression
    is_called: bool = False
    """`(|| …)()`."""


@dataclass(frozen=True)
class Loop:
    head: Expression | None
    body: Expression
    pattern: Pattern | None = None
    """What `for` gives a name to."""
    is_endless: bool = False
    """`loop`: gone through at least once."""


@dataclass(frozen=True)
class Other:
    """Anything else, with the expressions in it."""

    parts: tuple[Expression, ...] = ()


Expression = Union[
    Path, Text, Field, Call, Method, Struct, Tuple, Match, If, Is, Binary, Not, Let, Guarded, Block, Return, Try,
    MacroCall, Closure, Loop, Other,
]  # fmt: skip


@dataclass(frozen=True)
class Anything:
    """`_`, or a name that is bound to what comes."""

    name: str = ""
    inner: Pattern | None = None
    """What stands behind `name @`."""


@dataclass(frozen=True)
class Variant:
    """`DType::F32`, `S::F32(x)`, `Foo { a, .. }`."""

    path: str
    inner: tuple[Pattern, ...] = ()


@dataclass(frozen=True)
class Literal:
    value: str


@dataclass(frozen=True)
class Several:
    """`(A, B)`."""

    items: tuple[Pattern, ...]


@dataclass(frozen=True)
class AnyOf:
    """`A | B`."""

    items: tuple[Pattern, ...]


Pattern = Union[Anything, Variant, Literal, Several, AnyOf]


def alternatives(pattern: Pattern) -> tuple[Pattern, ...]:
    """The ways in which a pattern can match."""
    if isinstance(pattern, AnyOf):
        return tuple(found for item in pattern.items for found in alternatives(item))
    if isinstance(pattern, Anything) and pattern.inner is not None:
        return alternatives(pattern.inner)
    return (pattern,)


def takes_all(pattern: Pattern) -> bool:
    """Whether it matches whatever comes."""
    return any(
        isinstance(item, Anything) or (isinstance(item, Several) and all(map(takes_all, item.items)))
        for item in alternatives(pattern)
    )
