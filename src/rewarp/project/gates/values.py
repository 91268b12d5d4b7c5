"""What an expression is on a platform, as far as that can be known without running it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Value:
    """The value of an expression: the very value, or only whether it counts as true, or neither."""

    truth: bool | None = None
    """None: either, or not known."""
    known: bool = False
    value: object = None
    """The very value, where ``known``."""
    is_text: bool = False
    """A text that is not empty; which one need not be known."""
    of_platform: bool = False
    """The platform decides it, and not a constant that someone may set otherwise."""
    by_name: bool = False
    """Somewhere on the way a name was believed, because what it stands for could not be followed."""
    why: tuple[str, ...] = field(default=(), compare=False)
    """How it was found, the last step first."""

    @classmethod
    def of(cls, value: object, of_platform: bool = False, why: str = "") -> Value:
        text = isinstance(value, str) and bool(value)
        return cls(bool(value), True, value, text, of_platform, why=(why,) if why else ())

    def negated(self) -> Value:
        if self.truth is None:
            return UNKNOWN
        return replace(self, truth=not self.truth, known=True, value=not self.truth, is_text=False)

    def by(self, *others: Value) -> Value:
        """The same, reached through these."""
        return replace(
            self,
            of_platform=self.of_platform or any(other.of_platform for other in others),
            by_name=self.by_name or any(other.by_name for other in others),
            why=self.why + tuple(step for other in others for step in other.why if step not in self.why),
        )

    def through(self, step: str) -> Value:
        return replace(self, why=(step, *self.why))

    def same(self, other: Value) -> bool:
        return self.known and other.known and type(self.value) is type(other.value) and self.value == other.value


UNKNOWN = Value()
ARGUMENT = Value(why=("a parameter",))
"""What a caller gives: its name says nothing."""


def joined(values: Iterable[Value]) -> Value:
    """What is true of all of them."""
    every = list(values)
    if not every:
        return UNKNOWN
    first = every[0]
    if all(first.same(other) for other in every[1:]) and (first.known or len(every) == 1):
        return first.by(*every[1:])
    if first.truth is not None and all(other.truth is first.truth for other in every):
        return Value(first.truth, is_text=all(other.is_text for other in every)).by(*every)
    return UNKNOWN
