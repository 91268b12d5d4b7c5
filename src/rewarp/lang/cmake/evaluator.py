"""Runs a project's CMake files under given switches, reading only.

What cannot be known (programs that CMake would start, packages, the environment) is *unknown*: a value marked as such, and
a condition on it is neither true nor false. Every branch under such a condition is run; what it adds is kept with the
condition, and a variable that it sets is afterwards a choice between its values.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rewarp.errors import UnreadableSource
from rewarp.lang.cmake.blocks import Call, read_blocks
from rewarp.lang.cmake.control import Control
from rewarp.lang.cmake.generators import is_open
from rewarp.lang.cmake.outcome import Reason
from rewarp.lang.cmake.state import Exit, Frame, Function, LimitError
from rewarp.lang.cmake.values import (
    Element,
    Literal,
    elements,
    first_choice,
    has_choice,
    is_known,
    joined,
    unknown,
)

_DEEPEST = 60

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
            if found and is_open(found[-1].text) and found[-1].guards == element.guards:
                # A generator expression with a space in it: CMake puts its parts together as the list that they are.
                found[-1] = Element(f"{found[-1].text};{element.text}", element.guards)
            elif has_choice(element.text) and "$<" not in element.text:
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


class Evaluator(Control):
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

    def asked(self, test: str, word: str) -> bool | None:
        from rewarp.lang.cmake.questions import answer

        return answer(self, test, word)


def joined_choice(element: Element) -> str:
    """An argument as a function's parameter holds it."""
    return joined([element])


def _depends(found: Sequence[Element]) -> Literal | None:
    for element in found:
        if element.guards:
            return element.guards[0]
        if has_choice(element.text):
            return Literal(first_choice(element.text))
    return None
