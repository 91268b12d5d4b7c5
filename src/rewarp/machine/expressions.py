"""Arithmetic of the assembler: what descriptors say of registers and stacks may be computed from other functions'."""

from __future__ import annotations

import re

from rewarp.errors import ParseError


class Expression:
    """Arithmetic of the assembler over names that were set."""

    _TOKEN = re.compile(r"\s*(0x[0-9a-fA-F]+|\d+|[A-Za-z_.$][\w.$]*|<<|>>|[<>=!]=|&&|\|\||[-+*/%&|^()~!<>,])")
    _BINDING = [("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!=", "<", ">", "<=", ">="), ("<<", ">>"), ("+", "-")]
    _BINDING += [("*", "/", "%")]

    def __init__(self, text: str, names: dict[str, str], depth: int = 0) -> None:
        self._names, self._depth, self._text = names, depth, text
        self._tokens = self._TOKEN.findall(text)
        self._at = 0
        if depth > 40 or "".join(self._tokens) != re.sub(r"\s", "", text):
            raise ParseError(f"{text[:80]} cannot be computed")

    def value(self) -> int:
        result = self._binary(0)
        if self._at != len(self._tokens):
            raise ParseError(f"{self._text[:80]} cannot be computed")
        return result

    def _binary(self, level: int) -> int:
        if level == len(self._BINDING):
            return self._unary()
        result = self._binary(level + 1)
        while self._at < len(self._tokens) and self._tokens[self._at] in self._BINDING[level]:
            sign = self._tokens[self._at]
            self._at += 1
            result = self._apply(sign, result, self._binary(level + 1))
        return result

    @staticmethod
    def _apply(sign: str, a: int, b: int) -> int:
        compared = {"==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}
        if sign in compared:
            return -1 if compared[sign] else 0
        if sign in ("&&", "||"):
            return int(bool(a and b) if sign == "&&" else bool(a or b))
        if sign in ("/", "%"):
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b else 0
            return quotient if sign == "/" else a - quotient * b
        whole = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}
        return whole[sign] if sign in whole else a << (b & 63) if sign == "<<" else a >> (b & 63)

    def _unary(self) -> int:
        if self._at >= len(self._tokens):
            raise ParseError(f"{self._text[:80]} cannot be computed")
        token = self._tokens[self._at]
        self._at += 1
        if token in "-~!+" and len(token) == 1:
            value = self._unary()
            return {"-": -value, "~": ~value, "!": int(not value), "+": value}[token]
        if token == "(":
            value = self._binary(0)
            self._at += 1
            return value
        if token[0].isdigit():
            return int(token, 0)
        if self._at < len(self._tokens) and self._tokens[self._at] == "(":
            return self._call(token)
        if token not in self._names:
            raise ParseError(f"{token} has no value")
        return Expression(self._names[token], self._names, self._depth + 1).value()

    def _call(self, name: str) -> int:
        self._at += 1
        values = [self._binary(0)]
        while self._at < len(self._tokens) and self._tokens[self._at] == ",":
            self._at += 1
            values.append(self._binary(0))
        self._at += 1
        if name == "max":
            return max(values)
        if name == "or":
            result = 0
            for value in values:
                result |= value
            return result
        if name == "alignto":
            return -(-values[0] // values[1]) * values[1]
        if name == "totalnumvgprs":  # of accumulators and others
            return -(-values[1] // 4) * 4 + values[0] if values[0] else values[1]
        if name == "extrasgprs":  # VCC, scratch, XNACK: the machine has them all
            return 6
        raise ParseError(f"the assembler's {name} is not understood")
