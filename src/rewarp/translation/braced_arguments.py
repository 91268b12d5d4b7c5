"""``new Diffuse({ 0xFF })`` for a ``Diffuse(const Color&)``: nvcc makes a ``Color`` of the list; clang wonders whether a ``Diffuse`` is
meant, to be copied, and calls that ambiguous."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from rewarp.lang.cpp.file import CodeFile
from rewarp.translation.changes import Changes, Options, Replacement
from rewarp.translation.code import blocks_around, call_arguments
from rewarp.translation.lexing import Lexed

_CALL = re.compile(
    rb"(?<![\w:.>~])(?!(?:new|return|else|throw|case|and|or|not)\b)(?P<name>[A-Za-z_]\w*)(?:[ \t]+\w+)?\s*(?P<open>\()\s*(?P<brace>\{)"
)
_MAYBE = re.compile(rb"\(\s*\{")
_CLASS = re.compile(rb"\b(?:class|struct)\s+(?P<name>\w+)\s*(?:final\s*)?(?::[^;{}()]*)?\{")
_PARAMETER = re.compile(rb"\s*(?:const\s+)?(?P<type>[A-Za-z_]\w*)(?:\s+const)?\s*&{0,2}\s*\w*\s*(?:=[^,]*)?")
_BRACE = re.compile(rb"[{}]")


def find_converting(documents: Sequence[CodeFile]) -> dict[bytes, bytes]:
    """The classes that are made of one object of another class of the project, where something is given to them in braces."""
    called = {
        match["name"]
        for document in documents
        if _MAYBE.search(document.source.view)
        for match in _CALL.finditer(document.code)
    }
    if not called:
        return {}
    classes: dict[bytes, set[bytes]] = {}
    for document in documents:
        for name, body in _classes(document.code):
            classes.setdefault(name, set()).add(body)
    found: dict[bytes, bytes] = {}
    for name in called & classes.keys():
        bodies = classes[name]
        types = {made for body in bodies for made in _made_of(name, body)}
        if len(bodies) == 1 and len(types - {name}) == 1 and types - {name} <= classes.keys():
            (found[name],) = types - {name}
    return found


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return bool(options.project.converting) and _MAYBE.search(view) is not None


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Names the class that the list makes."""
    changes = Changes()
    code = document.code
    for match in _CALL.finditer(code):
        made = options.project.converting.get(match["name"])
        call = call_arguments(code, match.start("open")) if made else None
        if made and call and len(call[0]) == 1:
            inside = code[slice(*call[0][0])].strip()
            items = call_arguments(b"(" + inside[1:-1] + b")", 0)
            if inside.endswith(b"}") and items and len(items[0]) == 1:
                changes.replacements.append(Replacement(match.start("brace"), match.start("brace"), made))
    return changes


def _classes(code: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The classes in no namespace and no other class, each with what stands in it outside of inner braces."""
    for match in _CLASS.finditer(code):
        if blocks_around(code, match.start()):
            continue
        depth, at, body = 1, match.end(), b""
        for brace in _BRACE.finditer(code, at):
            if depth == 1:
                body += code[at : brace.start()] + b";"
            depth += 1 if brace[0] == b"{" else -1
            at = brace.end()
            if not depth:
                yield match["name"], body
                break


def _made_of(name: bytes, body: bytes) -> Iterator[bytes]:
    """The types of the parameters of constructors that take one; what is no plain name counts too."""
    for match in re.finditer(rb"(?<![\w~])" + re.escape(name) + rb"\s*(?=\()", body):
        call = call_arguments(body, match.end())
        if call and len(call[0]) == 1:
            text = body[slice(*call[0][0])]
            kind = _PARAMETER.fullmatch(text)
            yield kind["type"] if kind else text
