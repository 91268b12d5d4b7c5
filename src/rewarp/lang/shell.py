"""Shell: scripts, and the shell code inside Makefiles, Dockerfiles and YAML.

A light lexer that keeps offsets: comments and here-documents are blanked, line
continuations joined, words unquoted, command substitutions followed. It understands simple
commands and ``if``, not the rest of shell logic.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from rewarp.lang.cover import Cover
from rewarp.lang.document import Command, Document, EnvRead, EnvSet, Requirement, Word
from rewarp.lang.requirements import requirement
from rewarp.lang.shell_gates import Test, fold, names_a_side
from rewarp.source import Span
from rewarp.targets.base import Target

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
CONTINUATION = re.compile(rb"(?<!\\)((?:\\\\)*)\\(\r\n|\n)")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.S)
VARIABLE = re.compile(rb"\$\{?([A-Za-z_]\w*)")
_SUBSTITUTION = re.compile(rb"\$\((?!\()((?:[^()]|\([^()]*\))*)\)|`([^`]*)`")
_STRUCTURE = {"if", "then", "else", "elif", "fi", "while", "until", "do", "done", "esac", "!"}
_PREFIXES = {"time", "sudo", "exec", "command", "nohup", "env", "builtin"}
_KEYWORDS = _STRUCTURE | _PREFIXES
_EXPORTS = ("export", "declare", "local", "readonly", "typeset")
_CONTAINERS = ("docker", "podman", "nerdctl", "nvidia-docker")
_QUOTES = re.compile(r"'([^']*)'|\"((?:\\.|[^\"\\])*)\"|\\(.)", re.S)
_CASE = re.compile(rb"""(?<![\w-])case[ \t]+("[^"]*"|'[^']*'|\S+)[ \t]+in(?=\s)""")
_CASE_TOKEN = re.compile(rb"""(?<![\w-])(?:case|esac)(?![\w-])|;;|\)|'[^']*'|"(?:\\.|[^"\\])*"|\$\([^()]*\)""", re.S)
_BLANKS = re.compile(rb"\s*")
_DEPTH = 5
_CHAIN = 8

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


def _after_prefix(words: Words, at: int = 0) -> int:
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
        at = _after_prefix(words)
        while at < len(words) and _ASSIGNMENT.fullmatch(words[at][0]):
            at = _after_prefix(words, at + 1)
        if at < len(words):
            found.append([word for word, _ in words[at:]])
    return found


class Fragment(NamedTuple):
    """A piece of a file that is shell code."""

    code: bytes
    base: int


class _Arm(NamedTuple):
    """Code that runs only if ``own`` (None: no test) is true and none of the first ``after`` of ``earlier``, the list
    that all arms of one ``if`` share."""

    span: Span
    own: Test | None
    earlier: Sequence[Test] = ()
    after: int = 0
    group: int = -1
    """Arms of one ``if`` share it: the place the ``if`` stands at."""

    def __contains__(self, offset: object) -> bool:
        return isinstance(offset, int) and self.span.start <= offset < self.span.end


def _dead(arms: list[_Arm], target: Target) -> Iterator[Span]:
    """Where the code of arms never runs on the target."""
    holding: dict[int, int] = {}  # of each list of tests the first that holds
    for arm in arms:
        first = holding.get(id(arm.earlier))
        if first is None:
            held = (number for number, test in enumerate(arm.earlier) if fold(test, target) is True)
            first = holding[id(arm.earlier)] = next(held, len(arm.earlier))
        if first < arm.after or (arm.own is not None and fold(arm.own, target) is False):
            yield arm.span


