"""Stand-ins for texture references, which CUDA 12 removed; and what is left for a GPU with texture units."""

from __future__ import annotations

from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import Changes, Problem, Replacement, Texture
from rewarp.translation.code import line_start
from rewarp.translation.names import renamed
from rewarp.translation.reported_rules import TEXTURES
from rewarp.translation.texture_references import (
    BINDING,
    FETCH,
    REFERENCE,
    SURFACE,
    Declaration,
    Fetch,
    bindings,
    declarations,
    fetches,
    on_device,
    stand_ins,
)


def replace_references(
    document: CodeFile, names: Mapping[bytes, list[int]], textures: Mapping[bytes, Texture] | None
) -> Changes:
    """Puts stand-ins in the place of references, and says what is left for a GPU with texture units."""
    if textures is None:
        textures = stand_ins([(document, names)], alone=True)
    part = _Part(document, textures)
    for declaration in part.declarations:
        part.declare(declaration)
    for fetch in fetches(document.code):
        part.fetch(fetch)
    for binding in bindings(document.code, names):
        if document.code[slice(*binding.argument)] in textures:
            new = BINDING[document.code[slice(*binding.function)]][1]
            part.changes.replacements.append(Replacement(*binding.function, new))
    part.report()
    return part.changes


class _Part:
    """The stand-ins in one file."""

    def __init__(self, document: CodeFile, textures: Mapping[bytes, Texture]) -> None:
        self.code = document.code
        self.newline = b"\r\n" if b"\r\n" in document.source.view[:4096] else b"\n"
        self.textures = textures
        found = declarations(self.code) if textures else ()
        self.declarations = [item for item in found if item.names.keys() <= textures.keys()]
        self.own_texels = {name: item.texel for item in self.declarations for name in item.names}
        self.memory_fetches: set[int] = set()
        self.changes = Changes()

    def declare(self, declaration: Declaration) -> None:
        """``texture<float, 2> name;`` becomes a variable on the device, and the host's, which knows it."""
        kind = self.textures[next(iter(declaration.names))]
        add = self.changes.replacements.append
        texel = renamed(declaration.texel or b"")
        type_ = b"rewarp_texels<" + texel + b">" if kind.is_linear else b"hipTextureObject_t"
        variables = b", ".join(on_device(name, kind) for name in declaration.names)
        indent = self.code[line_start(self.code, declaration.start) : declaration.start]
        new_line = b";" + self.newline + indent if not indent.strip() else b"; "
        host = b"rewarp_linear_texture" if kind.is_linear else b"rewarp_texture"
        both = b"static __device__ " + type_ + b" " + variables + new_line + b"static " + host
        add(Replacement(declaration.start, declaration.template, both))
        for name, where in declaration.names.items():
            opening = declaration.openings.get(name)
            variable = on_device(name, kind)
            if opening is None:
                add(Replacement(where.end, where.end, b"(" + variable + b")"))
            else:
                given = self.code[opening : self.code.index(b")", opening)].strip()
                add(Replacement(opening, opening, variable + (b", " if given else b"")))
            self.changes.problems.append(_replaced(where, name, kind))

    def fetch(self, fetch: Fetch) -> None:
        name = self.code[slice(*fetch.argument)]
        kind = self.textures.get(name)
        if kind is None:
            return
        self.changes.replacements.append(Replacement(*fetch.argument, on_device(name, kind)))
        if kind.is_linear:
            self.memory_fetches.add(fetch.function.start)
        elif not fetch.typed:
            texel = renamed(self.own_texels.get(name) or kind.texel)
            self.changes.replacements.append(Replacement(fetch.function.end, fetch.function.end, b"<" + texel + b">"))

    def report(self) -> None:
        """The first use of a texture unit, and the references that stay."""
        uses = (match for pattern in (FETCH, SURFACE) for match in pattern.finditer(self.code))
        left = [match for match in uses if match.start() not in self.memory_fetches]
        if left:
            match = min(left, key=lambda match: match.start())
            self.changes.problems.append(_needs_units(Span(*match.span()), match[0].decode()))
        replaced = {item.template for item in self.declarations}
        for match in REFERENCE.finditer(self.code):
            if match.end("word") not in replaced:
                self.changes.problems.append(_left(Span(*match.span("word")), match["word"].decode()))


def _replaced(where: Span, name: bytes, kind: Texture) -> Problem:
    if kind.is_linear:
        message = f"the texture reference {name.decode()} became plain memory, which every GPU reads"
        fix = "Check that what is bound to it holds values of its type."
    else:
        message = f"the texture reference {name.decode()} became a texture object; binding waits for the GPU"
        fix = "Check it, and bind outside of what has to be fast."
    return Problem(TEXTURES, where, "noted", message, fix, name.decode())


def _needs_units(where: Span, name: str) -> Problem:
    message = "texture and surface functions do not compile for gfx94x and gfx95x, which have no texture units"
    fix = "Read from plain memory there, interpolating by hand where the texture did; other GPUs take it as it is."
    return Problem(TEXTURES, where, "unsupported", message, fix, name)


def _left(where: Span, word: str) -> Problem:
    message = f"a {word} reference that stays one, for not every use of it is understood; CUDA 12 removed them"
    return Problem(
        TEXTURES, where, "noted", message, "Use an object, or plain memory. HIP keeps them, deprecated.", word
    )
