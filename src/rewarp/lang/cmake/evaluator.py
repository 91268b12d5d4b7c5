"""Runs a project's CMake files under given switches, reading only.

What cannot be known (programs that CMake would start, packages, the environment) is *unknown*: a value marked as such, and
a condition on it is neither true nor false. Every branch under such a condition is run; what it adds is kept with the
condition, and a variable that it sets is afterwards a choice between its values.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from rewarp.errors import RewarpError, UnreadableSource
from rewarp.lang.cmake.blocks import Block, Call, Choice, Node, read_blocks
from rewarp.lang.cmake.conditions import ConditionError, Word, decide
from rewarp.lang.cmake.model import CMakeOption, CMakeTarget, Directory, Given, Item, Reason
from rewarp.lang.cmake.modules import MORE_NAMES
from rewarp.lang.cmake.scopes import Scopes
from rewarp.lang.cmake.values import (
    Conditions,
    Element,
    Guards,
    Literal,
    Truth,
    cleaned,
    elements,
    first_choice,
    has_choice,
    is_known,
    split,
    unknown,
)

_STEPS = 150_000
_DEEPEST = 60
_LONGEST = 4_000_000
_TURNS = 20_000
_PIECE = re.compile(r"\\(?P<escaped>.)|\$(?P<kind>ENV|CACHE)?\{|\}", re.S)
_BRACKET = re.compile(r"\[(=*)\[\r?\n?(.*)\]\1\]", re.S)
_VARIABLE = re.compile(r"[A-Za-z]\w*")
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", ";": "\\;"}


class LimitError(RewarpError):
    """The files would run longer, or deeper, than is looked at."""


class Files(Protocol):
    """The files of a project; a workspace's tree is one."""

    @property
    def entries(self) -> Mapping[str, Any]: ...

    def read(self, path: str) -> bytes | None: ...


@dataclass(frozen=True)
class Setting:
    """Under what a project is configured."""

    switches: Mapping[str, str] = field(default_factory=dict)
    """Variables given on the command line."""
    given: frozenset[str] = frozenset()
    """Variables that are given too, with values that are not known."""
    packages: Mapping[str, bool] = field(default_factory=dict)
    """Whether ``find_package`` finds them; for one that is not named, that is unknown."""
    brought: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Variables that ``find_package`` sets, by package, where that is known; to flags it adds."""
    enabled_by: Mapping[str, str] = field(default_factory=dict)
    """Languages that ``find_package`` enables, by package."""
    compilers: Mapping[str, bool] = field(default_factory=dict)
    """Whether there is a compiler for a language: CUDA, HIP."""
    programs: Mapping[str, str] = field(default_factory=dict)
    """Where ``find_program`` finds them; empty for one that is not there."""
    environment: Mapping[str, str | None] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    """What CMake itself would have found out: CMAKE_CXX_COMPILER_ID."""
    root: str = "/project"
    """The absolute path that the tree's root stands for."""
    build: str = "/project/build"


class Exit(NamedTuple):
    """A way out of a block: return, break, continue, fatal; where it is not sure, under which condition."""

    kind: str
    when: Truth = True


@dataclass
class Frame:
    """A file, function or macro that is being run."""

    file: str
    macro: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Function:
    block: Block
    is_macro: bool
    file: str
    guards: Guards = ()
    """Conditions under which it is defined, as far as nothing here decides them."""


Handler = Callable[["Evaluator", "Arguments"], "Exit | None"]
HANDLERS: dict[str, Handler] = {}
AWARE: set[str] = set()
"""Commands that take elements under conditions as they are; the others are run once for each case."""


def command(*names: str, aware: bool = False) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(names, handler))
        AWARE.update(names if aware else ())
        return handler

    return register


@dataclass(frozen=True)
class Arguments:
    """A call with its arguments expanded."""

    call: Call
    elements: list[Element]

    @property
    def texts(self) -> list[str]:
        return [element.text for element in self.elements]

    @property
    def parts(self) -> list[Element]:
        """The arguments, and of a list in quotes that depends on conditions its elements, each with its own."""
        found: list[Element] = []
        for element in self.elements:
            if has_choice(element.text) and "$<" not in element.text:
                found += [Element(text, (*element.guards, *guards)) for text, guards in elements(element.text)]
            else:
                found.append(element)
        return found

    @property
    def reason(self) -> Reason:
        return Reason(self.call.file, self.call.line)

    @property
    def is_known(self) -> bool:
        return all(is_known(element.text) for element in self.elements)