class _If:
    """An ``if`` that is being read."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.testing = True
        self.parts: list[tuple[bool, tuple[str, ...]]] = []
        self.operators: set[str] = set()
        self.earlier: list[Test] = []
        self.own: Test | None = None
        self.start = 0
        self.last: tuple[str, ...] = ()
        """The last command of the arm that is being read."""
        self.leaves: Test | None = None
        """The test of a first arm that ends by leaving the script or function."""
        self.rests: list[tuple[int, Test | None, Sequence[Test]]] = []
        """What starts in the arm that is being read because something before it left."""

    def test(self) -> Test:
        any_of = None if len(self.operators) > 1 else "||" in self.operators
        return Test(tuple(self.parts), any_of)


class _Reader:
    """Reads fragments of shell code one after the other and collects what rules ask for."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.sets: list[EnvSet] = []
        self.words: Words = []
        self.arms: list[_Arm] = []
        self.handled: set[Span] = set()
        self._code, self._base = b"", 0
        self._closings: dict[tuple[int, int], int] = {}
        """By the code and an indentation: where the function closes that was asked for last."""

    def read(self, code: bytes, base: int, depth: int = 0, handled: bool = False) -> None:
        frames: list[_If] = []
        self._cases(code, base)
        self._code, self._base = code, base
        chain: list[tuple[bool, tuple[str, ...]]] = []
        pipeline: list[Span] = []
        previous: Span | None = None
        for words in simple_commands(code, base, self.words):
            span = Span(words[0][1].start, words[-1][1].end)
            link = _link(code[previous.end - base : span.start - base]) if previous else ""
            if previous and any("$?" in text for text, _ in words):
                self.handled.add(previous)
            previous = span
            words, negated = self._structure(words, frames)
            if not words:
                chain = []
                continue
            if frames and not frames[-1].testing:
                frames[-1].last = tuple(text for text, _ in words)
            testing = handled or bool(frames and frames[-1].testing)
            texts = tuple(text for text, _ in words)
            if frames and frames[-1].testing:
                frames[-1].parts.append((negated, texts))
                if link in ("&&", "||") and len(frames[-1].parts) > 1:
                    frames[-1].operators.add(link)
            if link == "&&" and chain:
                self.arms.append(_Arm(span, Test(tuple(chain[:_CHAIN]))))
            elif link == "||":
                if texts[0] not in ("exit", "return"):
                    self.handled.update(pipeline)
                elif _leaves(texts) and chain:
                    self._rest(span.end, Test(tuple(chain[:_CHAIN])), (), frames)
                if len(chain) == 1:
                    self.arms.append(_Arm(span, None, (Test(tuple(chain)),), 1))
                chain = []
            elif link != "&&":
                chain = []
            if link != "|":
                pipeline = []
            pipeline.append(span)
            if link in ("", "&&", ";"):
                chain.append((negated, texts))
            self._command(words, testing)
            for text, where in words:
                self.words.append((text, where))
                if depth < _DEPTH:
                    self._substitutions(code[where.start - base : where.end - base], where.start, depth, testing)
                    self._code, self._base = code, base

    def _rest(self, start: int, own: Test | None, earlier: Sequence[Test], frames: list[_If]) -> None:
        """From ``start`` on the code only runs under these tests: to the end of the arm it is in, or of the function
        or script."""
        if frames:
            frames[-1].rests.append((start, own, earlier))
            return
        at = start - self._base
        line = self._code.rfind(b"\n", 0, at) + 1
        blanks = _BLANKS.match(self._code, line, at)
        indent = max(blanks.end() - line - 1, 0) if blanks else 0
        # Places come in order: up to the closing that was found last there is no other.
        key = (self._base, indent)
        if self._closings.get(key, -1) < at:
            closing = re.compile(rb"^[ \t]{0,%d}\}" % indent, re.M).search(self._code, at)
            self._closings[key] = closing.start() if closing else len(self._code)
        end = self._base + self._closings[key]
        self.arms.append(_Arm(Span(start, end), own, earlier, len(earlier)))

    def _cases(self, code: bytes, base: int) -> None:
        """The arms of ``case`` as if each were an ``if`` that compares."""
        if b"esac" not in code:
            return
        code = re.sub(rb"(?m)(^|(?<=[ \t;]))#[^\r\n]*", blank, blank_heredocs(code))
        for match, arms in _cases(code):
            subject = unquote(match[1].decode("utf-8", "replace"))
            every = [pattern for patterns, _, _ in arms for pattern in patterns]
            # Beside an arm for AMD one called cuda is NVIDIA's, whatever is compared.
            sides = any(names_a_side(pattern) for pattern in every)
            earlier: list[Test] = []
            for patterns, start, end in arms:
                subject = "$PLATFORM" if sides else subject
                test = Test(tuple((False, ("[", subject, "=", pattern, "]")) for pattern in patterns), True)
                default = "*" in patterns
                own = None if default else test
                span = Span(base + start, base + end)
                self.arms.append(_Arm(span, own, earlier, len(earlier), base + match.start()))
                if not default:
                    earlier.append(test)

    def _structure(self, words: Words, frames: list[_If]) -> tuple[Words, bool]:
        """Follow the keywords a command starts with; the rest of it, and whether it is negated."""
        negated = False
        at = 0
        while at < len(words) and words[at][0] in _STRUCTURE:
            keyword, where = words[at]
            if keyword == "if":
                frames.append(_If(where.start))
            elif keyword == "!":
                negated = not negated
            elif frames and keyword == "then" and frames[-1].testing:
                frames[-1].own, frames[-1].testing, frames[-1].start = frames[-1].test(), False, where.end
                frames[-1].last = ()
            elif frames and keyword in ("elif", "else", "fi") and not frames[-1].testing:
                frame = frames[-1]
                span = Span(frame.start, where.start)
                self.arms.append(_Arm(span, frame.own, frame.earlier, len(frame.earlier), frame.place))
                for start, own, tests in frame.rests:
                    self.arms.append(_Arm(Span(start, where.start), own, tests, len(tests)))
                frame.rests = []
                if frame.own is not None and not frame.earlier and _leaves(frame.last):
                    frame.leaves = frame.own
                if frame.own is not None:
                    frame.earlier.append(frame.own)
                frame.own, frame.parts, frame.operators = None, [], set()
                frame.start, frame.testing = where.end, keyword == "elif"
                frame.last = ()
                if keyword == "fi":
                    frames.pop()
                    if frame.leaves is not None:
                        self._rest(where.end, None, (frame.leaves,), frames)
            at += 1
        return words[at:], negated

    def _command(self, words: Words, handled: bool) -> None:
        at = _after_prefix(words)
        exporting = at < len(words) and words[at][0] in _EXPORTS
        at += exporting
        while at < len(words):
            assignment = _ASSIGNMENT.fullmatch(words[at][0])
            if assignment:
                self._set(assignment, words[at][1])
                at = at + 1 if exporting else _after_prefix(words, at + 1)
            elif exporting:
                at += 1
            else:
                break
        rest = words[at:]
        if not rest:
            return
        command = Command(tuple(Word(*word) for word in rest), Span(rest[0][1].start, rest[-1][1].end))
        self.commands.append(command)
        if handled:
            self.handled.add(Span(words[0][1].start, words[-1][1].end))
        if command.name in _CONTAINERS:
            for option, word in zip(command.words, command.words[1:]):
                if option.text in ("-e", "--env"):
                    assignment = _ASSIGNMENT.fullmatch(word.text)
                elif word.text.startswith("--env="):
                    assignment = _ASSIGNMENT.fullmatch(word.text[6:])
                else:
                    continue
                if assignment:
                    self._set(assignment, word.where)

    def _set(self, assignment: re.Match[str], where: Span) -> None:
        value = assignment[2]
        self.sets.append(EnvSet(assignment[1], None if "$" in value or "`" in value else value, where))

    def _substitutions(self, raw: bytes, start: int, depth: int, handled: bool) -> None:
        if raw.startswith(b"'") or not (b"$(" in raw or b"`" in raw):
            return
        for match in _SUBSTITUTION.finditer(raw):
            group = 1 if match[1] is not None else 2
            self.read(match[group], start + match.start(group), depth + 1, handled)


