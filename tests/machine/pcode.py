"""Runs AMD's pseudocode of an instruction, as tinygrad carries it: a second source of what an instruction means."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from machine import functions
from machine.values import Value, divided, integer, is_denormal, real

_TOKEN = re.compile(
    r"\s*(?:(\d+'(?:0x[0-9a-fA-F]+|\d+\.\d+|\d+)(?:ULL|LL|U)?)"  # 8'255U, 16'0.5
    r"|(\d+'(?:BF|[UIFB]))(?=\s*\()"  # 32'U(
    r"|(\d+'(?:BF|[UIFB]))"  # in a declaration
    r"|(0x[0-9a-fA-F]+(?:ULL|LL|U)?|\d+\.\d+F?|\d+(?:ULL|LL|U)?)"
    r"|([A-Za-z_]\w*)"
    r"|(\*\*|<<|>>|<=|>=|==|!=|<>|&&|\|\||\+=|-=|\+:|[-+*/%&|^~!<>=?:;,.()\[\]{}]))"
)
Env = dict[str, Any]
Evaluate = Callable[[Env], Any]
_LEVELS = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!=", "<>"), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip


_NEAREST = functions.CONSTANTS["ROUND_NEAREST_EVEN"]


class NotExecutable(Exception):
    """The pseudocode says it in words, or by something that no program here stands for."""


class _Break(Exception):
    pass


class _Return(Exception):
    pass


class _Denormal:
    """What compares equal to every denormal number."""


class _Zero:
    """+0.0 and -0.0, where the pseudocode tells them apart."""

    is_float, width, kind = True, 64, "f"

    def __init__(self, negative: bool) -> None:
        self.negative = negative
        self.number = -0.0 if negative else 0.0
        self.bits = 1 << 63 if negative else 0


@cache
def program(text: str) -> Callable[[Env], None]:
    """Pseudocode as a function that changes registers."""
    parser = _Parser(re.sub(r"//[^\n]*", "", text))
    body = parser.statements(())
    if parser.word is not None:
        raise NotExecutable(parser.word)
    return body


def run(text: str, env: Env) -> None:
    program(text)(env)


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens: list[str] = []
        at = 0
        while text[at:].strip():
            match = _TOKEN.match(text, at)
            if not match:
                raise NotExecutable(text[at : at + 20])
            self._tokens.append(match[0].strip())
            at = match.end()
        self._at = 0

    @property
    def word(self) -> str | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self, *wanted: str) -> str:
        word = self.word
        if word is None or (wanted and word not in wanted):
            raise NotExecutable(f"{word} instead of {wanted}")
        self._at += 1
        return word

    def _has(self, word: str) -> bool:
        if self.word == word:
            self._at += 1
            return True
        return False

    # --- statements -----------------------------------------------------------------------

    def statements(self, ends: tuple[str, ...]) -> Callable[[Env], None]:
        found: list[Callable[[Env], None]] = []
        while self.word is not None and self.word not in ends:
            if not self._has(";"):
                found.append(self._statement())

        def body(env: Env) -> None:
            for one in found:
                one(env)

        return body

    def _statement(self) -> Callable[[Env], None]:
        if self._has("if"):
            return self._if()
        if self._has("for"):
            return self._for()
        if self._has("declare"):
            return self._declare()
        if self._has("break"):
            return _break
        if self._has("return"):
            value = self.expression()

            def leave(env: Env) -> None:
                raise _Return(value(env))

            return leave
        return self._assignment()

    def _if(self) -> Callable[[Env], None]:
        branches: list[tuple[Evaluate, Callable[[Env], None]]] = []
        while True:
            test = self.expression()
            self._take("then")
            branches.append((test, self.statements(("elsif", "else", "endif"))))
            if not self._has("elsif"):
                break
        otherwise = self.statements(("endif",)) if self._has("else") else None
        self._take("endif")

        def chosen(env: Env) -> None:
            for test, body in branches:
                if _truth(test(env)):
                    return body(env)
            return otherwise(env) if otherwise else None

        return chosen

    def _for(self) -> Callable[[Env], None]:
        name = self._take()
        self._take("in")
        first = self.expression()
        self._take(":")
        last = self.expression()
        self._take("do")
        body = self.statements(("endfor",))
        self._take("endfor")

        def repeat(env: Env) -> None:
            for number in range(_whole(first(env)), _whole(last(env)) + 1):
                env[name] = integer("i", 32, number)
                try:
                    body(env)
                except _Break:
                    break

        return repeat

    def _declare(self) -> Callable[[Env], None]:
        name = self._take()
        self._take(":")
        width, kind = _type(self._take())
        count = None
        if self._has("["):
            count = int(self._take())
            self._take("]")

        def declared(env: Env) -> None:
            if name not in env.get("given", ()):
                env[name] = Value(kind, width, 0) if count is None else [Value(kind, width, 0)] * count

        return declared

    def _assignment(self) -> Callable[[Env], None]:
        targets = [self._target()]
        sign = self._take("=", "+=", "-=")
        if sign == "=" and self._has("lambda"):
            return self._lambda(targets[0])
        while sign == "=" and (again := self._another_target()):
            targets.append(again)
        value = self.expression()

        def assign(env: Env) -> None:
            result = value(env)
            if sign != "=":
                result = _binary(sign[0], targets[0][0](env), result)
            for _, store in reversed(targets):
                store(env, result)

        return assign

    def _another_target(self) -> Any:
        """EXEC.u64[laneId] = D0.u64[laneId] = …: two results."""
        kept = self._at
        try:
            target = self._target()
            if self.word == "=":
                self._at += 1
                return target
        except NotExecutable:
            pass
        self._at = kept
        return None

    def _lambda(self, target: Any) -> Callable[[Env], None]:
        self._take("(")
        names = [self._take()]
        while self._has(","):
            names.append(self._take())
        self._take(")")
        self._take("(")
        if self.word in ("if", "declare", "for", "return"):
            body = self.statements((")",))
            value: Evaluate | None = None
        else:
            body, value = _nothing, self.expression()
        self._take(")")

        def called(env: Env, *arguments: Value) -> Value:
            inner = {**env, **dict(zip(names, arguments))}
            if value is not None:
                return value(inner)  # type: ignore[no-any-return]
            try:
                body(inner)
            except _Return as result:
                return result.args[0]  # type: ignore[no-any-return]
            raise NotExecutable("a function without a result")

        def define(env: Env) -> None:
            target[1](env, called)

        return define

    # --- places: a name, and which part of it, seen as which type -------------------------

    def _target(self) -> tuple[Evaluate, Callable[[Env, Any], None]]:
        if self._has("{"):
            return self._both_targets()
        name = self._take()
        if not re.match(r"[A-Za-z_]", name):
            raise NotExecutable(name)
        steps = self._steps()

        def get(env: Env) -> Any:
            return _follow(env, _named(env, name), steps)

        def put(env: Env, value: Any) -> None:
            env[name] = replaced(env, env.get(name), steps, value)
            written = env.get("written")
            if written is not None:
                written.append((name, value))

        return get, put

    def _both_targets(self) -> tuple[Evaluate, Callable[[Env, Any], None]]:
        """{ D1.u1, D0.u64 } = …: the upper bits to the one, the lower to the other."""
        upper = self._target()
        self._take(",")
        kind = self._tokens[self._at + 2]
        lower = self._target()
        self._take("}")
        if not re.fullmatch(r"[ui]\d+", kind):
            raise NotExecutable(kind)
        width = int(kind[1:])

        def put(env: Env, value: Any) -> None:
            lower[1](env, Value("u", width, value.bits & ((1 << width) - 1)))
            upper[1](env, Value("u", 1, value.bits >> width & 1))

        return lower[0], put

    def _steps(self) -> list[tuple[str, Any, Any]]:
        steps: list[tuple[str, Any, Any]] = []
        while True:
            if self._has("."):
                steps.append(("type", self._take(), None))
            elif self._has("["):
                first = self.expression()
                if self._has("+:"):  # from there upward, so many
                    steps.append(("part", *_upward(first, self.expression())))
                else:
                    steps.append(("part", first, self.expression() if self._has(":") else None))
                self._take("]")
            else:
                return steps

    # --- expressions ----------------------------------------------------------------------

    def expression(self) -> Evaluate:
        test = self._level(0)
        if not self._has("?"):
            return test
        yes = self.expression()
        self._take(":")
        no = self.expression()
        return lambda env: yes(env) if _truth(test(env)) else no(env)

    def _level(self, number: int) -> Evaluate:
        if number == len(_LEVELS):
            return self._power()
        left = self._level(number + 1)
        while self.word in _LEVELS[number]:
            left = _combined(self._take(), left, self._level(number + 1))
        return left

    def _power(self) -> Evaluate:
        base = self._unary()
        if not self._has("**"):
            return base
        exponent = self._unary()
        return lambda env: functions.power(base(env), exponent(env))

    def _unary(self) -> Evaluate:
        if self.word in ("+", "-") and self._tokens[self._at + 1 : self._at + 2] == ["0.0"]:
            zero = _Zero(negative=self._take() == "-")
            self._take()
            return lambda env: zero
        for sign, compute in (("-", _negative), ("+", _same), ("~", _inverse), ("!", _not)):
            if self._has(sign):
                inner = self._unary()
                return lambda env, compute=compute, inner=inner: compute(inner(env))  # type: ignore[misc]
        return self._postfix(self._primary())

    def _postfix(self, value: Evaluate) -> Evaluate:
        steps = self._steps()
        return (lambda env: _follow(env, value(env), steps)) if steps else value

    def _primary(self) -> Evaluate:
        word = self._take()
        if word == "(":
            inner = self.expression()
            self._take(")")
            return inner
        if word == "{":
            parts = [self.expression()]
            while self._has(","):
                parts.append(self.expression())
            self._take("}")
            return lambda env: _joined([part(env) for part in parts])
        if re.match(r"\d+'[A-Z]", word):
            width, kind = _type(word)
            self._take("(")
            inner = self.expression()
            self._take(")")
            return lambda env: cast(inner(env), kind, width)
        if word[0].isdigit():
            constant = _literal(word)
            return lambda env: constant
        if self._has("("):
            return self._call(word)
        return lambda env: _named(env, word)

    def _call(self, name: str) -> Evaluate:
        arguments = []
        while not self._has(")"):
            arguments.append(self.expression())
            self._has(",")

        def call(env: Env) -> Any:
            values = [argument(env) for argument in arguments]
            if callable(own := env.get(name)):
                return own(env, *values)
            if name == "f32_to_f16" and env.get("ROUND_MODE", _NEAREST).bits == 3:
                return functions.half_toward_zero(*values)
            known = functions.KNOWN.get(name)
            if known is None:
                return _instruction(env, name, values)
            return known(*values)

        return call


def _instruction(env: Env, name: str, values: list[Value]) -> Value:
    """v_max_f32(a, b): the pseudocode of another instruction."""
    found = env["pcode"].get(name)
    if found is None:
        raise NotExecutable(name)
    inner: Env = {**env, "D0": Value("b", 64, 0), "written": []}
    inner |= {f"S{number}": value for number, value in enumerate(values)}
    run(found, inner)
    last = inner["written"][-1][1]
    return last if isinstance(last, Value) else inner["D0"]


# --- values ---------------------------------------------------------------------------------


def _upward(first: Evaluate, count: Evaluate) -> tuple[Evaluate, Evaluate]:
    return lambda env: integer("i", 32, _whole(first(env)) + _whole(count(env)) - 1), first


def _break(env: Env) -> None:
    raise _Break


def _nothing(env: Env) -> None:
    pass


def _type(word: str) -> tuple[int, str]:
    width, _, kind = word.partition("'")
    return int(width), kind.lower()


def _literal(word: str) -> Value:
    width, _, rest = word.rpartition("'")
    if "." in rest:
        size = int(width) if width else 32 if rest.endswith("F") else 64
        return real(size, float(rest.rstrip("F")))
    digits = rest.rstrip("UL")
    number = int(digits, 0)
    if width:
        return integer("u" if rest.endswith("U") else "i", int(width), number)
    size = 64 if rest.endswith("LL") or number >> 32 else 32
    kind = "u" if "U" in rest[len(digits) :] else "b" if digits.startswith("0x") else "i"
    return integer(kind, size, number)


def _named(env: Env, name: str) -> Any:
    if name in env:
        return env[name]
    if name in functions.CONSTANTS:
        return functions.CONSTANTS[name]
    if name == "DENORM":
        return _Denormal()
    raise NotExecutable(name)


def _follow(env: Env, value: Any, steps: list[tuple[str, Any, Any]]) -> Any:
    for what, first, last in steps:
        if isinstance(value, _Denormal):
            return value
        if what == "type":
            value = value if first == "IEEE" else viewed(value, first)
        elif isinstance(value, list):
            value = value[_whole(first(env))]
        elif hasattr(value, "at"):  # memory, and registers of other lanes
            value = value.at(_whole(first(env)))
        else:
            value = value.load() if hasattr(value, "load") else value
            value = _part(value, _whole(first(env)), None if last is None else _whole(last(env)))
    return value.load() if hasattr(value, "load") else value


def viewed(value: Any, name: str) -> Value:
    if hasattr(value, "load"):
        match = re.fullmatch(r"([a-z]+?)(\d+)", name)
        return viewed(value.load(int(match[2])), name)  # type: ignore[index]
    match = re.fullmatch(r"(u|i|b|f|bf|fp)(\d+)", name)
    if not match:
        raise NotExecutable(name)
    kind, width = match[1], int(match[2])
    if kind in ("f",) and width not in (16, 32, 64):
        kind = "b"
    if kind == "fp" or (kind == "bf" and width != 16):
        kind = "b"
    if value.kind == "f" and kind == "f" and value.width > width:
        return real(width, value.number)  # INF.f32: a number, not a register
    if value.kind == "i" and width > value.width:
        return integer(kind, width, value.signed)
    return Value(kind, width, value.bits & ((1 << width) - 1))


def _part(value: Value, first: int, last: int | None) -> Value:
    if last is None:
        return Value("u", 1, value.bits >> first & 1)
    if last > first:  # the bits in the other order
        width = last - first + 1
        return Value("u", width, sum((value.bits >> (first + n) & 1) << (width - 1 - n) for n in range(width)))
    return Value("u", first - last + 1, value.bits >> last & ((1 << (first - last + 1)) - 1))


def replaced(env: Env, old: Any, steps: list[tuple[str, Any, Any]], value: Any) -> Any:
    """The old value with a part of it changed."""
    if not steps:
        if isinstance(old, Value) and isinstance(value, Value) and env.get("registers") and old.width > value.width:
            return Value(old.kind, old.width, value.bits | old.bits >> value.width << value.width)
        return value
    (what, first, last), rest = steps[0], steps[1:]
    if hasattr(old, "at"):
        place = old.at(_whole(first(env)))
        while hasattr(place, "at"):
            (_, first, _), rest = rest[0], rest[1:]
            place = place.at(_whole(first(env)))
        place.store(env, rest, value)
        return old
    if isinstance(old, list):
        number = _whole(first(env))
        return [replaced(env, one, rest, value) if n == number else one for n, one in enumerate(old)]
    if what == "type":
        match = re.fullmatch(r"([a-z]+?)(\d+)", first)
        width = int(match[2])  # type: ignore[index]
        if not rest and old is None:
            return converted(value, match[1], width)  # type: ignore[index]
        old = old if old is not None else Value("b", width, 0)
        new = replaced(env, viewed(old, first), rest, value) if rest else converted(value, match[1], width)  # type: ignore[index]
        reach = max(width, new.width)  # D0.u32[63 : 32] reaches beyond its type
        above = old.bits >> reach << reach
        if width == 16 and not rest and env.get("halves_clear"):
            above = above >> 32 << 32  # gfx9 clears the other half of the register
        return Value(old.kind, max(old.width, width), above | new.bits)
    top = _whole(first(env))
    low = top if last is None else _whole(last(env))
    top, low = max(top, low), min(top, low)
    width = top - low + 1
    bits = old.bits if isinstance(old, Value) else 0
    kind, all_bits = (old.kind, old.width) if isinstance(old, Value) else ("b", 64)
    inner = Value("b", width, bits >> low & ((1 << width) - 1))
    new = replaced({**env, "halves_clear": False}, inner, rest, value) if rest else value
    mask = ((1 << width) - 1) << low
    return Value(kind, max(all_bits, top + 1), bits & ~mask | (new.bits << low & mask))


def converted(value: Value, kind: str, width: int) -> Value:
    """What an assignment to a typed place stores."""
    kind = "b" if kind in ("fp",) or (kind == "bf" and width != 16) else kind
    if kind in ("f", "bf") and value.is_float and (value.kind, value.width) != (kind, width):
        return functions.to_float(value, width, kind)
    return (
        Value(kind, width, value.bits & ((1 << width) - 1)) if value.kind != "i" else integer(kind, width, value.signed)
    )


def cast(value: Value, kind: str, width: int) -> Value:
    if kind in ("f", "bf"):
        if value.is_float:
            return functions.to_float(value, width, kind)
        if value.kind == "b" and value.width <= 64:
            return Value(kind, width, value.bits & ((1 << width) - 1))
        return real(width, float(value.number), kind)
    if value.is_float:
        if kind == "b" or value.width == width:
            return Value(kind, width, value.bits & ((1 << width) - 1))
        return integer(kind, width, int(value.number))
    return integer(kind, width, int(value.number))


def _joined(parts: list[Value]) -> Value:
    bits = width = 0
    for part in parts:
        bits, width = bits << part.width | part.bits, width + part.width
    return Value("b", width, bits)


def _truth(value: Any) -> bool:
    return bool(value.bits) if isinstance(value, Value) else bool(value)


def _whole(value: Any) -> int:
    return int(value.number)


def _flag(truth: bool) -> Value:
    return Value("u", 1, int(truth))


def _negative(value: Value) -> Value:
    if value.is_float:
        return Value(value.kind, value.width, value.bits ^ 1 << (value.width - 1))
    return integer("i", value.width, -int(value.number))


def _same(value: Value) -> Value:
    return value


def _inverse(value: Value) -> Value:
    return integer(value.kind, value.width, ~value.bits)


def _not(value: Any) -> Value:
    return _flag(not _truth(value))


def _combined(sign: str, left: Evaluate, right: Evaluate) -> Evaluate:
    if sign == "&&":
        return lambda env: _flag(_truth(left(env)) and _truth(right(env)))
    if sign == "||":
        return lambda env: _flag(_truth(left(env)) or _truth(right(env)))
    return lambda env: _binary(sign, left(env), right(env))


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda x, y: x == y, "!=": lambda x, y: x != y, "<>": lambda x, y: x < y or x > y, "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y, ">": lambda x, y: x > y, ">=": lambda x, y: x >= y,
}  # fmt: skip


def _binary(sign: str, left: Any, right: Any) -> Value:
    if isinstance(right, _Denormal):
        return _flag(is_denormal(left) == (sign == "=="))
    if isinstance(right, _Zero) and sign == "==":
        return _flag(left.number == 0 and (left.bits >> (left.width - 1) == 1) == right.negative)
    if sign in _COMPARE:
        return _flag(_COMPARE[sign](left.number, right.number))
    if sign in ("<<", ">>"):
        count = _whole(right)
        number = int(left.number) << count if sign == "<<" else int(left.number) >> count
        return integer(left.kind, max(left.width, 32) if left.kind == "i" else left.width, number)
    if left.is_float or right.is_float:
        return _real(sign, left, right)
    # Parts of registers are computed with as integers of 32 bits.
    width = max(left.width, right.width, 32 if sign in "+-*" else 0)
    kind = "i" if left.kind == right.kind == "i" else "u" if "u" in (left.kind, right.kind) else left.kind
    x, y = int(left.number), int(right.number)
    number = {"+": x + y, "-": x - y, "*": x * y, "&": x & y, "|": x | y, "^": x ^ y}.get(sign)
    if number is None:
        number = x // y if sign == "/" else x % y
    return integer(kind, width, number)


def _real(sign: str, left: Value, right: Value) -> Value:
    width = max(left.width if left.is_float else 0, right.width if right.is_float else 0)
    kind = left.kind if left.is_float else right.kind
    x, y = float(left.number), float(right.number)
    if sign == "/":
        return real(width, divided(x, y), kind)
    if sign == "*":
        for one, other in ((left, right), (right, left)):
            if isinstance(one, functions.Scale):
                return functions.scaled(other, one.exponent)  # type: ignore[attr-defined]
        return real(width, functions.times(x, y), kind)
    if sign not in "+-":
        raise NotExecutable(sign)
    result = x + y if sign == "+" else x - y
    return real(width, result, kind) if not math.isnan(result) else real(width, math.nan, kind)
