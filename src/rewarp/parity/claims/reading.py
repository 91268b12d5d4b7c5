"""What a hand-written parity document claims: tables, bullets, sentences, percentages and counts, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from html.parser import HTMLParser

from rewarp.parity.names.backends import backend_of


class State(Enum):
    """What a document says of a thing."""

    DONE = "done"
    PARTIAL = "partial"
    MISSING = "missing"


@dataclass(frozen=True)
class Claim:
    """One statement that can be held against the code."""

    line: int
    text: str
    """The words of the document."""
    names: tuple[str, ...] = ()
    """Things in backticks, as written."""
    topic: str = ""
    """What is spoken of, where nothing is in backticks."""
    backend: str | None = None
    """Whose; None where the document does not say."""
    state: State | None = None
    dtype: str = ""
    percent: float | None = None
    ratio: tuple[int, int] | None = None
    count: int | None = None
    counted: str = ""
    """What the count is of: `kernels`, `methods` …"""
    rows: tuple[int, int] | None = None
    """Of the table before it: the rows that say done, and all of them."""


# Negations first: "not implemented" holds "implemented".
_STATES = (
    (
        State.PARTIAL,
        re.compile(r"🚧|🟡|🟠|🔶|\bpartial(?:ly)?\b|\bin progress\b|\bwip\b|\bincomplete\b|\bhalf[- ]done\b", re.I),
    ),
    (
        State.MISSING,
        re.compile(
            r"❌|✗|✘|🔴|⏳|⬜|☐|\[ \]|\bnot (?:yet )?(?:implemented|supported|available|done|started|ported)\b|\bmissing\b"
            r"|\bunimplemented\b|\bunsupported\b|\bstub(?:bed)?\b|\berrors\b|\btodo\b|\black(?:s|ing)\b|^\W*(?:no|none|n)\W*$",
            re.I,
        ),
    ),
    (
        State.DONE,
        re.compile(
            r"✅|✔|☑|🟢|\[x\]|\bdone\b|\bimplement(?:ed|s)\b|\bcompleted?\b|\bsupported\b|\bworks\b|\bworking\b|\bported\b"
            r"|\bfull(?:y)?\b|^\W*(?:yes|y)\W*$",
            re.I,
        ),
    ),
)
_SIGNS = re.compile(r"[🚧🟡🟠🔶❌✗✘🔴⏳⬜☐✅✔☑🟢]")
_WARNING = "⚠"
_NONE_OF_IT = re.compile(r"\bN(?:O|ONE)\b")
_BOX = re.compile(r"\[( |x|X)\]\s+")
_OTHERS_PARITY = re.compile(r"\b\w+[- ](?:parity|compatib\w+|signature)\b", re.I)
"""Words after which a back end is the yardstick, not the one spoken of."""
_FENCE = re.compile(r"\s*(```|~~~)")
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(.*)")
_RULE_LINE = re.compile(r"(?=[^|]*\|)\s*(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?")
_NAME = re.compile(r"`([^`]+)`")
_NAMES = r"`[^`]+`(?:(?:\s*[,/&+]\s*|,?\s+and\s+|,?\s+or\s+)`[^`]+`)*"
_FIRST_NAMES = re.compile(rf"[*_ ]*({_NAMES})[*_]*")
_STATE_WORDS = r"(?:not\s+(?:yet\s+)?|fully\s+|partially\s+|only\s+)*(?:implemented|supported|done|complete|missing|ported|available|unsupported|partial|stubs?|stubbed|unimplemented)\b"
_IS = re.compile(
    rf"({_NAMES})\s+(?:is|are|remains?|stays?)\s+((?:now\s+|still\s+|also\s+|currently\s+|a\s+)*{_STATE_WORDS})", re.I
)
_LONGEST_SENTENCE = 2_000
_LABEL = re.compile(rf"\b({_STATE_WORDS})\**\s*:\**\s*({_NAMES})", re.I)
_PERCENT = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d+)?)\s*(?:%|percent\b)")
_RATIO = re.compile(r"(?<![\w/.])(\d{1,5})\s*/\s*(\d{1,5})(?![\d/.])")
_COUNT = re.compile(r"(?<![\w.,~≈])(\d{1,6})\s+(?:\w+\s+)?(kernels?|symbols?|methods?|operations?|ops)\b(?!\s*/)", re.I)
_VAGUE = re.compile(r"(?:~|≈|about|around|roughly|over|more than|nearly|at least)\s*$|^\+", re.I)
_SCORE_WORDS = re.compile(
    r"\bparity\b|\bcoverage\b|\bcomplete(?:d|ness)?\b|\bimplemented\b|\bscore\b|\blevel\b|\bported\b|\bops?\b", re.I
)
_STATUS_HEADER = re.compile(r"status|state|support|implemented|done|progress|parity|coverage", re.I)
_SUBJECT_HEADER = re.compile(
    r"\bop(?:eration)?s?\b|component|feature|kernel|function|method|\bname\b|area|module|\bapi\b|trait|layer", re.I
)
_ASIDE_HEADER = re.compile(r"notes?|comment|remark|size|complexity|file|effort|owner|effect|purpose|#", re.I)
_DTYPE = re.compile(r"(?:bf|fp?|[ui])\d{1,3}\w*|half|float|double|bool", re.I)


def state_of(text: str) -> State | None:
    """What a cell, a heading or a sentence says; a sign wins over words, and a warning sign says the least."""
    signs = "".join(_SIGNS.findall(text))
    for part in (signs, text) if signs else (text,):
        for state, pattern in _STATES:
            if pattern.search(part):
                return state
    if _NONE_OF_IT.search(text):
        return State.MISSING
    return State.PARTIAL if _WARNING in text else None


def claims(document: str) -> list[Claim]:
    """Every claim of a Markdown document, in order."""
    return list(_Reader(document).read())


class _Reader:
    def __init__(self, document: str) -> None:
        self.lines = document.splitlines()
        self.headings: list[tuple[int, State | None, str | None]] = []
        """For each heading above: its depth, what it says of all below it, and whose."""
        self.rows: tuple[int, int] | None = None
        self.lead: tuple[State | None, str | None] | None = None
        """What the line that leads into a list says of its bullets, and whose they are."""

    def read(self) -> Iterator[Claim]:
        at = 0
        fence = ""
        while at < len(self.lines):
            line = self.lines[at]
            if mark := _FENCE.match(line):
                fence = "" if fence == mark[1] else fence or mark[1]
            elif not fence:
                if "<table" in line.lower():
                    end = next((n for n in range(at, len(self.lines)) if "</table" in self.lines[n].lower()), at)
                    yield from self._html_table(at, end)
                    at = end
                elif at + 1 < len(self.lines) and "|" in line and _RULE_LINE.fullmatch(self.lines[at + 1]):
                    end = at + 2
                    while end < len(self.lines) and "|" in self.lines[end]:
                        end += 1
                    body = [(n + 1, _cells(self.lines[n])) for n in range(at + 2, end)]
                    yield from self._table(_cells(line), body)
                    at = end - 1
                else:
                    yield from self._line(at + 1, line)
            at += 1

    # --- lines --------------------------------------------------------------------------

    def _line(self, number: int, line: str) -> Iterator[Claim]:
        text = line.strip()
        if heading := _HEADING.match(line):
            depth = len(heading[1])
            self.headings = [one for one in self.headings if one[0] < depth]
            self.headings.append((depth, state_of(heading[2]), _backend(heading[2])))
            self.lead = None
            yield from self._figures(number, heading[2])
        elif bullet := _BULLET.match(line):
            yield from self._figures(number, text)
            yield from self._bullet(number, text, bullet[1])
        elif text:
            self.lead = (state_of(text), _backend(text)) if text.rstrip("*_ ").endswith(":") else None
            yield from self._figures(number, text)
            yield from self._sentence(number, text, text)

    def _bullet(self, number: int, text: str, said: str) -> Iterator[Claim]:
        box = _BOX.match(said)
        first = _FIRST_NAMES.match(said)
        if box or (_SIGNS.match(said) and not _names(said)):
            # `- [x] Pooling`, `- ✅ Pooling`: what it is about need not stand in backticks.
            topic = _plain(re.split(r"\(| [-–—] |: ", _SIGNS.sub("", said[box.end() if box else 0 :]))[0])
            done = State.DONE if box and box[1] != " " else State.MISSING if box else state_of(said)
            yield Claim(number, text, _names(said), topic, self._whose(said), done)
        elif first and not _SIGNS.search(said):
            # `- `conv2d`: done`, or a list under "Not implemented": what leads into it says what holds for each.
            state, backend = self._led()
            state = state_of(" ".join(said[first.end() :].split()[:4])) or state
            if state is not None:
                yield Claim(
                    number, text, _names(first[0]), backend=_backend(said[first.end() :]) or backend, state=state
                )
        else:
            yield from self._sentence(number, text, said)

    def _sentence(self, number: int, text: str, said: str) -> Iterator[Claim]:
        """`X` is not implemented; ❌ `X`; missing: `X`. Other prose about a name is no claim."""
        found: list[tuple[str, str]] = []
        said = said[:_LONGEST_SENTENCE]
        if _SIGNS.search(said) and _names(said):
            found = [(said, said)]
        else:
            found = [(match[1], match[2]) for match in _IS.finditer(said)]
            found += [(match[2], match[1]) for match in _LABEL.finditer(said)]
        for names, words in found:
            if (state := state_of(_NAME.sub("", words))) is not None:
                yield Claim(number, text, _names(names), backend=self._whose(_NAME.sub("", said)), state=state)

    def _led(self) -> tuple[State | None, str | None]:
        """What holds for the bullets of a list: as the line before it says, else the nearest heading that says."""
        if self.lead is not None and self.lead[0] is not None:
            return self.lead
        found = next((state for _, state, _ in reversed(self.headings) if state is not None), None)
        return found, self._whose("")

    def _figures(self, number: int, text: str) -> Iterator[Claim]:
        """Percentages, ratios and counts in a line."""
        plain = _NAME.sub(lambda match: " " * len(match[0]), text)
        whose = self._whose(plain)
        ratio = _RATIO.search(plain)
        if _SCORE_WORDS.search(plain):
            for match in _PERCENT.finditer(plain):
                if not _VAGUE.search(plain[: match.start()]):
                    yield Claim(number, text, backend=whose, percent=float(match[1]))
            if ratio and int(ratio[2]) and int(ratio[1]) <= int(ratio[2]):
                parts = (int(ratio[1]), int(ratio[2]))
                yield Claim(number, text, backend=whose, ratio=parts, rows=self.rows)
        for match in _COUNT.finditer(plain):
            if not _VAGUE.search(plain[: match.start()]) and not (
                ratio and ratio.start() <= match.start() < ratio.end()
            ):
                counted = match[2].lower().rstrip("s") + "s"
                yield Claim(number, text, backend=whose, count=int(match[1]), counted=counted)

    def _whose(self, text: str) -> str | None:
        own = _backend(text)
        return own or next((one for _, _, one in reversed(self.headings) if one is not None), None)

    # --- tables -------------------------------------------------------------------------

    def _html_table(self, start: int, end: int) -> Iterator[Claim]:
        parser = _HtmlTable(start + 1)
        parser.feed("\n".join(self.lines[start : end + 1]))
        rows = [(number, cells) for number, cells in parser.rows if cells]
        if len(rows) > 1:
            yield from self._table(rows[0][1], rows[1:])

    def _table(self, header: list[str], body: list[tuple[int, list[str]]]) -> Iterator[Claim]:
        sides = {at: found for at, cell in enumerate(header) if (found := _backend(cell))}
        dtypes = {
            at: cell.strip("` *").lower() for at, cell in enumerate(header) if _DTYPE.fullmatch(cell.strip("` *"))
        }
        status = [
            at for at, cell in enumerate(header) if _STATUS_HEADER.search(cell) and at not in sides and at not in dtypes
        ]
        subject = _subject(header, {*sides, *dtypes, *status})
        if subject is None or not (sides or dtypes or status):
            return
        done = 0
        for number, cells in body:
            if subject >= len(cells) or not cells[subject].strip():
                continue
            said = list(self._row(number, cells, subject, sides, dtypes, status))
            states = [claim.state for claim in said]
            done += bool(states) and all(state is State.DONE for state in states)
            yield from said
        self.rows = (done, len(body))

    def _row(
        self,
        number: int,
        cells: list[str],
        subject: int,
        sides: dict[int, str],
        dtypes: dict[int, str],
        status: list[int],
    ) -> Iterator[Claim]:
        names, topic = _names(cells[subject]), _plain(cells[subject])
        text = " | ".join(_plain(cell) for cell in cells)
        heading = next((one for _, _, one in reversed(self.headings) if one is not None), None)
        columns = [
            *((at, backend, "") for at, backend in sides.items()),
            *((at, heading, dtype) for at, dtype in dtypes.items()),
            *((at, heading if not sides else None, "") for at in status),
        ]
        seen = set()
        for at, backend, dtype in columns:
            state = state_of(cells[at]) if at < len(cells) else None
            if state is None or (dtype == "" and backend is None and state in seen):
                continue  # "Status" repeats what the back end's own column says
            seen.add(state)
            yield Claim(number, text, names, topic, backend, state, dtype)


class _HtmlTable(HTMLParser):
    """Rows of cells, each with the line that it begins on."""

    def __init__(self, first_line: int) -> None:
        super().__init__()
        self.first_line = first_line
        self.rows: list[tuple[int, list[str]]] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append((self.first_line + self.getpos()[0] - 1, []))
        elif tag in ("td", "th") and self.rows:
            self.rows[-1][1].append("")
            self._inside = True
        elif tag == "code" and self._inside:
            self.handle_data("`")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._inside = False
        elif tag == "code" and self._inside:
            self.handle_data("`")

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.rows[-1][1][-1] += data


def _cells(line: str) -> list[str]:
    """The cells of a table row; a bar in backticks or after a backslash parts nothing."""
    masked = re.sub(r"`[^`]*`|\\\|", lambda match: "x" * len(match[0]), line)
    edges = [at for at, character in enumerate(masked) if character == "|"]
    parts = [line[one + 1 : two] for one, two in zip([-1, *edges], [*edges, len(line)])]
    if parts and not parts[0].strip():
        parts = parts[1:]
    if parts and not parts[-1].strip():
        parts = parts[:-1]
    return [part.strip() for part in parts]


def _subject(header: list[str], taken: set[int]) -> int | None:
    """The column that names what a row is about."""
    free = [at for at in range(len(header)) if at not in taken]
    named = [at for at in free if _SUBJECT_HEADER.search(header[at]) and not _ASIDE_HEADER.search(header[at])]
    plain = [at for at in free if not _ASIDE_HEADER.fullmatch(header[at].strip())]
    return next(iter(named or plain), None)


def _names(text: str) -> tuple[str, ...]:
    found = [part.strip() for match in _NAME.findall(text) for part in match.split(",")]
    return tuple(name for name in found if name)


def _plain(text: str) -> str:
    return re.sub(r"[*~`]|(?<!\w)_+|_+(?!\w)", "", text).strip()


def _backend(text: str) -> str | None:
    """The back end that words name; None for none or for several."""
    return backend_of(_OTHERS_PARITY.sub("", text).lower())
