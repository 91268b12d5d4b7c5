"""``rewarp parity flow ENTRY PATH``: from an entry to the kernels it launches, on both back ends."""

from __future__ import annotations

import argparse
from pathlib import Path

from rewarp.cli import terminal

_EPILOG = """ENTRY is a function (matmul, BackendStorage::conv2d, Tensor::matmul, ggml_cuda_mul_mat, RocmPlatform.get_device_name)
or an operation that a switch chooses (GGML_OP_MUL_MAT, MUL_MAT). Edges are resolved, guessed (dotted) or external.
exit codes: 0 traced, and both sides reach a kernel; 1 a side reaches none, or has no such function;
2 the job could not be done: ENTRY means nothing, or several things (they are listed)"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from rewarp.parity.comparing.flow import DEPTH

    parser = commands.add_parser(
        "flow",
        help="one entry, traced to its kernel launches on both sides",
        description="Traces the calls from an entry to kernel launches on two back ends. Static: nothing is run.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("entry", metavar="ENTRY", help="a function, Owner::function, or an operation")
    parser.add_argument("path", nargs="?", help="a project (default: this folder); a bare git repository too")
    parser.add_argument("--rev", metavar="REV", help="a commit of the project's git repository, not the folder")
    parser.add_argument("--a", default="cuda", metavar="BACKEND", help="one back end (default: cuda)")
    parser.add_argument("--b", default="rocm", metavar="BACKEND", help="the other (default: rocm)")
    parser.add_argument("--depth", type=int, default=DEPTH, metavar="N", help=f"calls deep (default: {DEPTH})")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON")
    parser.add_argument("--mermaid", nargs="?", const="-", metavar="FILE", help="as a Mermaid flow chart")
    parser.add_argument("-q", "--quiet", action="store_true", help="no text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.parity.comparing.flow import flow, read
    from rewarp.parity.names.backends import canonical
    from rewarp.report import parity_flow
    from rewarp.workspace import open_tree

    reports = {"json": arguments.json, "mermaid": arguments.mermaid}
    path = terminal.tell_path_from_reports(arguments.path, reports)
    files, unread = read(open_tree(Path(path or "."), arguments.rev))
    found = flow(files, arguments.entry, canonical(arguments.a), canonical(arguments.b), arguments.depth, unread)
    renderers = {"json": lambda: parity_flow.render_json(found), "mermaid": lambda: parity_flow.render_mermaid(found)}
    if not terminal.write_reports(reports, renderers, arguments.quiet) and not arguments.quiet:
        from rewarp.report.console import Console

        parity_flow.show(found, Console(soft_wrap=True))
    return 0 if found.is_complete else 1
