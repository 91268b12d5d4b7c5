"""Every exception rewarp raises on purpose.

RewarpError
├── UsageError            the request itself is wrong: bad option, missing path, bad config (exit 2)
│   └── NotTaken          an address that `rewarp fleet` clones nothing from; its row says so
├── UnreadableSource      a file cannot be turned into a document; becomes a Failed outcome
│   ├── BinarySource      the bytes are not text
│   ├── DecodeError       the bytes do not decode in the encoding the file declares
│   └── ParseError        the text is not valid in its language
├── EditConflict          two edits touch the same bytes, or a span lies outside the file
├── RegistryError         a rule is declared wrongly (duplicate id, unknown kind)
├── ConditionError        a condition of CMake's that is none; LimitError: a CMake project too large to follow
├── MachineError          the emulator cannot be made here; LaunchError: a launch that the card would refuse
├── Unsupported           an instruction that the emulator does not know
├── NotBuilt              a program does not compile or link; NotCloned: a repository that cannot be cloned
└── CallError             a call of an MCP tool that came to no result

GaveUp                    not an error of the user's: one part of rewarp cannot tell, and whoever asked it says so (not read,
                          not checked, unknown). It reaches nobody else; its kinds stand beside the code that gives up.
"""

from __future__ import annotations

from collections.abc import Iterable


class RewarpError(Exception):
    """Base of all errors that rewarp raises on purpose. Its text is one line; ``more`` follows in lines of its own."""

    more: tuple[str, ...] = ()


class GaveUp(Exception):
    """One part of rewarp cannot tell; whoever asked reports that as not read, not checked or unknown."""


class UsageError(RewarpError):
    """The request cannot be carried out as asked."""

    def __init__(self, message: str, more: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.more = tuple(more)


class UnreadableSource(RewarpError):
    """A file's content cannot be turned into a document."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class BinarySource(UnreadableSource):
    """The bytes are not text."""


class DecodeError(UnreadableSource):
    """The bytes do not decode in the encoding the file declares."""


class ParseError(UnreadableSource):
    """The text is not valid in its language."""


class EditConflict(RewarpError):
    """Two edits touch the same bytes, or a span lies outside the file."""


class RegistryError(RewarpError):
    """A rule is declared wrongly."""


def did_you_mean(given: str, known: Iterable[str], before: str = "") -> str:
    """The end of a message about a word that is not known: what was probably meant, or nothing."""
    from difflib import get_close_matches  # where all is well nobody waits for it

    by_spelling = {name.lower(): name for name in known}
    word = given.lower()
    begun = [name for name in by_spelling if word and name.startswith(word)]
    close = (begun or get_close_matches(word, by_spelling))[:3]
    return f"; did you mean {' or '.join(repr(before + by_spelling[name]) for name in close)}?" if close else ""