def _link(between: bytes) -> str:
    """How a command is joined to the one before it: ``&&``, ``||``, ``|``, or not at all."""
    text = re.sub(rb"#[^\r\n]*", b"", between).rstrip()
    for operator in ("&&", "||", "|"):
        if text.endswith(operator.encode()):
            return operator
    return ""


def _leaves(words: tuple[str, ...]) -> bool:
    """Whether a command leaves the script or function in peace; ``exit 1`` is a failure, and stays one."""
    if words[:1] == ("return",):
        return True
    return words in (("exit",), ("exit", "0"))


class _Case:
    """A ``case`` that is being read."""

    def __init__(self, match: re.Match[bytes]) -> None:
        self.match = match
        self.start = match.end()
        self.patterns: list[str] | None = None
        self.arms: list[tuple[list[str], int, int]] = []
        """Of each arm its patterns and where its code is."""

    def take(self, token: re.Match[bytes]) -> None:
        """A token that stands in this ``case`` and in none within it."""
        word = token[0]
        if word in (b";;", b"esac"):
            if self.patterns is not None:
                self.arms.append((self.patterns, self.start, token.start()))
            self.patterns, self.start = None, token.end()
        elif word == b")" and self.patterns is None:
            text = token.string[self.start : token.start()].decode("utf-8", "replace").strip().lstrip("(")
            self.patterns, self.start = [unquote(part.strip()) for part in text.split("|")], token.end()


def _cases(code: bytes) -> Iterator[tuple[re.Match[bytes], list[tuple[list[str], int, int]]]]:
    """Every ``case``, and its arms. One within another is read along with it; only what a quote hides from that, for
    itself."""
    found = {match.start(): match for match in _CASE.finditer(code)}
    read: set[int] = set()
    for place, match in found.items():
        if place in read:
            continue
        read.add(place)
        cases = [_Case(match)]
        open_cases: list[_Case | None] = [*cases]
        for token in _CASE_TOKEN.finditer(code, match.end()):
            innermost = open_cases[-1]
            if token[0] == b"case":
                inner = found.get(token.start())
                open_cases.append(_Case(inner) if inner and token.start() not in read else None)
                cases += [case for case in open_cases[-1:] if case is not None]
                read.add(token.start())
            elif innermost is None or token.start() >= innermost.match.end():
                if innermost is not None:
                    innermost.take(token)
                if token[0] == b"esac":
                    open_cases.pop()
                    if not open_cases:
                        break
        yield from ((case.match, case.arms) for case in cases)


