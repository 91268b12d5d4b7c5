"""Names of C++ functions for people: `_ZN2ns5scaleIfEEvPT_S1_` is `ns::scale<float>`.

The part of the Itanium C++ ABI that a function's name needs, without its parameters and result
(https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling). What is beyond it falls back to the name without
template arguments.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rewarp.toolchain.kernels import qualified_name

_BUILTIN = {
    "v": "void", "w": "wchar_t", "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char", "s": "short",
    "t": "unsigned short", "i": "int", "j": "unsigned int", "l": "long", "m": "unsigned long", "x": "long long",
    "y": "unsigned long long", "n": "__int128", "o": "unsigned __int128", "f": "float", "d": "double",
    "e": "long double", "g": "__float128", "z": "...",
}  # fmt: skip
_BUILTIN_D = {"Dh": "half", "DF16_": "_Float16", "DF16b": "__bf16", "Dn": "std::nullptr_t", "Da": "auto",
              "Di": "char32_t", "Ds": "char16_t", "Du": "char8_t"}  # fmt: skip
_STD = {"Sa": "std::allocator", "Sb": "std::basic_string", "Ss": "std::string", "Si": "std::istream",
        "So": "std::ostream", "Sd": "std::iostream"}  # fmt: skip
_SUFFIX = {"j": "u", "l": "l", "m": "ul", "x": "ll", "y": "ull", "i": ""}
_POINTERS = {"P": "*", "R": "&", "O": "&&"}
_NUMBER = re.compile(r"\d+")
_SUBSTITUTION = re.compile(r"S([0-9A-Z]*)_")
_PARAMETER = re.compile(r"T(\d*)_")
_LITERAL = re.compile(r"(n?)(\d+)E")
_VECTOR = re.compile(r"Dv(\d+)_")
_ARRAY = re.compile(r"A(\d*)_")
_MOST_NESTED = 100


@lru_cache(maxsize=4096)
def demangled(symbol: str) -> str:
    if not symbol.startswith("_Z"):
        return symbol
    try:
        return _Demangler(symbol[2:]).name()
    except (_Unknown, RecursionError):
        return "::".join(qualified_name(symbol))


class _Unknown(Exception):
    """A form that is not read here."""


class _Demangler:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.seen: list[str] = []
        """What later parts may stand for by a number."""
        self.arguments: list[str] = []
        """Of the innermost template read so far."""
        self.depth = 0

    def name(self) -> str:
        if self._take("N"):
            return self._nested()
        if self._take("Z"):
            return self._local()
        start = self._std_or_substitution()
        if start is None:
            start = self._identifier()
            if self._peek("I"):
                self.seen.append(start)
        return start + self._template_arguments() if self._peek("I") else start

    def _nested(self) -> str:
        while self._peek("r", "V", "K"):
            self.at += 1
        if self._peek("R") or self._peek("O"):
            self.at += 1
        parts = ""
        while not self._take("E"):
            if self._peek("I"):
                parts += self._template_arguments()
            elif self._peek("S"):
                parts = self._known()
                continue
            elif self._peek("T"):
                parts = self._parameter()
            else:
                word = self._identifier()
                parts = f"{parts}::{word}" if parts else word
            if not self._peek("E"):
                self.seen.append(parts)
        return parts

    def _local(self) -> str:
        """An entity inside a function; that function's parameters end at `E`."""
        outer = self.name()
        while not self._take("E"):
            self.type()
        if self._take("s"):
            return f"{outer}::string literal"
        self._discriminator()
        inner = self.name()
        self._discriminator()
        return f"{outer}()::{inner}"

    def _discriminator(self) -> None:
        if self._take("_"):
            found = _NUMBER.match(self.text, self.at)
            if found:
                self.at = found.end()

    def _identifier(self) -> str:
        self._take("L")  # internal linkage
        if self._take("Ul"):
            kinds = []
            while not self._take("E"):
                kinds.append(self.type())
            self._take_number_and_bar()
            return f"{{lambda({', '.join(kind for kind in kinds if kind != 'void')})}}"
        if self._take("Ut"):
            self._take_number_and_bar()
            return "{unnamed}"
        length = _NUMBER.match(self.text, self.at)
        if not length:
            raise _Unknown
        start = length.end()
        self.at = start + int(length[0])
        if self.at > len(self.text):
            raise _Unknown
        word = self.text[start : self.at]
        while self._take("B"):  # ABI tags
            self._identifier()
        return "(anonymous namespace)" if word.startswith("_GLOBAL__N") else word

    def _take_number_and_bar(self) -> None:
        found = _NUMBER.match(self.text, self.at)
        self.at = found.end() if found else self.at
        if not self._take("_"):
            raise _Unknown

    def _std_or_substitution(self) -> str | None:
        if self._take("St"):
            word = f"std::{self._identifier()}"
            self.seen.append(word)
            return word
        for key, word in _STD.items():
            if self._take(key):
                return word
        found = _SUBSTITUTION.match(self.text, self.at)
        if not found:
            return None
        self.at = found.end()
        return self._looked_up(self.seen, int(found[1], 36) + 1 if found[1] else 0)

    def _known(self) -> str:
        found = self._std_or_substitution()
        if found is None:
            raise _Unknown
        return found

    def _parameter(self) -> str:
        found = _PARAMETER.match(self.text, self.at)
        if not found:
            raise _Unknown
        self.at = found.end()
        return self._looked_up(self.arguments, int(found[1]) + 1 if found[1] else 0)

    @staticmethod
    def _looked_up(known: list[str], index: int) -> str:
        if index >= len(known):
            raise _Unknown
        return known[index]

    def _template_arguments(self) -> str:
        self._expect("I")
        found = self._arguments()
        self.arguments = found
        text = ", ".join(item for item in found if item)
        return f"<{text}>"

    def _arguments(self) -> list[str]:
        found = []
        while not self._take("E"):
            if self._take("J"):
                found.append(", ".join(self._arguments()))
            elif self._peek("L"):
                found.append(self._literal())
            elif self._take("Tn"):  # the type that the parameter was declared with
                self._declared(found)
            elif self._take("Xad"):  # an expression: the address of a function
                found.append(self._literal())
                self._expect("E")
            elif self._peek("X"):
                raise _Unknown
            else:
                found.append(self.type())
        return found

    def _declared(self, found: list[str]) -> None:
        """It may name the arguments before it."""
        outer, self.arguments = self.arguments, found
        self.type()
        self.arguments = outer

    def _literal(self) -> str:
        self._expect("L")
        if self._take("_Z"):
            function = self.name()
            while not self._take("E"):
                self.type()
            return f"&{function}"
        code = self.text[self.at : self.at + 1]
        kind = self.type()
        value = _LITERAL.match(self.text, self.at)
        if not value:
            raise _Unknown
        self.at = value.end()
        number = ("-" if value[1] else "") + value[2]
        if kind == "bool":
            return "true" if number == "1" else "false"
        return number + _SUFFIX[code] if code in _SUFFIX else f"({kind}){number}"

    def type(self) -> str:
        self.depth += 1
        if self.depth > _MOST_NESTED:
            raise _Unknown
        try:
            return self._type()
        finally:
            self.depth -= 1

    def _type(self) -> str:
        code = self.text[self.at : self.at + 1]
        if not code:
            raise _Unknown
        if code in _BUILTIN:
            self.at += 1
            return _BUILTIN[code]
        for key, word in _BUILTIN_D.items():
            if self._take(key):
                return word
        if self._take("Dp"):
            return self.type()
        if self._take("u"):
            return self._remembered(self._identifier())
        if self._peek("S") and not self._peek("St"):
            start = self._known()
            return self._remembered(start + self._template_arguments()) if self._peek("I") else start
        if code == "T":
            start = self._remembered(self._parameter())
            return self._remembered(start + self._template_arguments()) if self._peek("I") else start
        if code in "PROKVrF" or self._peek("Dv", "A"):
            return self._remembered(self._compound())
        if code in "NZLS" or code.isdigit():
            before = len(self.seen)
            text = self.name()
            # `std::x` without arguments was remembered as a name already.
            return text if self.seen[before:] and self.seen[-1] == text else self._remembered(text)
        raise _Unknown

    def _compound(self) -> str:
        code = self.text[self.at]
        if code in _POINTERS:
            self.at += 1
            function, text = self._peek("F"), self.type()
            return text.replace("(", f"({_POINTERS[code]})(", 1) if function else text + _POINTERS[code]
        if code == "F":
            return self._function()
        if code in "KVr":
            return self._qualified()
        vector = _VECTOR.match(self.text, self.at)
        if vector:
            self.at = vector.end()
            return f"{self.type()} vector[{vector[1]}]"
        array = _ARRAY.match(self.text, self.at)
        if array:
            self.at = array.end()
            return f"{self.type()} [{array[1]}]"
        raise _Unknown

    def _function(self) -> str:
        self._expect("F")
        result, kinds = self.type(), []
        while not self._take("E"):
            kinds.append(self.type())
        return f"{result} ({', '.join(kind for kind in kinds if kind != 'void')})"

    def _qualified(self) -> str:
        words = {"r": "restrict", "V": "volatile", "K": "const"}
        found = []
        while self._peek(*words):
            found.append(words[self.text[self.at]])
            self.at += 1
        return " ".join((self.type(), *reversed(found)))

    def _remembered(self, text: str) -> str:
        self.seen.append(text)
        return text

    def _peek(self, *starts: str) -> bool:
        return self.text.startswith(starts, self.at)

    def _take(self, start: str) -> bool:
        if self.at >= len(self.text) and start == "E":
            raise _Unknown
        if not self._peek(start):
            return False
        self.at += len(start)
        return True

    def _expect(self, start: str) -> None:
        if not self._take(start):
            raise _Unknown
