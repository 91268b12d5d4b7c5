"""``rewarp bridge check A B``: what becomes of data that one deployment writes and another reads?"""

from __future__ import annotations

import argparse

from rewarp.cli import terminal
from rewarp.printing import write

_EPILOG = """A and B are files (TOML, JSON, YAML: docs/bridge.md), or platforms (h100, mi300x, gaudi3 …), which stand for a
reference deployment that is printed. NAME is a dotted name: vllm.kv_cache_dtype=fp8, lmcache.chunk_size=128.
Nothing is connected to and nothing is run.
exit codes: 0 everything arrives as it was, or its reader converts it; 1 something is lost, wrong or must be converted;
2 the job could not be done; 3 something could not be told"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "check",
        help="two deployments on one store: exact, lost, or silently wrong",
        description="Says for each kind of data that crosses (KV chunks, FP8 weights, safetensors, prefix hashes) what "
        "becomes of it, why, which setting decides, and what to change.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("a", metavar="A", help="a description of a deployment, or a platform")
    parser.add_argument("b", metavar="B", help="the other")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="on both sides (repeatable)")
    parser.add_argument("--set-a", action="append", default=[], metavar="NAME=VALUE", help="on A (repeatable)")
    parser.add_argument("--set-b", action="append", default=[], metavar="NAME=VALUE", help="on B (repeatable)")
    views = parser.add_argument_group("views")
    views.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/bridge.md)")
    views.add_argument("--markdown", nargs="?", const="-", metavar="FILE", help="as Markdown, for a ticket")
    views.add_argument("--html", metavar="FILE", help="one self-contained page, with all platforms against all")
    views.add_argument("-q", "--quiet", action="store_true", help="no text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.bridge.check import check
    from rewarp.bridge.reading import deployment
    from rewarp.report import bridge as views

    a = deployment(arguments.a, [*arguments.set, *arguments.set_a])
    b = deployment(arguments.b, [*arguments.set, *arguments.set_b])
    checked = check(a, b)
    reports = {name: getattr(arguments, name) for name in ("json", "markdown", "html")}
    renderers = {
        "json": lambda: views.render(checked),
        "markdown": lambda: views.markdown(checked),
        "html": lambda: views.page(checked),
    }
    if not terminal.write_reports(reports, renderers, arguments.quiet) and not arguments.quiet:
        write(views.text(checked))
    return views.exit_code(checked)