class ShellFile(Document):
    """A shell script. Subclasses say which parts of their file are shell."""

    def fragments(self) -> list[Fragment]:
        return [Fragment(self.source.view, 0)]

    @cached_property
    def _parsed(self) -> _Reader:
        reader = _Reader()
        for fragment in self.fragments():
            reader.read(fragment.code, fragment.base)
        return reader

    @cached_property
    def commands(self) -> list[Command]:
        return self._parsed.commands

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        return self._parsed.sets

    @cached_property
    def env_reads(self) -> list[EnvRead]:
        found: list[EnvRead] = []
        for _, (start, end) in self._parsed.words:
            raw = self.source.view[start:end]
            if b"'" in raw and not raw.startswith(b'"'):
                raw = re.sub(rb"'[^']*'", blank, raw)
            for match in VARIABLE.finditer(raw):
                found.append(EnvRead(match[1].decode(), Span(start + match.start(), start + match.end())))
        return list(dict.fromkeys(found))

    @cached_property
    def requirements(self) -> list[Requirement]:
        return pip_requirements(self.commands)

    def failure_is_handled(self, command: Command) -> bool:
        """Whether the script expects this command to fail: it is a test, or ``|| something`` follows."""
        return self._handled.holds(self.span(command))

    @cached_property
    def _handled(self) -> Cover:
        return Cover(self._parsed.handled)

    def unreachable(self, where: Any, target: Target) -> bool:
        dead = self._dead.get(target)
        if dead is None:
            dead = self._dead[target] = Cover(_dead(self._parsed.arms, target))
        return self.span(where).start in dead

    @cached_property
    def _dead(self) -> dict[Target, Cover]:
        return {}

    def exclusive(self, one: Any, other: Any) -> bool:
        """Whether two places are in different arms of the same ``if``, so that only one of them runs."""
        first, second = self.span(one).start, self.span(other).start
        groups = {arm.group for arm in self._parsed.arms if first in arm and second not in arm}
        return any(
            arm.group in groups for arm in self._parsed.arms if second in arm and first not in arm and arm.group >= 0
        )


_PIP_VALUE_OPTIONS = {
    *("-r", "-c", "-e", "-f", "-i", "-t", "-p", "--requirement", "--constraint", "--find-links", "--index-url"),
    *("--extra-index-url", "--target", "--prefix", "--root", "--platform", "--python-version", "--index", "--python"),
    *("--abi", "--implementation", "--cache-dir", "--trusted-host", "--progress-bar", "--config-settings", "--src"),
    *(
        "--group",
        "--extra",
        "--override",
        "--editable",
        "--torch-backend",
        "--log",
        "--proxy",
        "--timeout",
        "--retries",
    ),
    *("--report", "--global-option", "--only-binary", "--no-binary", "--upgrade-strategy", "--index-strategy"),
}
_PIP = re.compile(r"pip[\d.]*|pipenv")
_INSTALLERS = re.compile(
    r"pip[\d.]*|pipenv|python[\d.]*(\.exe)?|py|uv|poetry|pdm|conda|mamba|micromamba|docker|podman|srun|ssh|[${].*"
)


def install_words(command: Command) -> tuple[Word, ...]:
    """What stands after the verb of ``pip install``, ``uv pip install``, ``uv add``, ``poetry add``."""
    texts = command.texts
    if not _INSTALLERS.fullmatch(command.name):
        return ()
    for at, text in enumerate(texts[:8]):
        if text == "install" and any(_PIP.fullmatch(t.rpartition("/")[2]) for t in texts[:at]):
            return command.words[at + 1 :]
        if text == "add" and at and texts[at - 1].rpartition("/")[2] in ("uv", "poetry", "pdm"):
            return command.words[at + 1 :]
    return ()


def pip_requirements(commands: list[Command]) -> list[Requirement]:
    """What the ``pip install`` (and ``uv pip install``, ``uv add``) commands among these ask for."""
    found: list[Requirement] = []
    for command in commands:
        takes_value = False
        for word in install_words(command):
            if takes_value or word.text.startswith("-"):
                takes_value = not takes_value and word.text in _PIP_VALUE_OPTIONS
                continue
            if "/" in word.text.split("@")[0] or word.text.startswith((".", "$")) or word.text.endswith(".whl"):
                continue
            item = requirement(word.text, word.where)
            if item:
                found.append(item)
    return found


def literal(text: str) -> str | None:
    text = unquote(text)
    return None if "$" in text else text
