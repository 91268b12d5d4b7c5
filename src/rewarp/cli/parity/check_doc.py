"""``rewarp parity check-doc FILE.md PATH``: does the parity document say what the code says?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp.cli import terminal
from rewarp.cli.parity import add_sides, add_work
from rewarp.errors import UsageError

if TYPE_CHECKING:
    from rewarp.workspace import Tree

_EPILOG = """Tables, bullets and sentences that call something done, partial or missing; percentages; counts. Each is true, false,
or cannot be told, with the reason. "True" means that the source holds it: nothing is built or run.
exit codes: 0 at least one claim is true and none is false; 1 a claim is false; 2 the job could not be done, or nothing
in the document could be checked"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "check-doc",
        help="a hand-written parity document against the code",
        description="Reads a Markdown document and says of each claim about either back end whether the code agrees.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE.md", help="the document; with --rev it may be one of the commit")
    parser.add_argument("path", nargs="?", help="a folder (default: this one)")
    add_sides(parser)
    parser.add_argument("--rev", metavar="REVISION", help="a commit in place of the files as they are")
    add_work(parser)
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/parity.md)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.parity.claims.checking import Answer, Code, check
    from rewarp.parity.comparing.compare import compare
    from rewarp.parity.kernels import inventory, is_wanted
    from rewarp.parity.reading import sources
    from rewarp.report import parity_doc
    from rewarp.workspace import open_tree

    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError("--jobs must be at least 1")
    reports = {"json": arguments.json}
    tree = open_tree(Path(terminal.tell_path_from_reports(arguments.path, reports) or "."), arguments.rev)
    document = _document(arguments.file, tree)
    with terminal.progress_bar("comparing", arguments.quiet) as progress:
        parity = compare(
            tree,
            arguments.a,
            arguments.b,
            jobs=arguments.jobs,
            use_cache=not arguments.no_cache,
            progress=progress,
        )
    paths = list(tree.entries)
    files, _ = sources.read(tree, (path for path in paths if is_wanted(path)))
    code = Code(parity, {side: inventory(files, side) for side in (parity.a, parity.b)}, paths)
    checked = check(document, code)
    renderers = {"json": lambda: parity_doc.render_json(arguments.file, checked, code)}
    if not terminal.write_reports(reports, renderers, arguments.quiet) and not arguments.quiet:
        from rewarp.report.console import Console

        parity_doc.show(arguments.file, checked, code, Console(soft_wrap=True))
    answers = {one.answer for one in checked}
    return 1 if Answer.FALSE in answers else 0 if Answer.TRUE in answers else 2


def _document(name: str, tree: Tree) -> str:
    """A file here, else one of the tree that is looked at."""
    from rewarp.parity.reading import sources

    try:
        data = Path(name).read_bytes()
    except OSError as error:
        found, _ = sources.read(tree, [name])
        if name not in found:
            raise UsageError(f"cannot read {name}: {error.strerror}") from None
        data = found[name]
    if b"\0" in data:
        raise UsageError(f"{name} is a binary file, not a document")
    return data.decode("utf-8-sig", "replace")
