"""``rewarp parity PATH``: what does back end B lack of what back end A does?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp.cli import terminal
from rewarp.cli.parity import add_sides, add_work
from rewarp.cli.results import Leaving, add_results
from rewarp.errors import UsageError
from rewarp.printing import tell

if TYPE_CHECKING:
    from rewarp.parity.scoring.result import Result
    from rewarp.parity.scoring.waivers import Waiver
    from rewarp.workspace import Tree

_FORMATS = ("json", "markdown", "html", "sarif")
_EPILOG = """PATH is a folder, or a git repository (a bare one too) with --rev. Settings: [tool.rewarp.parity] in pyproject.toml,
or [parity] in rewarp.toml (docs/parity.md). Nothing is built or run: it is parity of sources, not of results.
exit codes: 0 compared, and what was asked for with --fail-… holds; 1 it does not hold; 2 the job could not be done, or
the score cannot be computed (too little seen, something in scope does not parse, the time limit was reached)"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "compare",
        prog="rewarp parity",
        help="two back ends, unit by unit (this is `rewarp parity PATH`)",
        description="Says for each unit what two back ends do: implemented, partial, on the CPU, a stub, missing …; "
        "with evidence, a score for each kind of unit, and what users hit first.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", nargs="?", help="a folder (default: this one)")
    add_sides(parser)
    parser.add_argument("--rev", metavar="REVISION", help="a commit in place of the files as they are")
    parser.add_argument("--config", metavar="FILE", help="settings, in place of those in the tree")
    parser.add_argument("--all", action="store_true", dest="everything", help="every unit, not only the first gaps")
    add_work(parser)
    parser.add_argument(
        "--limit",
        type=float,
        default=600.0,
        metavar="SECONDS",
        help="then say what was found by then, without a score (default: 600; 0: no limit)",
    )
    gates = parser.add_argument_group("gates")
    gates.add_argument("--fail-under", type=float, metavar="N", help="fail when the lowest score is below N percent")
    gates.add_argument("--baseline", metavar="FILE", help="an earlier --json: show what changed since")
    gates.add_argument("--fail-on-new-gap", action="store_true", help="fail when a gap is not in the baseline")
    gates.add_argument(
        "--waivers",
        metavar="FILE",
        help="gaps accepted for now, each with a reason and an end date (TOML, docs/parity.md)",
    )
    views = parser.add_argument_group("views")
    views.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/parity.md)")
    views.add_argument(
        "--markdown", nargs="?", const="-", metavar="FILE", help="for a pull request; with --baseline only what changed"
    )
    views.add_argument("--html", metavar="FILE", help="one self-contained page: units by data types, with evidence")
    views.add_argument("--sarif", nargs="?", const="-", metavar="FILE", help="gaps as SARIF 2.1.0")
    add_results(views)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.parity.settings import load
    from rewarp.workspace import open_tree

    _check(arguments)
    reports = {name: getattr(arguments, name) for name in _FORMATS}
    root = Path(terminal.tell_path_from_reports(arguments.path, reports) or ".")
    if arguments.results and arguments.rev:
        raise UsageError("--results is about the folder as it is, and --rev is not")
    tree = open_tree(root, arguments.rev)
    leaving = Leaving(arguments, root)
    settings = load(tree, Path(arguments.config) if arguments.config else None)
    fail_under = arguments.fail_under if arguments.fail_under is not None else settings.fail_under
    excuses = _excuses(arguments.waivers, settings.waivers, tree)

    from rewarp.parity.comparing.compare import compare
    from rewarp.parity.scoring.result import judged

    with terminal.progress_bar("comparing", arguments.quiet) as progress:
        parity = compare(
            tree,
            arguments.a,
            arguments.b,
            settings=settings,
            jobs=arguments.jobs,
            use_cache=not arguments.no_cache,
            limit=arguments.limit or None,
            progress=progress,
        )
    result = judged(
        parity,
        tree,
        excuses=excuses,
        baseline_file=Path(arguments.baseline) if arguments.baseline else None,
    )
    _show(result, reports, arguments, leaving)
    return _exit_code(result, fail_under, arguments)


def _excuses(file: str | None, name: str | None, tree: Tree) -> list[Waiver]:
    """The waivers of a file that was named, else of the one in the tree that the settings name."""
    from rewarp.parity.reading import sources
    from rewarp.parity.scoring import waivers

    if file is not None:
        return waivers.read(Path(file))
    if name is None:
        return []
    contents, unread = sources.read(tree, [name])
    if name not in contents:
        raise UsageError(f"cannot read the waivers {name}: {unread[name]}")
    return waivers.parse(name, contents[name])


def _check(arguments: argparse.Namespace) -> None:
    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError("--jobs must be at least 1")
    if arguments.limit < 0:
        raise UsageError("--limit must not be negative")
    if arguments.fail_under is not None and not 0 <= arguments.fail_under <= 100:
        raise UsageError("--fail-under must be from 0 to 100")
    if arguments.fail_on_new_gap and not arguments.baseline:
        raise UsageError("--fail-on-new-gap needs --baseline FILE, an earlier --json")


def _show(result: Result, reports: dict[str, str | None], arguments: argparse.Namespace, leaving: Leaving) -> None:
    from rewarp.report import parity, parity_markdown, parity_sarif

    renderers = {
        "json": lambda: parity.render_json(result),
        "markdown": lambda: parity_markdown.render(result),
        "html": lambda: parity.render_html(result),
        "sarif": lambda: parity_sarif.render(result),
    }
    printed = terminal.write_reports(reports, renderers, arguments.quiet)
    leaving.leave(renderers["json"])
    if not arguments.quiet and not printed:
        from rewarp.report import parity_text
        from rewarp.report.console import Console

        parity_text.show(result, Console(soft_wrap=True), arguments.everything)


def _exit_code(result: Result, fail_under: float | None, arguments: argparse.Namespace) -> int:
    from rewarp.parity.scoring.scores import percent

    lowest = result.scores.lowest
    if lowest is None or lowest.share is None:
        return 2
    code = 0
    if fail_under is not None and lowest.share * 100 < fail_under:
        tell(f"rewarp: {lowest.kind}: {percent(lowest.share)} is below {fail_under:g} %")
        code = 1
    if arguments.fail_on_new_gap and result.delta is not None and result.delta.has_new_gap:
        count = len(result.delta.new_gaps) + len(result.delta.worse)
        tell(f"rewarp: {count} new or worse than in {arguments.baseline}")
        code = 1
    return code
