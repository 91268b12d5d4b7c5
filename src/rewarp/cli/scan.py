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
from rewarp.cli.results import Leaving, add_results
from rewarp.errors import UsageError, did_you_mean
from rewarp.findings import Severity
from rewarp.printing import tell

if TYPE_CHECKING:
    from rewarp.api import ScanReport

_FORMATS = ("json", "sarif", "markdown", "html")
TARGETS = ("rocm", "gaudi")
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
    target.add_argument("--target", choices=TARGETS, help="where the code is to run (default: rocm)")
    target.add_argument(
        "--compare", metavar="TARGETS", help=f"several targets side by side, for example {','.join(TARGETS)}"
    )
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
        metavar="SEVERITY",
        help="in every view, findings from this one on: info, perf, runs-on-cpu, wrong-result, build-fail, crash (default: all in JSON "
        "and SARIF, perf elsewhere, the rest counted)",
    )
    output.add_argument(
        "--fail-on",
        choices=list(configs.FAIL_ON),
        metavar="LEVEL",
        help=f"one of {', '.join(configs.FAIL_ON)} (default: error)",
    )
    add_results(output)
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
    leaving = Leaving(arguments, root)
    targets = compared(arguments) or [config.target]
    with terminal.progress_bar("scanning", arguments.quiet) as progress:
        scans = api.compare(
            root,
            targets,
            config=config,
            jobs=arguments.jobs,
            use_cache=not arguments.no_cache,
            diff=arguments.diff,
            progress=progress,
        )
    if arguments.write_baseline:
        count = baseline.write(Path(arguments.write_baseline), scans[0].findings)
        tell(f"{arguments.write_baseline}: {count} findings")
    least = Severity(arguments.min_severity) if arguments.min_severity else None
    if arguments.compare:
        _write_comparison(arguments, reports, scans, least)
    else:
        _write(arguments, reports, scans[0], least)
    for report in scans:
        leaving.leave(lambda: _piece(report))  # noqa: B023 - it is called at once
    if any(report.unread for report in scans):
        return 2
    threshold = configs.FAIL_ON[config.fail_on]
    found = threshold is not None and any(report.at_least(threshold) for report in scans)
    return 1 if found and not arguments.write_baseline else 0


def compared(arguments: argparse.Namespace) -> list[str]:
    """The targets of ``--compare``."""
    if arguments.compare is None:
        return []
    targets = [name.strip() for name in arguments.compare.split(",")]
    unknown = [name for name in targets if name not in TARGETS]
    if unknown:
        hint = did_you_mean(unknown[0], TARGETS)
        raise UsageError(f"--compare: {unknown[0]!r} is no target; there are {', '.join(TARGETS)}{hint}")
    if len(set(targets)) < max(2, len(targets)):
        raise UsageError("--compare needs two or more different targets, such as rocm,gaudi")
    for option in ("target", "write_baseline", "baseline"):
        if getattr(arguments, option):
            raise UsageError(f"--compare and --{option.replace('_', '-')} do not go together")
    return targets


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


def _piece(report: ScanReport) -> str:
    """All of a scan, with the lines around each finding."""
    import json

    from rewarp.report import html

    return json.dumps(html.page_of(report), allow_nan=False)


def _write(
    arguments: argparse.Namespace, reports: dict[str, str | None], report: ScanReport, least: Severity | None
) -> None:
    given = {"least": least} if least else {}

    def renderer(name: str) -> Callable[[], str]:
        return lambda: str(importlib.import_module(f"rewarp.report.{name}").render(report, **given))

    printed = terminal.write_reports(reports, {name: renderer(name) for name in _FORMATS}, arguments.quiet)
    if not arguments.quiet and not printed:
        from rewarp.report import text
        from rewarp.report.console import Console

        text.show(
            report,
            Console(soft_wrap=False),
            places=0 if arguments.all else 3,
            by=arguments.by,
            least=least or Severity.PERF,
        )


def _write_comparison(
    arguments: argparse.Namespace, reports: dict[str, str | None], scans: list[ScanReport], least: Severity | None
) -> None:
    from rewarp.report import comparison
    from rewarp.report.console import Console

    everything = least or Severity.INFO
    renderers = {
        "json": lambda: comparison.render_json(scans, everything),
        "sarif": lambda: comparison.render_sarif(scans, everything),
        "markdown": lambda: comparison.render_markdown(scans),
        "html": lambda: comparison.render_html(scans, least),
    }
    printed = terminal.write_reports(reports, renderers, arguments.quiet)
    if not arguments.quiet and not printed:
        comparison.show(scans, Console(soft_wrap=False))
