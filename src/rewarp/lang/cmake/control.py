"""How CMake files run: blocks, if(), foreach(), while(). Where a condition is not decided, every branch is run."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence

from rewarp.lang.cmake.blocks import Block, Call, Choice, Node
from rewarp.lang.cmake.conditions import ConditionError, Word, decide
from rewarp.lang.cmake.setting import Files, Setting
from rewarp.lang.cmake.state import Exit, Function, LimitError, State
from rewarp.lang.cmake.values import (
    Element,
    Guards,
    Literal,
    Truth,
    elements,
    has_choice,
    split,
    unknown,
)

_STEPS = 150_000
_TURNS = 20_000


class Control(State):
    def __init__(self, files: Files, setting: Setting) -> None:
        super().__init__(files, setting)
        self._steps = 0

    @abstractmethod
    def call(self, call: Call) -> Exit | None:
        """Run a command, a function or a macro."""

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
            self.ran.setdefault(node.file, set()).add(node.line)
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
        turns = self._iterations(node.opening, words[1:])
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

    def _iterations(self, call: Call, words: list[Element]) -> list[tuple[Guards, Mapping[str, str]]]:
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


def _reach(kind: str) -> int:
    return ("continue", "break", "return", "fatal").index(kind)


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
