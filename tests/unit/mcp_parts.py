"""Servers and clients for the tests of ``rewarp mcp``: the SDK's own client, over both transports, in both eras."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

TOKEN = "a-token-for-tests-only"
ERAS = ("legacy", "2026-07-28")
"""The handshake of 2025 and before, and the protocol without one."""
TRANSPORTS = ("stdio", "http")


def command(root: Path, *more: str) -> list[str]:
    return ["-m", "rewarp", "mcp", "--root", str(root), *more]


@asynccontextmanager
async def connected(
    transport: str, era: str, root: Path, *more: str, temporary: Path | None = None, **options: Any
) -> AsyncIterator[Client]:
    environment = {**os.environ, **({"TMPDIR": str(temporary)} if temporary else {})}
    if transport == "stdio":
        server = StdioServerParameters(command=sys.executable, args=command(root, *more), env=environment)
        async with Client(server, mode=era, **options) as client:
            yield client
        return
    with served(root, *more, environment=environment) as address:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120) as http,
            Client(streamable_http_client(address, http_client=http), mode=era, **options) as client,
        ):
            yield client


class served:
    """A server over HTTP; gives its address."""

    def __init__(self, root: Path, *more: str, environment: dict[str, str] | None = None) -> None:
        self._words = [sys.executable, *command(root, "--http", "0", *more)]
        self._environment = {**(environment or os.environ), "REWARP_MCP_TOKEN": TOKEN}

    def __enter__(self) -> str:
        self._process = subprocess.Popen(self._words, env=self._environment, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr
        line = self._process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + self._process.stderr.read()
        return found[0]

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        self._process.wait(30)
        assert self._process.stderr
        self._process.stderr.close()


def within(test: Callable[[], Any]) -> None:
    """Runs an asynchronous test; one that hangs is ended."""

    async def bounded() -> None:
        with anyio.fail_after(300):
            await test()

    # In a thread of its own: what drives a browser leaves a loop running in the thread that tests share.
    with ThreadPoolExecutor(1) as alone:
        alone.submit(anyio.run, bounded).result()


async def answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """A tool's structured answer."""
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found.content[0].text  # type: ignore[union-attr]
    assert isinstance(found.structured_content, dict)
    return found.structured_content


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    found = await client.call_tool(tool, arguments)
    assert found.is_error
    return str(found.content[0].text)  # type: ignore[union-attr]
