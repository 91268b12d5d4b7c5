"""``rewarp scan PATH``: will it run on AMD (or Gaudi), and what must change?"""

from __future__ import annotations

import argparse
import importlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp import config as configs
from rewarp.cli import terminal
from rewarp.cli.arguments import add_no_plugins
from rewarp.errors import UsageError
from rewarp.findings import Severity
from rewarp.printing import tell

if TYPE_CHECKING:
    from rewarp.api import ScanReport

_FORMATS = ("json", "sarif", "markdown", "html")
_EPILOG = """exit codes: 0 nothing at or above --fail-on that counts; 1 findings at or above it;
2 the job could not be done: bad arguments, or a file of the package that could not be read or parsed"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "scan",
        help="will it run on AMD (or Gaudi), and what must change?",
        description="Reads a repository and says what stands between it and the target. Runs nothing of it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", nargs="?", help="a folder or a file (default: this folder)")
    target = parser.add_argument_group("target")
    target.add_argument("--target", choices=["rocm", "gaudi"], help="where the code is to run (default: rocm)")
    target.add_argument("--torch", metavar="VERSION", help="torch version there; narrows version-dependent rules")
    target.add_argument("--rocm", metavar="VERSION", help="ROCm version there")
    target.add_argument("--arch", metavar="GFX", help="GPU architecture there, for example gfx942")
    what = parser.add_argument_group("what to look at")
    what.add_argument("--exclude", action="append", metavar="GLOB", help="leave out paths (repeatable)")
    what.add_argument("--ignore", action="append", metavar="RULE", help="leave out a rule (repeatable)")
    what.add_argument("--diff", metavar="BASE", help="only lines changed since a git revision")
    what.add_argument("--baseline", metavar="FILE", help="only findings that this baseline does not hold")
    what.add_argument("--write-baseline", metavar="FILE", help="store today's findings as a baseline")
    what.add_argument("--max-size", type=float, metavar="MB", help="skip larger files (default: 5)")
    output = parser.add_argument_group("output (each format goes to FILE, or to standard output without one)")
    for name in _FORMATS:
        output.add_argument(f"--{name}", nargs="?", const="-", metavar="FILE", help=f"write {name}")
    output.add_argument("--by", choices=["rule", "file"], default="rule", help="grouping on the terminal")
    output.add_argument("--all", action="store_true", help="show every finding and place on the terminal")
    output.add_argument(
        "--min-severity",
        choices=[severity.value for severity in Severity if severity is not Severity.WORKS],
        default=Severity.PERF.value,
        metavar="SEVERITY",
        help="show findings from this one on: info, perf (default), wrong-result, build-fail, crash",
    )
    output.add_argument(
        "--fail-on",
        choices=list(configs.FAIL_ON),
        metavar="LEVEL",
        help=f"one of {', '.join(configs.FAIL_ON)} (default: error)",
    )
    output.add_argument("-q", "--quiet", action="store_true", help="no progress, no terminal report")
    work = parser.add_argument_group("work")
    work.add_argument("-j", "--jobs", type=int, metavar="N", help="processes (default: all cores)")
    work.add_argument("--no-cache", action="store_true", help="do not use or fill the cache of earlier scans")
    add_no_plugins(work)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp import api, baseline

    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError("--jobs must be at least 1")
    reports = {name: getattr(arguments, name) for name in _FORMATS}
    root = Path(terminal.tell_path_from_reports(arguments.path, reports) or ".")
    if not os.path.lexists(root):
        raise UsageError(f"{root} does not exist")
    config = _settings(arguments, configs.load(root))
    with terminal.progress_bar("scanning", arguments.quiet) as progress:
        report = api.scan(
            root,
            config=config,
            jobs=arguments.jobs,
            use_cache=not arguments.no_cache,
            diff=arguments.diff,
            progress=progress,
        )
    if arguments.write_baseline:
        count = baseline.write(Path(arguments.write_baseline), report.findings)
        tell(f"{arguments.write_baseline}: {count} findings")
    _write(arguments, reports, report)
    if report.unread:
        return 2
    threshold = configs.FAIL_ON[config.fail_on]
    return 1 if threshold is not None and report.at_least(threshold) and not arguments.write_baseline else 0


def _settings(arguments: argparse.Namespace, config: configs.Config) -> configs.Config:
    """The command line over pyproject.toml; lists add up."""
    given = {
        name: getattr(arguments, name)
        for name in ("target", "torch", "rocm", "arch", "fail_on", "baseline", "max_size")
        if getattr(arguments, name) is not None
    }
    if given.get("max_size", 1.0) <= 0:
        raise UsageError("--max-size must be positive")
    return replace(
        config,
        exclude=(*config.exclude, *(arguments.exclude or ())),
        ignore=(*config.ignore, *(rule.upper() for rule in arguments.ignore or ())),
        **given,
    )


def _write(arguments: argparse.Namespace, reports: dict[str, str | None], report: ScanReport) -> None:
    def renderer(name: str) -> Callable[[], str]:
        return lambda: str(importlib.import_module(f"rewarp.report.{name}").render(report))

    printed = terminal.write_reports(reports, {name: renderer(name) for name in _FORMATS}, arguments.quiet)
    if not arguments.quiet and not printed:
        from rewarp.report import text
        from rewarp.report.console import Console

        text.show(
            report,
            Console(soft_wrap=False),
            places=0 if arguments.all else 3,
            by=arguments.by,
            least=Severity(arguments.min_severity),
        )
