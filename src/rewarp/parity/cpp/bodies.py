"""What the body of a C++ function amounts to: work, an answer, nothing, an error, or the CPU's work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rewarp.parity.backends import backend_of, neutral
from rewarp.parity.cpp.declarations import Function
from rewarp.parity.cpp.evaluation import Evaluator
from rewarp.parity.cpp.expressions import calls
from rewarp.parity.cpp.program import Program
from rewarp.parity.cpp.statements import Block, If, Return, Simple, Statement
from rewarp.parity.cpp.ways import FAIL
from rewarp.parity.model import Place, Status

_IDLE = re.compile(
    r"\w*UNUSED\w*|\w*(LOG|WARN|TRACE|DEBUG|PRINT|VLOG)\w*|printf|fprintf|puts|ignore|cout|cerr|std", re.I
)
_NOT_IMPLEMENTED = re.compile(r"not_?implemented|unimplemented|not_?supported|not_?compiled", re.I)
_TODO = re.compile(r"\b(TODO|FIXME|not implemented|stub)\b", re.I)
_CONSTANT_WORDS = frozenset({"true", "false", "nullptr", "NULL", "nil"})


class Verdict(NamedTuple):
    status: Status
    why: str
    evidence: tuple[Place, ...]


def classify(program: Program, function: Function) -> Verdict:
    """What a function of a back end does."""
    here = (function.place,)
    if function.body is None:
        return Verdict(Status.UNKNOWN, "declared, and its body was not found", here)
    evaluator = Evaluator(program, {})
    if evaluator.run(function) == {FAIL}:
        failure = evaluator.failure
        stub = bool(failure) and _NOT_IMPLEMENTED.search(_code(failure[-1].text))
        why = "is a stub: it only says that it is not implemented" if stub else "always ends in an error"
        return Verdict(Status.STUB if stub else Status.ERROR, why, failure or here)
    working = [statement for statement in _flat(program.statements(function)) if not _idle(function, statement)]
    if not working:
        if _TODO.search(_source(function)):
            return Verdict(Status.STUB, "does nothing, beside a note that it is to be done", here)
        return Verdict(Status.NO_OP, "does nothing", here)
    if len(working) == 1 and isinstance(working[0], Return):
        answer = function.tokens.list[slice(*working[0].what)]
        if len(answer) == 1 and (answer[0] in _CONSTANT_WORDS or answer[0][0] in "\"'0123456789"):
            return Verdict(Status.IMPLEMENTED, f"answers {answer[0]}, always", here)
    return _cpu(program, function, working) or Verdict(Status.IMPLEMENTED, "has a body that does work", here)


def _code(text: str) -> str:
    """A line without its strings and comments: what a message says is no evidence."""
    return re.sub(r'"(?:\\.|[^"\\])*"|//.*|/\*.*?\*/', "", text)


def _flat(block: Block) -> Iterator[Statement]:
    for statement in block.statements:
        if isinstance(statement, Block):
            yield from _flat(statement)
        else:
            yield statement


def _idle(function: Function, statement: Statement) -> bool:
    """A statement that does nothing for whoever calls: `(void) x`, a log line, `return;`."""
    if isinstance(statement, Return):
        return statement.what[0] >= statement.what[1]
    if not isinstance(statement, Simple):
        return False
    texts = function.tokens.list[slice(*statement.what)]
    return texts[:3] == ["(", "void", ")"] or bool(_IDLE.fullmatch(texts[0])) if texts else True


def _source(function: Function) -> str:
    assert function.body is not None
    tokens = function.tokens
    first, last = tokens.line(function.at), tokens.line(function.body[1])
    return "\n".join(tokens.line_text(line) for line in range(first, min(last, first + 60) + 1))


def _cpu(program: Program, function: Function, working: list[Statement]) -> Verdict | None:
    """Work that is only handed to the CPU's function of the same name."""
    for statement in working:
        inner = statement.then if isinstance(statement, If) else statement
        parts = list(_flat(inner)) if isinstance(inner, Block) else [inner]
        for part in parts:
            if not isinstance(part, (Simple, Return)):
                continue
            for call in calls(function.tokens, part.what):
                if backend_of(call.name) == "cpu" and neutral(call.name) == neutral(function.name):
                    line = function.tokens.line(call.index)
                    place = Place(function.path, line, function.tokens.line_text(line))
                    if isinstance(statement, If):
                        return Verdict(Status.CONDITIONAL_CPU, f"falls back to {call.name}", (function.place, place))
                    if len(working) == 1:
                        return Verdict(Status.CPU_ONLY, f"only calls {call.name}", (function.place, place))
    return None


def joined(verdicts: list[tuple[str, Verdict]]) -> Verdict:
    """Several classes or tables of one back end: what all of them do, or partial where only some do it."""
    does = [item for item in verdicts if item[1].status.does_something]
    lacks = [item for item in verdicts if not item[1].status.does_something]
    order = list(Status)
    if does and lacks:
        evidence = (*does[0][1].evidence, *lacks[0][1].evidence)
        why = f"only in {', '.join(name for name, _ in does)}; in {lacks[0][0]}: {lacks[0][1].status.value}"
        return Verdict(Status.PARTIAL, why, evidence)
    worst = max(verdicts, key=lambda item: order.index(item[1].status))
    return worst[1]
