"""Words of shell code with their offsets: comments and here-documents blanked, continuations joined, quotes removed."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from rewarp.source import Span

_TOKEN = re.compile(
    rb"""(?P<comment>(?:(?<=[\s;&|()])|^)\#[^\r\n]*)
    |(?P<separator>\r\n|[;\r\n]|&&|\|\|?|&(?!>)|[(){}](?=[\s;)]|$)|(?<![$\w=])\()
    |(?P<redirect>\d*(?:>>?|<)&?\d*-?)
    |(?P<word>(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|\$\([^()]*(?:\([^()]*\)[^()]*)*\)|\$\{[^}]{0,2000}\}|`[^`]*`
        |[^\s;&|()<>'"\\`]|[()](?=\w))+)
    """,
    re.X | re.M | re.S,
)
HEREDOC = re.compile(rb"""(?<!<)<<-?[ \t]*(?:'([^'\r\n]+)'|"([^"\r\n]+)"|\\?([A-Za-z_][\w.-]*))""")
ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.S)
CONTINUATION = re.compile(rb"(?<!\\)((?:\\\\)*)\\(\r\n|\n)")
STRUCTURE = {"if", "then", "else", "elif", "fi", "while", "until", "do", "done", "esac", "!"}
_PREFIXES = {"time", "sudo", "exec", "command", "nohup", "env", "builtin"}
_KEYWORDS = STRUCTURE | _PREFIXES
_QUOTES = re.compile(r"'([^']*)'|\"((?:\\.|[^\"\\])*)\"|\\(.)", re.S)

Words = list[tuple[str, Span]]


def unquote(text: str) -> str:
    return _QUOTES.sub(lambda m: next(g for g in m.groups() if g is not None), text)


def spaces(text: bytes) -> bytes:
    return re.sub(rb"[^\r\n]", b" ", text)


def blank(match: re.Match[bytes]) -> bytes:
    return spaces(match[0])


def heredoc_names(line: bytes) -> list[bytes]:
    if b"<<" not in line or line.lstrip().startswith(b"#"):
        return []
    return [next(g for g in m.groups() if g is not None) for m in HEREDOC.finditer(line)]


def blank_heredocs(code: bytes) -> bytes:
    """Blank the bodies of here-documents, and their operators on the line that opens them."""
    if b"<<" not in code:
        return code
    lines = code.splitlines(keepends=True)
    last = {line.strip(): number for number, line in enumerate(lines)}
    waiting: deque[bytes] = deque()
    for number, line in enumerate(lines):
        if waiting:
            if line.strip() == waiting[0]:
                waiting.popleft()
            lines[number] = spaces(line)
            continue
        waiting = deque(name for name in heredoc_names(line) if last.get(name.strip(), -1) > number)
        if waiting:
            lines[number] = HEREDOC.sub(blank, line)
    return b"".join(lines)


def simple_commands(code: bytes, base: int = 0, redirected: Words | None = None) -> Iterator[Words]:
    """The simple commands of shell code, as words with spans. ``base`` is added to every offset.

    What a redirection names is no word of the command; it is added to ``redirected``."""
    code = CONTINUATION.sub(lambda m: m[1] + b" " * (len(m[0]) - len(m[1])), blank_heredocs(code))
    words: Words = []
    after_redirect = False
    for match in _TOKEN.finditer(code):
        if match.lastgroup == "word":
            text = match[0].decode("utf-8", "replace")
            word = (unquote(text), Span(base + match.start(), base + match.end()))
            if not after_redirect:
                words.append(word)
            elif redirected is not None:
                redirected.append(word)
            after_redirect = False
        elif match.lastgroup == "redirect":
            after_redirect = not match[0].endswith((b"&1", b"&2", b"-"))
        elif match.lastgroup == "separator":
            after_redirect = False
            if words:
                yield words
                words = []
    if words:
        yield words


def after_prefix(words: Words, at: int = 0) -> int:
    """Where a command goes on after ``sudo -E``, ``env``, ``time`` and the like; ``command -v`` stays, it runs nothing."""
    while at < len(words) and words[at][0] in _KEYWORDS:
        prefix = words[at][0]
        if prefix == "command" and at + 1 < len(words) and words[at + 1][0].startswith("-"):
            break
        at += 1
        if prefix in ("sudo", "env", "nohup", "time"):
            while at < len(words) and words[at][0].startswith("-"):
                at += 2 if words[at][0] in ("-u", "-g", "-C") else 1
    return at


def split_command(text: str) -> list[list[str]]:
    """The simple commands of a command line given as a string."""
    found = []
    for words in simple_commands(text.encode("utf-8", "replace")):
        at = after_prefix(words)
        while at < len(words) and ASSIGNMENT.fullmatch(words[at][0]):
            at = after_prefix(words, at + 1)
        if at < len(words):
            found.append([word for word, _ in words[at:]])
    return found


def literal(text: str) -> str | None:
    text = unquote(text)
    return None if "$" in text else text
