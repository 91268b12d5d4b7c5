"""What the body of a C++ function amounts to: work, an answer, nothing, an error, or the CPU's work."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import NamedTuple

from rewarp.parity.cpp.following.evaluation import Evaluator
from rewarp.parity.cpp.following.exits import FAIL, only_refuses
from rewarp.parity.cpp.reading.declarations import Function
from rewarp.parity.cpp.reading.expressions import Call, calls
from rewarp.parity.cpp.reading.program import Program
from rewarp.parity.cpp.reading.statements import Block, If, Return, Simple, Statement
from rewarp.parity.names.backends import backend_of, neutral
from rewarp.parity.units import Place, Status

_UNUSED = re.compile(r"\w*UNUSED\w*|ignore")
_LOG_MACRO = re.compile(r"\w*(LOG|WARN|TRACE|DEBUG|PRINT|VLOG)[A-Z_]*")
_LOG_CALL = re.compile(
    r"(\w+_)?(v?f?printf|puts|log|warn|trace|debug|print)(_?(debug|info|warn(ing)?|error|trace))?", re.I
)
_NOT_IMPLEMENTED = re.compile(r"not_?implemented|unimplemented|not_?supported|not_?compiled", re.I)
_TODO = re.compile(r"\b(TODO|FIXME|not implemented|stub)\b", re.I)
_NOTHING = frozenset({"nullptr", "NULL", "nil", "false"})
_CONSTANT_WORDS = frozenset({"true", "false", "nullptr", "NULL", "nil"})


class BodyVerdict(NamedTuple):
    status: Status
    why: str
    evidence: tuple[Place, ...]
    does_work: bool = True
    """False for a body that only answers a constant."""


_SUCCESS = re.compile(r"[A-Z0-9_]*(?:SUCCESS|_OK)")
"""Constants that say that what was asked for is done."""


def classify(program: Program, function: Function) -> BodyVerdict:
    """What a function of a back end does."""
    here = (function.place,)
    if function.body is None:
        return BodyVerdict(Status.UNKNOWN, "declared, and its body was not found", here)
    evaluator = Evaluator(program, {})
    exits = evaluator.run(function)
    if only_refuses(exits):
        failure = evaluator.failure
        stub = bool(failure) and _NOT_IMPLEMENTED.search(_code(failure[-1].text))
        refusal = next((end for end in exits if end != FAIL), "")
        why = "is a stub: it only says that it is not implemented" if stub else "always ends in an error"
        why = f"answers {refusal}, always" if refusal and not stub else why
        return BodyVerdict(Status.STUB if stub else Status.ERROR, why, failure or here)
    statements = list(_flat(program.statements(function)))
    notes = {name for statement in statements if (name := _note(function, statement))}
    working = [statement for statement in statements if not _idle(function, statement, notes)]
    if not working:
        if _TODO.search(_source(function)):
            return BodyVerdict(Status.STUB, "does nothing, beside a note that it is to be done", here)
        return BodyVerdict(Status.NO_OP, "does nothing", here)
    if len(working) == 1 and isinstance(working[0], Return):
        answer = function.tokens.list[slice(*working[0].what)]
        constant = answer[-1] if answer[:-1] in ([], ["-"]) else ""
        if (answer == ["{", "}"] or constant in _NOTHING) and _TODO.search(_source(function)):
            return BodyVerdict(Status.STUB, "answers nothing, beside a note that it is to be done", here)
        if constant and _SUCCESS.fullmatch(constant):
            return BodyVerdict(Status.NO_OP, f"does nothing, and answers {constant}", here)
        if constant and (constant in _CONSTANT_WORDS or constant[0] in "\"'0123456789"):
            text = "".join(answer)
            if any(_logs(function, statement) for statement in statements):
                return BodyVerdict(Status.NO_OP, f"only logs, and answers {text}", here)
            return BodyVerdict(Status.IMPLEMENTED, f"answers {text}, always", here, does_work=False)
    return _cpu(program, function, working) or BodyVerdict(Status.IMPLEMENTED, "has a body that does work", here)


def _code(text: str) -> str:
    """A line without its strings and comments: what a message says is no evidence."""
    return re.sub(r'"(?:\\.|[^"\\])*(?:"|\\?\Z)|//.*|/\*(?:.*?\*/|.*)', "", text)


def _flat(block: Block) -> Iterator[Statement]:
    for statement in block.statements:
        if isinstance(statement, Block):
            yield from _flat(statement)
        else:
            yield statement


def _idle(function: Function, statement: Statement, notes: Container[str]) -> bool:
    """A statement that does nothing for whoever calls: `(void) x`, a log line, `return;`, `warned = true`."""
    if isinstance(statement, Return):
        return statement.what[0] >= statement.what[1]
    if isinstance(statement, Block):
        return all(_idle(function, inner, notes) for inner in statement.statements)
    if isinstance(statement, If):
        ways = [statement.then] + ([statement.otherwise] if statement.otherwise else [])
        return statement.test is not None and all(_idle(function, way, notes) for way in ways)
    if not isinstance(statement, Simple):
        return False
    texts = function.tokens.list[slice(*statement.what)]
    if not texts or texts[:3] == ["(", "void", ")"] or _UNUSED.fullmatch(texts[0]) or _logs(function, statement):
        return True
    return _note(function, statement) in notes or (len(texts) == 3 and texts[0] in notes and texts[1] == "=")


def _logs(function: Function, statement: Statement) -> bool:
    """`LOG_WARN(…)`, `std::cerr << …`, `printf("…")`; `op_log(ctx, dst)` is an operation."""
    if not isinstance(statement, Simple):
        return False
    texts = function.tokens.list[slice(*statement.what)]
    if texts[:2] == ["std", "::"]:
        texts = texts[2:]
    if not texts or texts[0] in ("cout", "cerr", "clog"):
        return bool(texts)
    if texts[0].isupper():
        return bool(_LOG_MACRO.fullmatch(texts[0]))
    return bool(_LOG_CALL.fullmatch(texts[0])) and any(text.startswith('"') for text in texts)


def _note(function: Function, statement: Statement) -> str:
    """The local name that a statement declares with a constant for whoever comes again: `static bool warned = false`."""
    if not isinstance(statement, Simple):
        return ""
    texts = function.tokens.list[slice(*statement.what)]
    is_note = len(texts) >= 5 and texts[0] == "static" and texts[-2] == "=" and texts[-1] in ("true", "false", "0")
    return texts[-3] if is_note else ""


def _source(function: Function) -> str:
    assert function.body is not None
    tokens = function.tokens
    first, last = tokens.line(function.at), tokens.line(function.body[1])
    return "\n".join(tokens.line_text(line) for line in range(first, min(last, first + 60) + 1))


def _cpu(program: Program, function: Function, working: list[Statement]) -> BodyVerdict | None:
    """Work that is only handed to the CPU's function of the same name."""
    for statement in working:
        inner = statement.then if isinstance(statement, If) else statement
        parts = list(_flat(inner)) if isinstance(inner, Block) else [inner]
        for part in parts:
            if not isinstance(part, (Simple, Return)):
                continue
            for call in calls(function.tokens, part.what):
                if _is_cpus(function, call):
                    line = function.tokens.line(call.index)
                    place = Place(function.path, line, function.tokens.line_text(line))
                    if isinstance(statement, If):
                        return BodyVerdict(
                            Status.CONDITIONAL_CPU, f"falls back to the CPU's {call.name}", (function.place, place)
                        )
                    if len(working) == 1:
                        return BodyVerdict(
                            Status.CPU_ONLY, f"only calls the CPU's {call.name}", (function.place, place)
                        )
    return None


def _is_cpus(function: Function, call: Call) -> bool:
    """`foo_cpu(…)`, or `cpu_->foo(…)`, inside `foo`."""
    whose = function.tokens.list[call.index - 2] if call.of_something else call.name
    return backend_of(whose) == "cpu" and neutral(call.name) == neutral(function.name)


def joined(verdicts: list[tuple[str, BodyVerdict]]) -> BodyVerdict:
    """Several classes or tables of one back end: what all of them do, or partial where only some do it."""
    does = [item for item in verdicts if item[1].status.does_something]
    lacks = [item for item in verdicts if not item[1].status.does_something]
    order = list(Status)
    if does and lacks:
        evidence = (*does[0][1].evidence, *lacks[0][1].evidence)
        why = f"only in {', '.join(name for name, _ in does)}; in {lacks[0][0]}: {lacks[0][1].status.value}"
        return BodyVerdict(Status.PARTIAL, why, evidence)
    worst = max(verdicts, key=lambda item: order.index(item[1].status))
    return worst[1]
