"""What C and C++ headers declare, read with regular expressions: names, their kinds and how many arguments they take.

No compiler is asked: every branch of every ``#if`` counts, and a header is read even where what it includes is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

SUFFIXES = {".h", ".hpp", ".cuh", ".inl", ".hxx", ""}

_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.S)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)\n]*\))?[ \t]*(.*)$", re.M)
# NVIDIA's stand-in for the ';' of a declaration.
_NO_BODY = re.compile(r"\b__DEF_IF_HOST\b")
_DIRECTIVE = re.compile(r"^[ \t]*#.*$", re.M)
_LINE_END = re.compile(r"\\\r?\n")
_ENUM = re.compile(r"\benum\b(?:\s+(?:class|struct))?([^;{}()]*)\{([^{}]*)\}\s*(?:\w+\s*\(\([^()]*\)\)\s*)?(\w*)")
_ENUMERATOR = re.compile(r"^\s*([A-Za-z_]\w*)")
_RECORD = re.compile(
    r"\b(?:struct|class|union)\s+(?:[A-Z_]\w*\s+|\w+\s*\(\([^;{}]*?\)\)\s*|\w+\s*\([^;{}()]*\)\s*)*(\w+)\s*(?:final\s*)?[:{;*]"
)
# Macros that declare their arguments.
_GENERATED = re.compile(r"^\s*(?:\w+_)?(?:DEFINE|DECL|MAKE)[A-Z_]*\(([^();]*)\)", re.M)
_ALIAS = re.compile(
    r"\btypedef\b[^;{}]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*;|\btypedef\b[^;{}]*\(\s*\w*\s*\*\s*(\w+)\s*\)\s*\("
)
_AFTER_RECORD = re.compile(r"\}\s*(?:\w+\s*\([^;{}]*\)\s*)?((?:\*?\s*\w+\s*,\s*)*\*?\s*\w+)\s*;")
_USING = re.compile(r"\busing\s+(\w+)\s*=|\busing\s+(?:::)?(?:\w+::)+(\w+)\s*;")
_CONSTANT = re.compile(r"\b(?:const|constexpr)\b[^;{}()=]*?\b(\w+)\s*(?:=|\{)")
_VARIABLE = re.compile(r"^\s*extern\b[^()=]*?\b(\w+)\s*$")
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_ATTRIBUTES = re.compile(
    r"__attribute__|__declspec|alignas|__align__|__pragma|_Pragma|__launch_bounds__|sizeof|defined|return|decltype|noexcept"
    r"|if|while|for|switch|static_assert|asm|operator|extern|\w*DEPRECATED\w*|\w*_ALIGN\w*|__specialization_static|__NVTX\w*"
    r"|__asm__|__asm|volatile|requires|explicit"
)
_NAMESPACE_LIKE = re.compile(r"\b(?:namespace|extern)\b[^;{}()]*$|\b(?:NAMESPACE|\w+_BEGIN_NAMESPACE\w*)\s*$")


@dataclass
class Declared:
    """One name."""

    kind: str
    """``function``, ``type``, ``enumerator``, ``constant``, ``macro``; ``guard`` for a macro without a body,
    ``generated`` where a macro declares it."""
    files: set[str] = field(default_factory=set)
    arities: set[int] = field(default_factory=set)
    """The numbers of arguments its overloads can take; a variadic one is not counted."""


Names = dict[str, Declared]


def read(roots: Iterable[Path], *, skip: str = r"(?!)") -> Names:
    """Everything that the headers in these folders (or these files) declare; ``skip`` matches paths to leave out."""
    names: Names = {}
    left_out = re.compile(skip)
    for root in roots:
        for file in [root] if root.is_file() else sorted(root.rglob("*")):
            if file.is_file() and file.suffix in SUFFIXES and not left_out.search(file.as_posix()):
                path = file.relative_to(root).as_posix() if root.is_dir() else file.name
                for name, kind, arity in declarations(file.read_text("utf-8", "replace")):
                    entry = names.setdefault(name, Declared(kind))
                    if entry.kind in ("macro", "guard"):  # a macro that renames a function is known as the function
                        entry.kind = kind
                    entry.files.add(path)
                    entry.arities.update(arity)
    return names


def declarations(text: str) -> Iterator[tuple[str, str, Iterable[int]]]:
    """The names that one header declares: name, kind, numbers of arguments."""
    text = _COMMENT.sub(lambda found: '""' if found[0][0] == '"' else " ", _LINE_END.sub(" ", text))
    for found in _DEFINE.finditer(text):
        yield found[1], "macro" if found[3] or found[2] else "guard", ()
    text = _NO_BODY.sub(";", _DIRECTIVE.sub("", text))
    for found in _ENUM.finditer(text):
        yield from ((name, "type", ()) for name in (*re.findall(r"\w+", found[1].split(":")[0])[-1:], found[3]) if name)
        for item in found[2].split(","):
            if enumerator := _ENUMERATOR.match(item):
                yield enumerator[1], "enumerator", ()
    for found in _RECORD.finditer(text):
        yield found[1], "type", ()
    for found in _GENERATED.finditer(text):
        yield from ((name + end, "generated", ()) for name in re.findall(r"\w+", found[1]) for end in ("", "_t"))
    for pattern in (_ALIAS, _USING):
        for found in pattern.finditer(text):
            yield found[1] or found[2], "type", ()
    outer = list(_outside_bodies(text))
    for statement in outer:
        if statement.startswith("}"):
            for found in _AFTER_RECORD.finditer(statement + ";"):
                yield from ((name, "type", ()) for name in re.findall(r"\w+", found[1]))
        elif value := _VARIABLE.search(statement) or _CONSTANT.search(statement if "=" in statement else ""):
            yield value[1], "constant", ()
        yield from _functions(statement)


def _outside_bodies(text: str) -> Iterator[str]:
    """Statements at file or namespace level; what stands in the braces of functions and records is left out."""
    depth, start = 0, 0
    for found in re.finditer(r"[{};]", text):
        mark, at = found[0], found.start()
        if mark == "{":
            if depth == 0 and _NAMESPACE_LIKE.search(text[start:at]):
                start = at + 1
                continue
            if depth == 0:
                yield text[start:at]
            depth += 1
        elif mark == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                start = at
        elif depth == 0:
            yield text[start:at]
            start = at + 1


def _functions(statement: str) -> Iterator[tuple[str, str, Iterable[int]]]:
    statement = re.sub(r"^\}\s*", "", statement.strip())
    if statement.startswith(("typedef", "using", "friend")) or "operator" in statement:
        return
    for found in _CALL.finditer(statement):
        name = found[1]
        if _ATTRIBUTES.fullmatch(name) or (name.isupper() and "_" in name):
            continue
        before = statement[: found.start()].strip()
        if before and not before.endswith(("::", ",", "(", "=", ".")):
            yield name, "function", _arity(statement, found.end())
            return


def _arity(text: str, start: int) -> Iterable[int]:
    """How many arguments may be given to a function whose parameters begin at ``start``."""
    depth, count, defaults, seen = 0, 0, 0, False
    for char in text[start:]:
        if char in "([{<":
            depth += 1
        elif char in ")]}>":
            if depth == 0 and char == ")":
                break
            depth -= 1
        elif char == "," and depth == 0:
            count += 1
        elif char == "=" and depth == 0:
            defaults += 1
        seen = seen or not char.isspace()
    body = text[start:].partition(")")[0].strip()
    if "..." in body:
        return ()
    total = 0 if not seen or body == "void" else count + 1
    return range(total - defaults, total + 1)
