"""What steers a terminal or makes markup is shown: on terminals, in Markdown, in charts, in SARIF."""

from __future__ import annotations

import io
import re
import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.panel import Panel
from rich.table import Table

from rewarp import escape, printing
from rewarp.report.console import Console, Text, stacked

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
LINKED = re.compile(r"@\w|[#!]\d|\$|://|\bgh-\d|\bwww\.|\b(?:mailto|xmpp):", re.I)
PIECES = [
    "`",
    "``",
    "```",
    "~~~",
    "|",
    "\\",
    "\n",
    "\r\n",
    "\t",
    " ",
    "    ",
    "#",
    "# a",
    "> ",
    "- ",
    "1. ",
    "---",
    "===",
]
PIECES += ["<b>", "<!--", "</details>", "](http://x.y)", "![a", "[a]: /b", "@octocat", "#1", "o/r#2", "GH-3", "www.x.y"]
PIECES += [
    "https://x.y",
    "*",
    "**",
    "_",
    "__",
    "~",
    "~~",
    "&lt;",
    "&#64;a",
    "$a$",
    "\x1b[31m",
    "\u202e",
    "\udcff",
    "é",
    "中",
    "a",
]
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def is_hidden(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")


# --- the terminal -------------------------------------------------------------------------


def test_every_character_that_steers_or_hides_is_written_out() -> None:
    every = [chr(code) for code in range(sys.maxunicode + 1)]
    raw = [char for char in every if is_hidden(char) and escape.visible(char) == char]
    assert raw == []
    assert all(re.fullmatch(r"\\[\w]+", escape.visible(char)) for char in every if is_hidden(char))
    assert escape.visible("\x1b\x9b\u202e\U000e0041\udcff\n") == r"\x1b\x9b\u202e\U000e0041\udcff\n"
    assert escape.visible("\u3164\ufe0f\U000e0100") == r"\u3164\ufe0f\U000e0100", "letters and marks that no font draws"


def test_what_can_be_seen_stays() -> None:
    for text in ("a\\x1b [red] é ü 中文\u3000空 🛑 Привет שלום", "", r"C:\new\table"):
        assert escape.visible(text) == text


@given(st.text())
def test_written_out_once_is_enough(text: str) -> None:
    assert escape.visible(escape.visible(text)) == escape.visible(text)


def test_a_line_stays_a_line() -> None:
    assert escape.joined(["a\nrewarp: all is well", "b"]) == "a\\nrewarp: all is well\nb\n"


def test_a_line_of_code() -> None:
    assert escape.code_line("\t\tint x;\t// y \r\n") == "int x;  // y"
    assert escape.code_line("int\x0cx;\x1b") == r"int\x0cx;\x1b"
    long = escape.code_line(" " * 1000 + "x" * 10_000_000)
    assert len(long) == 240
    assert long.endswith("x…")


def test_strings_given_to_rich_are_text() -> None:
    hostile = "[red]x[/red] :smile: \x1b[2J\r\x07\u202e"
    shown = r"[red]x[/red] :smile: \x1b[2J\r\x07\u202e"
    console = Console(width=200, file=io.StringIO(), force_terminal=True)
    table = Table(hostile, title=hostile)
    table.add_row(hostile)
    table.add_row(Text(hostile).append(hostile, "bold"))
    table.add_row(Text.assemble(hostile, (hostile, "red")))
    table.add_row(stacked(hostile, hostile))
    for item in (hostile, Text(hostile), table, Panel(hostile, title=Text("a"))):
        console.print(item, highlight=False)
    file = console.file
    assert isinstance(file, io.StringIO)
    printed = re.sub(r"\x1b\[[\d;]*m", "", file.getvalue())
    assert printed.count(shown) == 12
    assert not any(is_hidden(char) for char in printed if char != "\n")


class Stream(io.TextIOWrapper):
    """A stream that may be a terminal."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal

    @property
    def written(self) -> bytes:
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue()


AT = pytest.mark.parametrize("is_terminal", [True, False], ids=["terminal", "pipe"])


def streams(monkeypatch: pytest.MonkeyPatch, is_terminal: bool) -> tuple[Stream, Stream]:
    """Standard output and standard error."""
    out, err = Stream(is_terminal), Stream(is_terminal)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    return out, err


@AT
def test_lines_and_progress(monkeypatch: pytest.MonkeyPatch, is_terminal: bool) -> None:
    out, err = streams(monkeypatch, is_terminal)
    printing.say("a\x1b\n", "b")
    printing.write("c\x07\nd\n")
    assert out.written == b"a\\x1b\\n\nb\nc\\x07\nd\n"
    printing.tell("e\u202e")
    printing.write("f\r\n", aside=True)
    printing.progress("g\x1b")
    printing.progress("h", stays=True)
    assert err.written == b"e\\u202e\nf\\r\n\r\x1b[Kg\\x1b\r\r\x1b[Kh\n"


@AT
def test_a_product_is_exact_unless_a_terminal_would_obey_it(monkeypatch: pytest.MonkeyPatch, is_terminal: bool) -> None:
    out, _ = streams(monkeypatch, is_terminal)
    data = b"int x;\t// \x1b[2J \xe2\x80\xae \xff\r\n}\n"
    printing.emit(data)
    shown = b"int x;\t// \\x1b[2J \\u202e \\udcff\n}\n"
    assert out.written == (shown if is_terminal else data)


@AT
def test_output_of_a_program(monkeypatch: pytest.MonkeyPatch, is_terminal: bool) -> None:
    _, err = streams(monkeypatch, is_terminal)
    chunks = (b"step 1\rstep 2\n\x1b]0;owned\x07", b"turned \xe2\x80", b"\xae round\t\xc3\xa9\n")
    for chunk in chunks:
        printing.pass_on(chunk)
    shown = "step 1\rstep 2\n\\x1b]0;owned\\x07turned \\u202e round\té\n".encode()
    assert err.written == (shown if is_terminal else b"".join(chunks)), "a character in two chunks is still one"


# --- Markdown -----------------------------------------------------------------------------


def content(token: Any) -> str:
    """The text of a line, when it holds text and code alone."""
    assert {child.type for child in token.children} <= {"text", "code_inline", "text_special"}, token.children
    for child in token.children:
        assert child.type == "code_inline" or not LINKED.search(child.content), child.content
    return "".join(child.content for child in token.children)


def plain(text: str) -> str:
    """What a reader is to see."""
    return escape.visible(re.sub(r"(?:[ \t]|\r?\n)+", " ", text).strip())


@pytest.mark.parametrize("before", ["", "- ", "> ", "### ", "words "])
@given(text=HOSTILE)
def test_text_stays_text(before: str, text: str) -> None:
    tokens = PARSER.parse(before + escape.markdown(text) + "\n")
    lines = [token for token in tokens if token.type == "inline"]
    assert len(lines) <= 1
    assert {"html_block", "fence", "code_block", "hr", "table_open"}.isdisjoint(token.type for token in tokens)
    assert sum(token.type in ("heading_open", "list_item_open", "blockquote_open") for token in tokens) == (
        before in ("- ", "> ", "### ")
    )
    seen = "".join(content(line) for line in lines)
    assert seen.removeprefix("words" if before == "words " else "").strip() == plain(text)


@given(text=HOSTILE)
def test_code_stays_code(text: str) -> None:
    line = next(token for token in PARSER.parse(f"a {escape.markdown_code(text)} b") if token.type == "inline")
    assert [child.type for child in line.children or ()] == ["text", "code_inline", "text"]
    assert (line.children or ())[1].content.strip() == escape.visible(text).strip()


@given(cells=st.lists(HOSTILE, min_size=3, max_size=3))
def test_cells_stay_cells(cells: list[str]) -> None:
    row = escape.markdown_row(escape.markdown(cells[0]), escape.markdown_code(cells[1]), escape.markdown(cells[2]))
    tokens = PARSER.parse(f"|a|b|c|\n|---|---|---|\n{row}\n")
    found = [content(token) for token in tokens if token.type == "inline"][3:]
    assert [cell.strip() for cell in found] == [
        plain(cells[0]),
        escape.visible(cells[1]).strip(),
        plain(cells[2]),
    ]


@given(lines=st.lists(HOSTILE, max_size=4))
def test_a_block_ends_where_it_ends(lines: list[str]) -> None:
    tokens = PARSER.parse(f"{escape.markdown_block(lines)}\nafter\n")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert tokens[0].content == "".join(f"{escape.visible(line)}\n" for line in lines)


def test_markdown_stays_readable() -> None:
    assert (
        escape.markdown("torch_cuda needs 3 files (50 %), see a.cu:3") == "torch_cuda needs 3 files (50 %), see a.cu:3"
    )
    assert escape.markdown("thanks to @octocat, see #1") == "thanks to `@octocat,` see `#1`"
    assert escape.markdown("a\x1b[b]") == r"a\\x1b\[b\]"
    assert escape.markdown_code("a`b") == "``a`b``"
    assert escape.markdown_row("a", "`b|c`") == r"| a | `b\|c` |"


# --- pages, charts, SARIF -------------------------------------------------------------------


def test_data_of_a_page() -> None:
    data = {"a\u202e": ["\x1b\n\t", ("b", 1, None)], "c": {"d": 1.5}}
    assert escape.page_data(data) == {"a\\u202e": ["\\x1b\n\t", ["b", 1, None]], "c": {"d": 1.5}}


def test_charts_and_tags() -> None:
    assert escape.mermaid('"`<b>#1\n\x1b') == r"#34;#96;#60;b#62;#35;1\n\x1b"
    assert escape.html('<b a="c">\x1b') == r"&lt;b a=&quot;c&quot;&gt;\x1b"


def test_a_message_of_sarif_makes_no_link() -> None:
    assert escape.sarif("see [this](http://x.y) and a[1] \x1b") == r"see \[this](http://x.y) and a[1] \x1b"
