"""What keeps an agent's server in its bounds, part by part: folders, cursors, the kernel, the door of HTTP."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.cli import main
from rewarp.errors import UsageError
from rewarp.mcp import confinement
from rewarp.mcp.paging import MOST, page, pieces, quoted, quoted_lines
from rewarp.mcp.roots import Roots
from rewarp.mcp.server import guarded

# --- folders --------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A root, and beside it what is nobody's business."""
    (tmp_path / "root" / "inner").mkdir(parents=True)
    (tmp_path / "root" / "a.py").write_text("")
    (tmp_path / "rootbeside").mkdir()
    (tmp_path / "secret").write_text("")
    (tmp_path / "root" / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "root" / "up").symlink_to("..")
    (tmp_path / "root" / "within").symlink_to("inner")
    return tmp_path


@pytest.mark.parametrize("path", [".", "a.py", "inner", "inner/../a.py", "within", "./inner/"])
def test_what_lies_inside_is_found(path: str, tree: Path) -> None:
    found = Roots.of([str(tree / "root")]).find(path)
    assert found == os.path.realpath(tree / "root" / path)


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../secret",
        "link",
        "up",
        "up/secret",
        "inner/../../secret",
        "/etc/passwd",
        "../rootbeside",
        "a\0b",
        "gone",
        "~",
    ],
)
def test_what_lies_outside_is_not_and_nobody_learns_whether_it_exists(path: str, tree: Path) -> None:
    roots = Roots.of([str(tree / "root")])
    with pytest.raises(UsageError) as refused:
        roots.find(path)
    with pytest.raises(UsageError) as missing:
        roots.find("never was here")
    assert str(refused.value) == str(missing.value)


def test_absolute_paths_inside_are_fine(tree: Path) -> None:
    assert Roots.of([str(tree / "root")]).find(str(tree / "root" / "inner")) == str(tree / "root" / "inner")


def test_a_client_narrows(tree: Path) -> None:
    roots = Roots.of([str(tree / "root")])
    inner, outer = (tree / "root" / "inner").as_uri(), tree.as_uri()
    assert roots.narrowed(None) == roots
    assert roots.narrowed([inner]).folders == (str(tree / "root" / "inner"),)
    assert roots.narrowed([outer]) == roots, "a wider one gives nothing more"
    assert roots.narrowed([(tree / "rootbeside").as_uri()]).folders == ()
    assert roots.narrowed([]).folders == ()
    assert roots.narrowed(["https://example.org/", "file://elsewhere/tmp", "file:///etc%00"]).folders == ()
    with pytest.raises(UsageError):
        roots.narrowed([inner]).find("../a.py")


