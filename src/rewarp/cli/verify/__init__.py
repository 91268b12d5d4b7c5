"""``rewarp verify``: is the port right? One file per subcommand; ``rewarp verify PATH`` is ``rewarp verify all PATH``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rewarp import printing
from rewarp.cli import add_subcommands, terminal
from rewarp.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from rewarp.cli.results import Leaving
    from rewarp.verify.checks import Check, Level
    from rewarp.verify.tree import Verification

EXIT_CODES = """exit codes: 0 all that was asked for was checked, and nothing failed; 1 something failed; 2 the job could not be done;
3 incomplete: something that was asked for could not be checked (--allow-unchecked lets it be)"""
_REASONS = 6
SUBCOMMANDS = ("all", "build", "machine", "run", "programs", "record", "compare", "isolation")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "verify",
        help="is the port right? static, build, machine, run, numbers; is NVIDIA untouched?",
        description="Gathers evidence that a port is right. Not checked is never passed.",
    )
    add_subcommands(parser, __name__, SUBCOMMANDS)


def show(found: Verification, reports: Mapping[str, str | None], quiet: bool, leaving: Leaving) -> None:
    """Reports to their files, and a table where nothing of them went to standard output."""
    from rewarp.report import verify as views
    from rewarp.report.console import Console

    renderers = {
        "json": lambda: views.render_json(found),
        "html": lambda: views.render_html(found),
        "junit": lambda: views.render_junit(found),
    }
    printed = terminal.write_reports(reports, renderers, quiet)
    leaving.leave(renderers["json"])
    if not quiet and not printed:
        views.show(found, Console(soft_wrap=False))


def add_allow_unchecked(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--allow-unchecked",
        action="append",
        default=[],
        metavar="LEVELS",
        help="what could not be checked on these levels is no reason for exit code 3 (static, build, machine, …; all)",
    )


def levels(words: Iterable[str], option: str) -> frozenset[Level]:
    """The levels that an option names, with commas between them or said several times."""
    from rewarp.verify.checks import Level

    known = {level.value: level for level in Level}
    named = [word.strip() for given in words for word in given.split(",") if word.strip()]
    if option == "--allow-unchecked" and "all" in named:
        return frozenset(Level)
    for word in named:
        if word not in known:
            raise UsageError(f"{option}: {word} is none of {', '.join(known)}{did_you_mean(word, known)}")
    return frozenset(known[word] for word in named)


def exit_code(
    checks: Iterable[Check],
    arguments: argparse.Namespace,
    asked: frozenset[Level] | None = None,
    *,
    quiet: bool = False,
) -> int:
    """0, 1 or 3 (``EXIT_CODES``); says what is missing. ``asked``: the levels that the caller wants; all that are there otherwise."""
    from rewarp.verify.checks import Level, Outcome, gaps

    found = list(checks)
    allowed = levels(arguments.allow_unchecked, "--allow-unchecked")
    if any(check.outcome is Outcome.FAILED for check in found):
        return 1
    missing = gaps(found, frozenset(Level) if asked is None else asked, allowed)
    nothing = not missing and not any(check.outcome is Outcome.PASSED for check in found)
    if not quiet:
        _tell_gaps(missing)
    return 3 if missing or (nothing and not allowed) else 0


def _tell_gaps(missing: list[Check]) -> None:
    """Each reason once, with how often it stands."""
    reasons: dict[tuple[str, str], int] = {}
    for check in missing:
        key = check.level.value, check.why
        reasons[key] = reasons.get(key, 0) + 1
    for (level, why), count in list(reasons.items())[:_REASONS]:
        printing.tell(f"incomplete: {level}, {count} not checked: {why}")
    if len(reasons) > _REASONS:
        printing.tell(f"incomplete: and for {len(reasons) - _REASONS} more reasons (--json has all)")
