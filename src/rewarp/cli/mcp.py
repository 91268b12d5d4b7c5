"""``rewarp mcp``: serve rewarp's verbs to coding agents."""

from __future__ import annotations

import argparse
import importlib.util
import os
import secrets

from rewarp.errors import UsageError
from rewarp.printing import tell

TOKEN_VARIABLE = "REWARP_MCP_TOKEN"
_SHORTEST_TOKEN = 16
_EPILOG = f"""Over stdio unless --http is given; that serves this machine alone, and wants a bearer token: ${TOKEN_VARIABLE}, or one
that is made and told on standard error. What the tools do is done by processes that the kernel (Linux 5.13 and newer) holds
to the folders given; nothing else can be read or written, but for rewarp's cache and the system's own files.
exit codes: 0 the client went away; 2 it could not be served"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "mcp",
        help="serve scan, port, verify and the rest to coding agents (Model Context Protocol)",
        description="Serves rewarp's verbs as tools of the Model Context Protocol: small typed answers, plans that are "
        "applied by their hash, folders that cannot be left. Needs rewarp[mcp].",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--root",
        action="append",
        required=True,
        metavar="DIR",
        help="a folder that may be read and ported (repeatable)",
    )
    parser.add_argument("--http", type=int, metavar="PORT", help="streamable HTTP on 127.0.0.1; 0: any free port")
    parser.add_argument("--allow-run", action="store_true", help="let tools run code of the project, confined")
    parser.add_argument("--unconfined", action="store_true", help="serve where the kernel cannot confine processes")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if importlib.util.find_spec("mcp") is None:
        raise UsageError("the Python SDK of the Model Context Protocol is not installed: pip install 'rewarp[mcp]'")
    from rewarp.mcp.confinement import version
    from rewarp.mcp.roots import Roots

    roots = Roots.of(arguments.root)
    if not version() and not arguments.unconfined:
        raise UsageError("this kernel cannot hold processes to folders (Landlock): --unconfined serves all the same")
    if arguments.http is not None and not 0 <= arguments.http < 65536:
        raise UsageError("--http takes a port, 0 to 65535")
    token = os.environ.pop(TOKEN_VARIABLE, "")
    if arguments.http is not None and token and len(token) < _SHORTEST_TOKEN:
        raise UsageError(f"${TOKEN_VARIABLE} must have {_SHORTEST_TOKEN} characters or more")
    from rewarp.mcp.server import serve_http, serve_stdio
    from rewarp.mcp.tools import Tools

    tools = Tools(roots, confined=not arguments.unconfined, may_run=arguments.allow_run)
    if arguments.http is None:
        serve_stdio(tools)
        return 0
    made = token or secrets.token_urlsafe(32)

    def ready(address: str) -> None:
        tell(f"rewarp: serving {address}", *(() if token else (f"rewarp: Authorization: Bearer {made}",)))

    serve_http(tools, arguments.http, made, ready)
    return 0