@given(st.lists(st.sampled_from(["", "root", "root/inner", "rootbeside", "root/up", "root/within"]), max_size=4))
def test_narrowing_never_widens(names: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        base = Path(os.path.realpath(folder))
        (base / "root" / "inner").mkdir(parents=True)
        (base / "rootbeside").mkdir()
        (base / "root" / "up").symlink_to("..")
        (base / "root" / "within").symlink_to("inner")
        roots = Roots.of([str(base / "root")])
        for left in roots.narrowed([(base / name).as_uri() for name in names]).folders:
            assert left == str(base / "root") or left.startswith(str(base / "root") + "/")


def test_a_root_must_be_a_folder(tree: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        Roots.of([str(tree / "secret")])


# --- cursors --------------------------------------------------------------------------------


@dataclass
class One:
    number: int


@given(st.lists(st.builds(One, st.integers())), st.integers(1, MOST))
def test_pages_make_the_list(items: list[One], limit: int) -> None:
    found: list[One] = []
    cursor = None
    while True:
        shown, where = page(items, limit, cursor)
        found += shown
        assert (where.total, where.shown) == (len(items), len(shown))
        assert len(shown) <= limit
        cursor = where.cursor
        if cursor is None:
            break
        assert shown, "a cursor that leads nowhere"
    assert found == items


@pytest.mark.parametrize("cursor", ["", "x", "-1.0000000000000000", "1.00", "1", "9" * 30 + "." + "0" * 16])
def test_a_cursor_that_is_none(cursor: str) -> None:
    with pytest.raises(UsageError, match="no cursor"):
        page([1, 2, 3], 1, cursor)


def test_a_cursor_of_another_list() -> None:
    cursor = page([1, 2, 3], 1, None)[1].cursor
    with pytest.raises(UsageError, match="has changed"):
        page([1, 2, 4], 1, cursor)
    assert page([1, 2, 3], 1, cursor)[0] == [2]


def test_a_page_of_long_items_is_short() -> None:
    items = ["x" * 10_000] * 5 + ["y" * 1_000_000, "z"]
    sizes, cursor = [], None
    while True:
        shown, where = page(items, MOST, cursor)
        sizes.append(len(shown))
        if (cursor := where.cursor) is None:
            break
    assert sizes == [2, 2, 1, 1, 1], "never none"


@given(st.text(alphabet="ab\n\r", max_size=40), st.integers(1, 30))
def test_pieces_make_the_text(text: str, times: int) -> None:
    whole = text * times * 20
    assert "\n".join(pieces(whole)) == whole
    assert all(len(piece) <= 8_000 for piece in pieces(whole))


def test_a_line_without_end_is_cut_and_said() -> None:
    (line,) = pieces("x" * 3_000_000)
    assert len(line) < 9_000
    assert "3,000,000 characters" in line


def test_what_is_hidden_is_shown() -> None:
    assert quoted("a\x1b[2J", "x\u202ey").path == "a\\x1b[2J"
    assert quoted("", "x\u202ey").text == "x\\u202ey"
    assert len(quoted("", "x" * 10_000).text) < 500
    assert quoted_lines("a\n\x1bb").text == "a\n\\x1bb"


# --- the kernel -----------------------------------------------------------------------------

TRY = """
import json, os, socket, subprocess, sys
from rewarp.mcp.confinement import confine
outside, inside, writable = sys.argv[1:]
listener = socket.create_server(("127.0.0.1", 0))
reading = lambda path: open(path).read()
writing = lambda path: open(path, "w").write("x")
def tried(what, *given):
    try:
        what(*given)
    except OSError as error:
        return type(error).__name__
    return "done"
def all_tried():
    return {
        "read outside": tried(reading, f"{outside}/secret"), "list outside": tried(os.listdir, outside),
        "through link": tried(reading, f"{inside}/link"), "read inside": tried(reading, f"{inside}/a.py"),
        "write inside": tried(writing, f"{inside}/b"), "write outside": tried(writing, f"{outside}/b"),
        "write": tried(writing, f"{writable}/b"), "remove": tried(os.unlink, f"{inside}/gone"),
        "signal": tried(os.kill, os.getppid(), 0), "connect": tried(socket.create_connection, listener.getsockname()),
        "unix": tried(socket.socket, socket.AF_UNIX), "udp": tried(socket.socket, socket.AF_INET, socket.SOCK_DGRAM),
        "pair": tried(socket.socketpair), "variables": tried(reading, f"/proc/{os.getppid()}/environ"),
        "own variables": tried(reading, "/proc/self/environ"), "child": tried(child),
    }
def child():  # a program that is started gets no more than its parent had
    code = f"open('/proc/{os.getppid()}/environ').read(); import socket; socket.socket(socket.AF_UNIX)"
    if subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL).returncode: raise PermissionError
before = all_tried()
confine([sys.prefix, sys.base_prefix, "/usr", "/lib", "/proc", "/dev/null", inside], [writable, "/dev/null"])
print(json.dumps([before, all_tried()]))
"""


def test_the_kernel_holds_a_process(tree: Path) -> None:
    (tree / "root" / "gone").write_text("")
    (tree / "own").mkdir()
    if not confinement.version():
        assert main(["mcp", "--root", str(tree)]) == 2, "without the kernel's help nothing is served"
        return
    words = [sys.executable, "-c", TRY, str(tree), str(tree / "root"), str(tree / "own")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    before, after = json.loads(done.stdout)
    (tree / "root" / "b").unlink()
    assert set(before.values()) == {"done"}, "all of it is possible before"
    denied = "PermissionError"
    wanted = dict.fromkeys(("read outside", "list outside", "through link", "write inside", "write outside"), denied)
    wanted |= {"read inside": "done", "write": "done", "remove": "FileNotFoundError", "pair": "done"}
    wanted |= dict.fromkeys(("unix", "udp", "variables", "child"), denied) | {"own variables": "done"}
    if confinement.version() >= 6:
        wanted |= {"signal": denied, "connect": denied}
    assert {key: after[key] for key in wanted} == wanted


SWAPPED = """
import sys
from rewarp.mcp.confinement import confine
confine([sys.prefix], [sys.argv[1]], [sys.argv[1]])
"""


def test_a_folder_that_becomes_a_link_is_not_opened(tree: Path) -> None:
    """Between the look at a path and the confinement there is time to put a link in its place."""
    words = [sys.executable, "-c", SWAPPED, str(tree / "root" / "inner")]
    assert subprocess.run(words, capture_output=True).returncode == 0
    (tree / "root" / "inner").rmdir()
    (tree / "root" / "inner").symlink_to(tree / "rootbeside")
    done = subprocess.run(words, capture_output=True, text=True)
    assert "is no longer what it was" in done.stderr


# --- the door -------------------------------------------------------------------------------

HOST, RIGHT = "127.0.0.1:99", "Bearer a-token-for-tests-only"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([("host", HOST), ("authorization", RIGHT)], 200),
        ([("Host", HOST), ("Authorization", RIGHT.replace("Bearer", "bearer"))], 200),
        ([("host", HOST), ("authorization", RIGHT), ("origin", f"http://{HOST}")], 200),
        ([("host", HOST)], 401),
        ([("host", HOST), ("authorization", "Bearer another-token")], 401),
        ([("host", HOST), ("authorization", "Basic " + RIGHT[7:])], 401),
        ([("host", HOST), ("authorization", "Bearer")], 401),
        ([("host", HOST), ("authorization", RIGHT), ("authorization", RIGHT)], 401),
        ([("host", "evil.example:99"), ("authorization", RIGHT)], 421),
        ([("host", "127.0.0.1:98"), ("authorization", RIGHT)], 421),
        ([("host", HOST), ("host", "evil.example"), ("authorization", RIGHT)], 421),
        ([("authorization", RIGHT)], 421),
        ([("host", HOST), ("authorization", RIGHT), ("origin", "https://evil.example")], 403),
        ([("host", HOST), ("authorization", RIGHT), ("origin", "null")], 403),
        ([("host", HOST), ("authorization", RIGHT), ("origin", f"https://{HOST}")], 403),
    ],
)
def test_who_may_come_in(headers: list[tuple[str, str]], status: int) -> None:
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "headers": [(name.encode(), value.encode()) for name, value in headers]}
    asyncio.run(guarded(app, RIGHT[7:], [HOST])(scope, None, send))  # type: ignore[arg-type]
    assert sent[0]["status"] == status


# --- the command ----------------------------------------------------------------------------


def test_what_cannot_be_served(tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--root", str(tree / "gone")]) == 2
    assert main(["mcp", "--root", str(tree), "--http", "70000"]) == 2
    monkeypatch.setenv("REWARP_MCP_TOKEN", "short")
    assert main(["mcp", "--root", str(tree), "--http", "0"]) == 2
    assert "16 characters" in capsys.readouterr().err
    monkeypatch.setattr(confinement, "version", lambda: 0)
    assert main(["mcp", "--root", str(tree)]) == 2
    assert "--unconfined" in capsys.readouterr().err
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(["mcp", "--root", str(tree)]) == 2
    assert "rewarp[mcp]" in capsys.readouterr().err
