"""Calls and conditions evaluated under assumptions: does a call certainly fail, is a condition true?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rewarp.parity.cpp.following.exits import ANYTHING, FAILED, NEXT, NO, YES, Environment, Exits, Known, Lambda
from rewarp.parity.cpp.reading.declarations import Function
from rewarp.parity.cpp.reading.expressions import (
    Call,
    Choice,
    Equality,
    Junction,
    Node,
    Not,
    Other,
    calls,
    is_constant,
    last_name,
    parse_expression,
    path,
)
from rewarp.parity.cpp.reading.statements import Expression, Statement
from rewarp.parity.cpp.reading.tokens import Tokens
from rewarp.parity.units import Place

if TYPE_CHECKING:
    from rewarp.parity.cpp.following.evaluation import Evaluator

_FAILS = re.compile(
    r"abort|_?exit|terminate|quick_exit|__trap|__builtin_(trap|unreachable)"
    r"|\w*(ABORT|FATAL|NOT_?IMPLEMENTED|UNIMPLEMENTED|NOT_SUPPORTED|NOT_COMPILED|UNREACHABLE|THROW)\w*"
    r"|(throw_?)?([uU]nimplemented|[nN]ot_?[iI]mplemented|[uU]nsupported_?[eE]rror)\w*"
)
_NO_FAILURE = re.compile(
    r"\w*((ABORT|THROW|FATAL)_(IF|ON|UNLESS)|SET_ABORT|ABORT_CALLBACK|_ON_ERROR|NOTHROW|NO_THROW)\w*"
)
_ASSERTS = re.compile(r"assert|__assume|\w*(ASSERT|_CHECK|CHECK_|ENFORCE|REQUIRE|VERIFY|EXPECT)\w*|CHECK")
_NOT_THERE = re.compile(r"\w*(NOT_IMPLEMENTED|UNIMPLEMENTED|STATUS_UNAVAILABLE)|kNotImplemented|kUnimplemented")
_TRUE = frozenset({"true", "TRUE", "YES"})
_FALSE = frozenset({"false", "FALSE", "NO", "NULL", "nullptr", "nil"})


class Conditions:
    """The expressions of one function's code."""

    def __init__(self, evaluator: Evaluator, tokens: Tokens) -> None:
        self.evaluator = evaluator
        self.tokens = tokens

    def place(self, index: int) -> Place:
        line = self.tokens.line(index)
        return Place(self.tokens.path, line, self.tokens.line_text(line)[:160])

    def statement(self, statement: Statement, env: Environment) -> Exits:
        """How a statement may end; whoever runs code says."""
        raise NotImplementedError

    # --- calls ----------------------------------------------------------------------

    def fails(self, what: Expression, env: Environment) -> bool:
        """Whether a statement certainly fails in one of the calls that it makes whatever happens."""
        word = self.tokens.list[what[0]] if what[0] < what[1] else ""
        if self.evaluator.program.is_object_macro(word) and self._call(Call(word, what[0], (), False), env) == FAILED:
            return True
        return any(self._call(call, env) == FAILED for call in calls(self.tokens, what))

    def _call(self, call: Call, env: Environment) -> Exits:
        name = call.name
        in_case = bool(self.evaluator.inside) and len(self.evaluator.chain) == 1
        if in_case:
            self.evaluator.called = True
        if (_FAILS.fullmatch(name) and not _NO_FAILURE.fullmatch(name)) or self._says_not_there(call):
            self.evaluator.fail(self.place(call.index))
            return FAILED
        if _ASSERTS.fullmatch(name) and call.arguments:
            # `CHECK(0)` is a status that says that all is well, `ASSERT(0)` is not.
            status = self.tokens.list[slice(*call.arguments[0])] == ["0"] and "CHECK" in name
            if status or self.truth(call.arguments[0], env) is not False:
                return ANYTHING
            self.evaluator.fail(self.place(call.index))
            return FAILED
        local = env.get(name)
        if isinstance(local, Lambda):
            return self._run_lambda(local, call, env)
        if call.of_something:
            return ANYTHING  # a method, of which nothing tells whose
        program = self.evaluator.program
        found = program.resolve(name, self.tokens.path, len(call.arguments))
        if not found and (macro := program.macro(name)):
            found = [macro]
        if in_case:
            self.evaluator.case_calls.append(found)
        return self._run(found[0], call, env) if len(found) == 1 else ANYTHING

    def _says_not_there(self, call: Call) -> bool:
        """`LOG(FATAL)`, `MAKE_STATUS(…, NOT_IMPLEMENTED, …)`: what is called says nothing, what it is given does."""
        words = [self.tokens.list[start] for start, end in call.arguments if end - start == 1]
        if call.name == "LOG":
            return "FATAL" in words
        return "STATUS" in call.name.upper() and any(_NOT_THERE.fullmatch(word) for word in words)

    def _run(self, function: Function, call: Call, env: Environment) -> Exits:
        evaluator = self.evaluator
        before = evaluator.failure
        evaluator.chain.append(self.place(call.index))
        exits = evaluator.run(function, tuple(path(self.tokens, part, env) or "?" for part in call.arguments))
        evaluator.chain.pop()
        if exits == FAILED:
            return exits
        evaluator.failure = before
        return exits - FAILED

    def _run_lambda(self, code: Lambda, call: Call, env: Environment) -> Exits:
        inner: Environment = dict(env)
        for name, argument in zip(code.parameters, call.arguments):
            inner[name] = path(self.tokens, argument, env) or Known(self.truth(argument, env))
        key = (id(self.tokens), code.body)
        if key in self.evaluator.open_lambdas:
            return ANYTHING  # one that calls itself
        self.evaluator.open_lambdas.add(key)
        exits = self.statement(self.evaluator.program.block(self.tokens, code.body), inner)
        self.evaluator.open_lambdas.discard(key)
        return frozenset(YES if end == NEXT else end for end in exits)

    # --- yes or no ------------------------------------------------------------------

    def truth(self, what: Expression, env: Environment) -> bool | None:
        """Whether an expression is true; None when that is not known."""
        return self._truth(parse_expression(self.tokens, what), env)

    def _truth(self, node: Node, env: Environment) -> bool | None:
        if isinstance(node, Junction):
            truths = [self._truth(part, env) for part in node.parts]
            return node.decisive if node.decisive in truths else None if None in truths else not node.decisive
        if isinstance(node, Not):
            inner = self._truth(node.inner, env)
            return None if inner is None else not inner
        if isinstance(node, Choice):
            test, yes, no = (self._truth(part, env) for part in (node.test, node.yes, node.no))
            if test is None:
                return yes if yes == no else None
            return yes if test else no
        if isinstance(node, Equality):
            equal = self._equal(node, env)
            return equal if equal is None or not node.negated else not equal
        if isinstance(node, Call):
            exits = self._call(node, env)
            return True if exits == {YES} else False if exits == {NO} else None
        return self._value(node, env)

    def _value(self, node: Other, env: Environment) -> bool | None:
        start, end = node.what
        if end - start != 1:
            return None
        text = self.tokens.list[start]
        if text in _TRUE or text in _FALSE:
            return text in _TRUE
        if text.isdigit():
            return text != "0"
        known = env.get(text)
        return known.truth if isinstance(known, Known) else None

    def _equal(self, node: Equality, env: Environment) -> bool | None:
        one, other = (path(self.tokens, side, env) for side in (node.left, node.right))
        if one is None or other is None:
            return None
        for side, name, expression in ((one, last_name(other), node.left), (other, last_name(one), node.right)):
            if is_constant(name) and not is_constant(last_name(side)):
                return self._is_constant(side, name, expression, env)
        assumed = self.evaluator.assumed
        if one == other:
            return True
        self.evaluator.ask({(one, assumed.get(other, "")), (other, assumed.get(one, ""))})
        return assumed[one] == assumed[other] if one in assumed and other in assumed else None

    def _is_constant(self, side: str, constant: str, expression: Expression, env: Environment) -> bool | None:
        """Whether a path, or what a call gives, is a constant."""
        node = parse_expression(self.tokens, expression)
        if isinstance(node, Call) and side not in self.evaluator.assumed:
            answers = self._call(node, env)
            if answers and all(map(is_constant, answers)):
                return None if constant in answers and len(answers) > 1 else constant in answers
        self.evaluator.ask({(side, constant)})
        assumed = self.evaluator.assumed
        return assumed[side] == constant if side in assumed else None