class Evaluator:
    def __init__(self, files: Files, setting: Setting) -> None:
        self.files, self.setting = files, setting
        self.conditions = Conditions()
        self.scopes = Scopes(self.conditions)
        self.path: list[Literal] = []
        """The undecided conditions around the place that is run."""
        self.functions: dict[str, list[Function]] = {}
        """Of each name what was defined last; before it, what holds where that is not defined."""
        self.targets: dict[str, CMakeTarget] = {}
        self.aliases: dict[str, str] = {}
        self.languages: dict[str, list[Guards]] = {}
        self.options: dict[str, CMakeOption] = {}
        self.messages: list[str] = []
        self.unread: list[tuple[Reason, str]] = []
        self.stopped = ""
        self.refusals: list[tuple[Reason, str]] = []
        self.wanted: frozenset[str] = frozenset()
        self._undefined: list[set[str]] = []
        """For each if() around this place the variables that its tests asked for and nothing defines."""
        self.directory = Directory(setting.root, setting.build, Given())
        self.directories = [self.directory]
        self.frames: list[Frame] = []
        self.policies: dict[str, str] = {}
        self.minimum = "3.10"
        self.missing: str = ""
        """Something that was not there to be read, and that may define commands and targets."""
        self.listings: dict[bool, Sequence[str]] = {}
        """The paths of the tree, without folders and with them."""
        self._steps = 0
        self._blocks: dict[str, tuple[Node, ...]] = {}

    # --- running -------------------------------------------------------------------

    def run(self, nodes: Sequence[Node]) -> Exit | None:
        for at, node in enumerate(nodes):
            way_out = self._node(node)
            if way_out is None:
                continue
            if not isinstance(way_out.when, Literal):
                return way_out
            rest = nodes[at + 1 :]
            # Left on some ways only: the rest is for the others.
            ends = self.branch([(way_out.when, lambda: None), (None, lambda rest=rest: self.run(rest))])  # type: ignore[misc]
            return self._combined(way_out, ends[1])
        return None

    def _combined(self, first: Exit, second: Exit | None) -> Exit:
        if second is None:
            return first
        kind = first.kind if first.kind == second.kind else max(first.kind, second.kind, key=_reach)
        return Exit(kind, self.conditions.both(first.when, second.when, either=True))

    def _node(self, node: Node) -> Exit | None:
        self._steps += 1
        if self._steps > _STEPS:
            raise LimitError(f"more than {_STEPS:,} commands are run")
        if isinstance(node, Choice):
            return self._choose(node)
        if isinstance(node, Call):
            return self.call(node)
        kind = node.opening.name
        if kind in ("function", "macro"):
            words = self.expanded(node.opening)
            if words:
                function = Function(node, kind == "macro", self.frames[-1].file, tuple(self.path))
                name = words[0].text.lower()
                self.functions[name] = [*(self.functions.get(name, ()) if self.path else ()), function]
            return None
        if kind == "foreach":
            return self._foreach(node)
        if kind == "while":
            return self._while(node)
        return self._block(node)

    def branch(self, options: Sequence[tuple[Literal | None, Callable[[], Exit | None]]]) -> list[Exit | None]:
        """Run each option, one after another, as if those before it did not hold; merge what they change."""
        ends: list[Exit | None] = []
        changes = []
        known = self.conditions.known
        for at, (literal, run) in enumerate(options):
            self.conditions.known = dict(known)
            around = len(self.path)
            before = [option[0].denied() for option in options[:at] if option[0] is not None]
            for assumed in (*before, *([literal] if literal else [])):
                if isinstance(self.conditions.value(assumed), Literal):
                    self.path.append(assumed)
                    self.conditions.assume(assumed)
            changes.append(self.scopes.tried(lambda run=run: ends.append(run())))  # type: ignore[misc]
            del self.path[around:]
        self.conditions.known = known
        for key in dict.fromkeys(key for change in changes for key in change):
            here = self.scopes.current(key)
            values = [(literal, change.get(key, here)) for (literal, _), change in zip(options, changes)]
            self.scopes.write_choice(key, values)
        return ends

    # --- if --------------------------------------------------------------------------

    def truth(self, call: Call) -> Truth:
        words: list[Word] = []
        for argument, value in zip(call.arguments, self.raw(call)):
            if argument.style == "bare":
                # What depends on a condition stays one word: it is decided for each of its cases.
                parts = [value] if has_choice(value) else split(value)
                words += [Word(part) for part in parts]
            else:
                words.append(Word(value, is_quoted=True))
        try:
            return decide(words, self)
        except ConditionError as error:
            self.stop(call, f"{call.name}: {error}")
            return self.conditions.atom(("error", call.file, call.line), f"condition in {call.file}:{call.line}")

    def _choose(self, node: Choice) -> Exit | None:
        self._undefined.append(set())
        try:
            return self._chosen(node)
        finally:
            self._undefined.pop()

    def _chosen(self, node: Choice) -> Exit | None:
        options: list[tuple[Literal | None, Callable[[], Exit | None]]] = []
        known = dict(self.conditions.known)
        sure = False
        for branch in node.branches:
            truth = True if branch.test is None else self.truth(branch.test)
            if self.stopped:
                return Exit("fatal")
            if truth is False:
                continue
            options.append((truth if isinstance(truth, Literal) else None, lambda body=branch.body: self.run(body)))  # type: ignore[misc]
            if truth is True:
                sure = True
                break
            assert isinstance(truth, Literal)
            self.conditions.assume(truth.denied())  # for the tests that follow
        self.conditions.known = known
        if not options:
            return None
        if len(options) == 1 and options[0][0] is None:
            return options[0][1]()
        if not sure:
            options.append((None, lambda: None))
        return self._left(options, self.branch(options))

    def _left(self, options: Sequence[tuple[Literal | None, object]], ends: Sequence[Exit | None]) -> Exit | None:
        """How branches were left, as one way out; those that end with an error are not taken in any build."""
        found: Exit | None = None
        denied: Truth = True  # none of the options before
        if all(end and end.kind == "fatal" and end.when is True for end in ends):
            return Exit("fatal")
        for (literal, _), end in zip(options, ends):
            here = self.conditions.both(denied, literal) if literal else denied
            if literal:
                denied = self.conditions.both(denied, literal.denied())
            if end is None:
                continue
            when = self.conditions.both(here, end.when)
            if end.kind == "fatal":
                if isinstance(when, Literal):
                    self.conditions.assume(when.denied())
                continue
            way_out = Exit(end.kind, when)
            found = self._combined(found, way_out) if found else way_out
        if found and isinstance(found.when, Literal):
            found = Exit(found.kind, self.conditions.value(found.when))
        return found if found and found.when is not False else None

    # --- loops -----------------------------------------------------------------------

    def _foreach(self, node: Block) -> Exit | None:
        words = self.expanded(node.opening)
        if not words:
            return None
        name = words[0].text
        turns = self._turns(node.opening, words[1:])
        before = self.scopes.get(name)
        left: Exit | None = None
        for at, turn in enumerate(turns[: _TURNS + 1]):
            if at == _TURNS:
                raise LimitError(f"foreach() takes more than {_TURNS:,} turns")
            end = self._turn(turn, lambda values=turn[1]: self._looped(node, values))  # type: ignore[misc]
            if end is not None and end.kind in ("return", "fatal"):
                left = end
                break
            if end is not None and end.kind == "break" and end.when is True:
                break
            if end is not None and end.kind == "break":
                rest = turns[at + 1 :]
                self.branch([(end.when, lambda: None), (None, lambda rest=rest: self._turns_left(node, rest))])  # type: ignore[misc,list-item]
                break
        self.scopes.set(name, before)
        return left

    def _turns_left(self, node: Block, turns: Sequence[tuple[Guards, Mapping[str, str]]]) -> None:
        for turn in turns:
            self._turn(turn, lambda values=turn[1]: self._looped(node, values))  # type: ignore[misc]

    def _turn(self, turn: tuple[Guards, Mapping[str, str]], run: Callable[[], Exit | None]) -> Exit | None:
        """One turn of a loop, under the conditions of its element."""
        truth = self.all_of(turn[0])
        if truth is False:
            return None
        if truth is True:
            return run()
        options: list[tuple[Literal | None, Callable[[], Exit | None]]] = [(truth, run), (None, lambda: None)]
        return self._left(options, self.branch(options))

    def _looped(self, node: Block, values: Mapping[str, str]) -> Exit | None:
        for name, value in values.items():
            self.scopes.set(name, value)
        end = self.run(node.body)
        return None if end is not None and end.kind == "continue" else end

    def _turns(self, call: Call, words: list[Element]) -> list[tuple[Guards, Mapping[str, str]]]:
        name = self.expanded(call)[0].text
        texts = [word.text for word in words]
        if texts[:1] == ["RANGE"]:
            return [((), {name: value}) for value in _range(texts[1:], call)]
        if "ZIP_LISTS" in texts:
            at = texts.index("ZIP_LISTS")
            lists = [elements(self.scopes.get(text) or "", keep_empty=True) for text in texts[at + 1 :]]
            names = [name, *texts[: at - 1]]
            names = names if len(names) > 1 else [f"{name}_{number}" for number in range(len(lists))]
            longest = max(map(len, lists), default=0)
            return [
                ((), {n: items[at].text if at < len(items) else "" for n, items in zip(names, lists)})
                for at in range(longest)
            ]
        if texts[:1] != ["IN"]:
            return [(word.guards, {name: word.text}) for word in words]
        found: list[tuple[Guards, Mapping[str, str]]] = []
        in_lists = False
        for word in words[1:]:
            if word.text in ("LISTS", "ITEMS"):
                in_lists = word.text == "LISTS"
            elif in_lists:
                value = self.scopes.get(word.text) or ""
                found += [((*word.guards, *e.guards), {name: e.text}) for e in elements(value, keep_empty=True)]
            else:
                found.append((word.guards, {name: word.text}))
        return found

    def _while(self, node: Block) -> Exit | None:
        for _ in range(_TURNS):
            truth = self.truth(node.opening)
            if truth is False:
                return None
            if isinstance(truth, Literal):
                # How often is not known: once at most is looked at, and marked.
                self.note(node.opening, "how often while() repeats is not known")
                options: list[tuple[Literal | None, Callable[[], Exit | None]]] = [
                    (truth, lambda: self._looped(node, {})),
                    (None, lambda: None),
                ]
                end = self._left(options, self.branch(options))
                return end if end and end.kind in ("return", "fatal") else None
            end = self._looped(node, {})
            if end is not None and end.kind == "break" and end.when is True:
                return None
            if end is not None and end.kind == "break":
                self.note(node.opening, "how often while() repeats is not known")
                return None
            if end is not None:
                return end
        raise LimitError(f"while() takes more than {_TURNS:,} turns")

    def _block(self, node: Block) -> Exit | None:
        words = [word.text for word in self.expanded(node.opening)]
        scoped = "SCOPE_FOR" not in words or "VARIABLES" in words
        if not scoped:
            return self.run(node.body)
        self.scopes.push()
        end = self.run(node.body)
        names = words[words.index("PROPAGATE") + 1 :] if "PROPAGATE" in words else []
        values = {name: self.scopes.get(name) for name in names}
        self.scopes.pop()
        for name, value in values.items():
            self.scopes.set(name, value)
        return end

    # --- calls -----------------------------------------------------------------------

    def call(self, call: Call) -> Exit | None:
        name = call.name
        if name == "cmake_language":
            return self._language(call)
        if name in self.functions:
            return self._called_under(call, self.functions[name])
        return self._built_in(call)

    def _called_under(self, call: Call, functions: Sequence[Function]) -> Exit | None:
        """The one that was defined last; where that depends on a condition, else what there was before it."""
        options: list[tuple[Literal | None, Callable[[], Exit | None]]] = []
        for function in reversed(functions):
            truth = self.all_of(function.guards)
            if truth is False:
                continue
            literal = truth if isinstance(truth, Literal) else None
            options.append((literal, lambda function=function: self._called(call, function)))  # type: ignore[misc]
            if literal is None:
                break
        else:
            options.append((None, lambda: self._built_in(call)))
        return options[0][1]() if len(options) == 1 else self._left(options, self.branch(options))

    def all_of(self, guards: Guards) -> Truth:
        truth: Truth = True
        for guard in guards:
            truth = self.conditions.both(truth, self.conditions.value(guard))
        return truth

    def _built_in(self, call: Call) -> Exit | None:
        name = call.name
        arguments = Arguments(call, self.expanded(call))
        handler = HANDLERS.get(name)
        if handler is None:
            return self._not_known(arguments)
        if name not in AWARE:
            literal = _depends(arguments.elements)
            if literal is not None and isinstance(self.conditions.value(literal), Literal):
                again = (lambda: self.call(call), lambda: self.call(call))
                options: list[tuple[Literal | None, Callable[[], Exit | None]]] = [
                    (literal, again[0]),
                    (None, again[1]),
                ]
                return self._left(options, self.branch(options))
        return handler(self, arguments)

    def _language(self, call: Call) -> Exit | None:
        """cmake_language(CALL name …)."""
        words = self.expanded(call)
        if len(words) > 1 and words[0].text == "CALL" and is_known(words[1].text):
            return self.call(Call(words[1].text.lower(), call.arguments[2:], call.file, call.line))
        self.note(call, "cmake_language() is not followed")
        return None

    def _called(self, call: Call, function: Function) -> Exit | None:
        if len(self.frames) > _DEEPEST:
            raise LimitError(f"functions, macros and files call each other more than {_DEEPEST} deep")
        given = self.expanded(call)
        parameters = [word.text for word in self.expanded(function.block.opening)[1:]]
        texts = [joined_choice(element) for element in given]
        values = {**dict(zip(parameters, texts))}
        values |= {f"ARGV{at}": text for at, text in enumerate(texts)}
        values |= {"ARGC": str(len(texts)), "ARGV": ";".join(texts), "ARGN": ";".join(texts[len(parameters) :])}
        if function.is_macro:
            self.frames.append(Frame(function.file, {**values}))
            end = self.run(function.block.body)
            self.frames.pop()
            return end
        self.scopes.push()
        for name, value in values.items():
            self.scopes.set(name, value)
        self.scopes.set("CMAKE_CURRENT_FUNCTION", function.block.opening.arguments[0].text)
        self.frames.append(Frame(function.file))
        end = self.run(function.block.body)
        self.frames.pop()
        self.scopes.pop()
        return end if end and end.kind == "fatal" else None

    def _not_known(self, arguments: Arguments) -> Exit | None:
        """A command that nobody here defines: it may set what it is given by name."""
        self.note(arguments.call, f"the command {arguments.call.name}() is not known")
        self.missing = self.missing or f"{arguments.call.name}()"
        for argument in arguments.call.arguments:
            if argument.style == "bare" and re.fullmatch(r"[A-Za-z_]\w*", argument.text):
                self.scopes.origins.append((re.compile(re.escape(argument.text)), f"{arguments.call.name}()"))
                if self.scopes.get(argument.text) is not None:
                    self.scopes.set(argument.text, unknown(f"{argument.text} after {arguments.call.name}()"))
        return None

    # --- files -----------------------------------------------------------------------

    def run_file(self, path: str, call: Call | None) -> Exit | None:
        """Run a file of the tree in the scope that is current."""
        if len(self.frames) > _DEEPEST:
            raise LimitError(f"functions, macros and files call each other more than {_DEEPEST} deep")
        nodes = self._blocks.get(path)
        if nodes is None:
            data = self.files.read(path)
            try:
                nodes = read_blocks(path, data or b"")
            except UnreadableSource as error:
                self.unread.append((Reason(path, error.line or 1), error.reason))
                self.missing = path
                return None
            self._blocks[path] = nodes
        absolute = posixpath.join(self.setting.root, path)
        names = ("CMAKE_CURRENT_LIST_FILE", "CMAKE_CURRENT_LIST_DIR")
        before = [self.scopes.get(name) for name in names]
        for name, value in zip(names, (absolute, posixpath.dirname(absolute))):
            self.scopes.set(name, value)
        self.frames.append(Frame(path))
        end = self.run(nodes)
        self.frames.pop()
        for name, old in zip(names, before):
            self.scopes.set(name, old)
        return end if end and end.kind == "fatal" else None

    def inside(self, path: str) -> str | None:
        """The path in the tree of an absolute one; None for what is elsewhere."""
        path = posixpath.normpath(path)
        root = self.setting.root.rstrip("/")
        if path == root:
            return ""
        return path[len(root) + 1 :] if path.startswith(root + "/") else None

    # --- arguments -------------------------------------------------------------------

    def raw(self, call: Call) -> list[str]:
        """Each argument, expanded and not split."""
        macro = self.frames[-1].macro if self.frames else None
        found: list[str] = []
        for argument in call.arguments:
            text = cleaned(argument.text)
            if argument.style == "bracket":
                match = _BRACKET.fullmatch(text)
                found.append(match[2] if match else text)
                continue
            if macro and "$" in text:
                text = re.sub(r"\$\{(\w+)\}", lambda match: macro.get(match[1], match[0]), text)
            found.append(self.substituted(text))
        return found

    def expanded(self, call: Call) -> list[Element]:
        found: list[Element] = []
        for argument, value in zip(call.arguments, self.raw(call)):
            found += elements(value) if argument.style == "bare" else [Element(value)]
        return found

    def substituted(self, text: str) -> str:
        """References to variables replaced, escapes resolved."""
        if "$" not in text and "\\" not in text:
            return text
        stack: list[tuple[str, list[str]]] = []
        into: list[str] = []
        at = 0
        for piece in _PIECE.finditer(text):
            into.append(text[at : piece.start()])
            at = piece.end()
            if piece["escaped"]:
                into.append(_CONTROL.get(piece["escaped"], piece["escaped"]))
            elif piece[0] != "}":
                stack.append((piece["kind"] or "", into))
                into = []
            elif stack:
                kind, outer = stack.pop()
                outer.append(self._referred(kind, "".join(into)))
                into = outer
            else:
                into.append("}")
        into.append(text[at:])
        while stack:
            _, outer = stack.pop()
            into = [*outer, *into]
        found = "".join(into)
        if len(found) > _LONGEST:
            raise LimitError("a value grows beyond 4 MB")
        return found

    def _referred(self, kind: str, name: str) -> str:
        if has_choice(name) or not is_known(name):
            return unknown(f"${{{name}}}")
        if kind == "ENV":
            if name in self.setting.environment:
                return self.setting.environment[name] or ""
            return unknown(f"$ENV{{{name}}}", maybe_undefined=True)
        value = self.scopes.cached(name) if kind == "CACHE" else self.variable(name)
        return (value or "").replace("\x07", "")

    # --- what conditions ask ---------------------------------------------------------

    def variable(self, name: str) -> str | None:
        value = self.scopes.get(name)
        if value is None and self._undefined and _VARIABLE.fullmatch(name):
            self._undefined[-1].add(name)
        return value

    def matched(self, groups: Sequence[str | None] | None) -> None:
        values = (
            [unknown(f"CMAKE_MATCH_{at}") for at in range(10)] if groups is None else [group or "" for group in groups]
        )
        for at in range(10):
            name = f"CMAKE_MATCH_{at}"
            if at < len(values) or self.scopes.get(name):
                self.scopes.set(name, values[at] if at < len(values) else "")
        self.scopes.set("CMAKE_MATCH_COUNT", str(max(len(values) - 1, 0)))

    def asked(self, test: str, word: str) -> bool | None:
        from rewarp.lang.cmake.questions import answer

        return answer(self, test, word)

    @property
    def files_run(self) -> tuple[str, ...]:
        return tuple(self._blocks)

    def may_bring(self, name: str, what: str) -> None:
        """Something that cannot be read may set variables: those whose names begin like its own, in any case."""
        bare = name.rstrip("0123456789")
        stem = re.escape(bare if len(bare) > 2 else name)
        more = "|".join(MORE_NAMES.get(name.lower(), ()))
        pattern = rf"(?i:{stem})\w*" + (f"|(?:{more})\\w*" if more else "")
        self.scopes.origins.append((re.compile(pattern), what))

    # --- notes -----------------------------------------------------------------------

    def note(self, call: Call, what: str) -> None:
        self.unread.append((Reason(call.file, call.line), what))

    def stop(self, call: Call, why: str) -> Exit:
        """CMake ends here with an error."""
        if not self.path and not self.stopped:
            self.stopped = f"{call.file}:{call.line}: {why}"
            self.refusals.append((Reason(call.file, call.line), why))
            self.wanted = frozenset(name for names in self._undefined for name in names)
        return Exit("fatal")

    def item(self, element: Element, reason: Reason) -> Item:
        return Item(element.text, (*self.path, *element.guards), reason)


def joined_choice(element: Element) -> str:
    """An argument as a function's parameter holds it."""
    from rewarp.lang.cmake.values import joined

    return joined([element])


def _reach(kind: str) -> int:
    return ("continue", "break", "return", "fatal").index(kind)


def _depends(found: Sequence[Element]) -> Literal | None:
    for element in found:
        if element.guards:
            return element.guards[0]
        if has_choice(element.text):
            return Literal(first_choice(element.text))
    return None


def _range(texts: Sequence[str], call: Call) -> list[str]:
    if not all(re.fullmatch(r"[+-]?\d+", text) for text in texts) or not texts:
        return [unknown(f"foreach() in line {call.line}")]
    numbers = [int(text) for text in texts]
    start, stop = (0, numbers[0]) if len(numbers) == 1 else numbers[:2]
    step = numbers[2] if len(numbers) > 2 else 1 if stop >= start else -1
    if step == 0 or (stop != start and (stop > start) is not (step > 0)):
        raise LimitError(f"{call.file}:{call.line}: foreach() can never reach its end")
    if abs(stop - start) // abs(step) > _TURNS:
        raise LimitError(f"foreach() takes more than {_TURNS:,} turns")
    return [str(number) for number in range(start, stop + (1 if step > 0 else -1), step)]
