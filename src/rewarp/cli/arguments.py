"""The parser of every command: options are spelt out, and what is not known is answered by what was probably meant."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from rewarp.errors import UsageError, did_you_mean
from rewarp.escape import visible


def add_no_plugins(parser: argparse._ActionsContainer) -> None:
    """For every command that asks rules or log dialects."""
    parser.add_argument("--no-plugins", action="store_true", help="leave out what other packages add (docs/plugins.md)")


_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def size_of(option: str, text: str) -> int:
    """The bytes that an option names."""
    found = _SIZE.fullmatch(text.strip())
    if not found or not float(found[1]):
        raise UsageError(f"{option} {text}: a size is expected, such as 512M or 4G")
    return int(float(found[1]) * _UNITS[found[2].upper()])


class Parser(argparse.ArgumentParser):
    """Subcommands get parsers of this kind too."""

    def __init__(self, *positional: Any, **named: Any) -> None:
        # An abbreviation would change its meaning, or lose it, with the next option that begins alike.
        super().__init__(*positional, **{"allow_abbrev": False, **named})
        self.suggest_on_error = False
        """Python's own suggestions, from 3.14 on: once is enough."""
        self.behind: str | None = None
        """What the words behind a ``--`` are called, where they are for somebody else."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Nothing stays unknown: a subcommand answers for its own options, before it misses anything else."""
        given = sys.argv[1:] if args is None else list(args)
        if self.behind and "--" in given:
            at = given.index("--")
            found, left = self.parse_known_args(given[:at], namespace)
            setattr(found, self.behind, given[at + 1 :])
            return found, left
        self._refuse(self._unknown(given))
        found, left = super().parse_known_args(given, namespace)
        self._refuse(left)
        return found, left

    def _print_message(self, message: str, file: Any = None) -> None:
        """Help that cannot be written is an error like any other; argparse's own would pass over it."""
        if message:
            file.write(message)
            file.flush()

    def error(self, message: str) -> NoReturn:
        """What is wrong with the arguments, which it quotes as they are."""
        super().error(visible(message))

    def _unknown(self, given: Sequence[str]) -> list[str]:
        """Long options that this parser does not have; those behind a subcommand are the subcommand's."""
        found = []
        for word in given:
            if word == "--" or (self._subparsers is not None and not word.startswith("-")):
                break
            # What holds a blank is a value, as argparse sees it.
            if word.startswith("--") and " " not in word and word.partition("=")[0] not in self._option_string_actions:
                found.append(word)
        return found

    def _refuse(self, words: Sequence[str]) -> None:
        if words:
            first = next((word for word in words if word.startswith("-")), "").partition("=")[0]
            options = [name for name in self._option_string_actions if name.startswith("--")]
            hint = did_you_mean(f"--{first.lstrip('-')}", options) if len(first) > 2 else ""
            self.error(f"unrecognized arguments: {' '.join(words)}{hint}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            hint = did_you_mean(str(value), map(str, action.choices or ()))
            raise argparse.ArgumentError(action, f"{error.message}{hint}") from None
