"""The call graph of C++ code, for call flow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rewarp.parity.call_graph import Edge, Graph, Step
from rewarp.parity.cpp.comparing.kernels import inventories
from rewarp.parity.cpp.reading.declarations import Function
from rewarp.parity.cpp.reading.expressions import Call, call_at
from rewarp.parity.cpp.reading.program import Program, owner_of_path
from rewarp.parity.cpp.reading.reader import Readings
from rewarp.parity.cpp.reading.statements import text_is_macro
from rewarp.parity.names.backends import backend_of
from rewarp.parity.units import Place

_LAUNCHES = re.compile(
    r"\w*(dispatch_?thread\w*|dispatch_?workgroups\w*|parallel_for|launch_?kernel\w*|kernel_?launch\w*|nd_?range_?kernel)|dispatch",
    re.I,
)
_KERNEL_NAME = re.compile(r"kernel_|[a-z]\w*_%s|\w+_kernel\Z")
_NO_LAUNCH = re.compile(r"\w*(params|config|attribute)\w*", re.I)
_ASKS_FOR_KERNEL = re.compile(r"\w*(pipeline|kernel)\w*", re.I)
_KEYWORDS = frozenset("if for while switch return sizeof catch decltype alignof static_assert new delete throw".split())
_KERNEL_WORDS = frozenset({"__global__", "kernel", "__kernel"})


@dataclass(frozen=True)
class Part:
    """A function, or the part of one that a `case` chooses."""

    function: Function
    start: int
    end: int


def graphs(files: Mapping[str, bytes], a: str, b: str) -> tuple[Graph, Graph]:
    kernels_a, kernels_b = inventories(files, a, b)
    readings = Readings()
    one = Program(files, a, kernels_a, readings)
    return CppGraph(one), CppGraph(Program(files, b, kernels_b, readings))


def _labels(function: Function) -> int:
    """How many cases a function tells apart: the one that dispatches tells the most."""
    return function.tokens.list[slice(*function.body)].count("case") if function.body else 0


class CppGraph:
    def __init__(self, program: Program) -> None:
        self.program = program

    def names(self) -> Iterable[str]:
        return self.program.by_name

    def entries(self, name: str) -> list[Step]:
        owner, _, own = name.rpartition("::")
        functions = self.program.by_name.get(own, [])
        found = [function for function in functions if not owner or function.owner == owner.rpartition("::")[2]]
        if found:
            return [self._step(Edge.RESOLVED, function, function.place) for function in found]
        cases = sorted(self._cases(name), key=lambda step: -_labels(step.what.function))
        return cases[:1]

    def _cases(self, label: str) -> Iterable[Step]:
        """The part of a function of the back end's own that a `case` of this name chooses."""
        for function in self.program.functions:
            if not self.program.owns(function.path, function.name) or function.body is None:
                continue
            texts = function.tokens.list
            start, end = function.body
            if "switch" not in texts[start:end] or "support" in function.name:
                continue
            for index in range(start, end):
                if texts[index] == "case" and self._is_label(texts[index + 1], label):
                    stop = self._end_of_case(function, index, end)
                    if any(call_at(function.tokens, at, stop) for at in range(index + 3, stop)):
                        line = function.tokens.line(index)
                        place = Place(function.path, line, f"case {texts[index + 1]}")
                        part = Part(function, index + 3, stop)
                        yield Step(texts[index + 1], Edge.RESOLVED, place, place, self.program.backend, part)

    @staticmethod
    def _is_label(text: str, label: str) -> bool:
        return text == label or text.upper().endswith("_OP_" + label.upper())

    @staticmethod
    def _end_of_case(function: Function, at: int, end: int) -> int:
        """Where the code of a case ends: its `break`, or the next label after some code."""
        texts, partner = function.tokens.list, function.tokens.partner
        index, code = at, False
        while index < end:
            text = texts[index]
            if text in ("break", "return"):
                return index
            if text in ("case", "default"):
                if code:
                    return index
                while index < end and texts[index] != ":":
                    index += 1
            elif text == "{":
                return partner.get(index, end)
            else:
                code = True
            index += 1
        return end

    def _step(self, edge: Edge, function: Function, call: Place) -> Step:
        owner = backend_of(function.name) or backend_of(function.owner) or owner_of_path(function.path)
        if owner is not None and owner == self.program.shares:
            owner = self.program.backend
        assert function.body is not None
        part = Part(function, *function.body)
        return Step(function.qualified, edge, call, function.place, owner, part)

    def callees(self, step: Step) -> list[Step]:
        found: list[Step] = []
        for name, index, is_method in self._calls(step.what):
            part: Part = step.what
            place = Place(part.function.path, part.function.tokens.line(index), name)
            functions = [item for item in self.program.resolve(name, part.function.path) if self._is_mine(item)]
            if not functions:
                if not text_is_macro(name):
                    found.append(Step(name, Edge.EXTERNAL, place, None, None))
                continue
            if _KERNEL_WORDS & functions[0].flags:
                continue
            edge = Edge.RESOLVED if len(functions) == 1 and not is_method else Edge.GUESSED
            found.append(self._step(edge, functions[0], place))
        return found

    def _is_mine(self, function: Function) -> bool:
        owner = owner_of_path(function.path)
        return owner is None or owner in (self.program.backend, self.program.shares)

    def _calls(self, part: Part) -> Iterable[tuple[str, int, bool]]:
        tokens = part.function.tokens
        for index in range(part.start, part.end):
            call = call_at(tokens, index, part.end)
            if call and call.name not in _KEYWORDS and not self._launches(tokens.list, call):
                yield call.name, index, call.of_something
            elif tokens.list[index] in self.program.by_name and tokens.list[index + 1] in (",", ")"):
                # A function that is handed on: whoever gets it may call it.
                yield tokens.list[index], index, True

    def _launches(self, texts: list[str], call: Call) -> bool:
        """Whether a call is only how a kernel is launched: `launch(kernel, …)`."""
        return any(end > start and self._is_kernel(texts[start]) for start, end in call.arguments)

    def kernels(self, step: Step) -> list[tuple[str, Place]]:
        part: Part = step.what
        tokens = part.function.tokens
        texts = tokens.list
        found: list[tuple[str, Place]] = []

        def add(name: str, index: int) -> None:
            found.append((name, Place(tokens.path, tokens.line(index), tokens.line_text(tokens.line(index))[:120])))

        for index in range(part.start, part.end):
            if texts[index] == "<<<":
                name = self._launched(texts, index)
                if name not in part.function.parameters:
                    add(name, index)
                continue
            call = call_at(tokens, index, part.end)
            name = texts[index]
            if name.startswith('"'):
                if _ASKS_FOR_KERNEL.fullmatch(part.function.name) and _KERNEL_NAME.match(tokens.literal(index)):
                    add(re.sub(r"%\w+", "*", tokens.literal(index)), index)
            elif call is None:
                is_handed_on = self._is_kernel(name) and texts[index + 1] in (",", "<", ")")
                if is_handed_on or (_LAUNCHES.fullmatch(name) and texts[index + 1] == ":"):
                    add(name, index)
            elif self._is_kernel(name) or (_LAUNCHES.fullmatch(name) and name not in self.program.by_name):
                if name not in part.function.parameters and not _NO_LAUNCH.fullmatch(name):
                    add(name, index)
        return found

    def _is_kernel(self, name: str) -> bool:
        return any(_KERNEL_WORDS & function.flags for function in self.program.by_name.get(name, ()))

    @staticmethod
    def _launched(texts: list[str], at: int) -> str:
        """The name before `<<<`, past template arguments."""
        index, depth = at - 1, 0
        while index > 0 and (depth or texts[index] == ">"):
            depth += (texts[index] == ">") - (texts[index] == "<")
            index -= 1
        return texts[index]
