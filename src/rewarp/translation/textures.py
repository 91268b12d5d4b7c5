"""Textures and surfaces, objects and references. Few files have them."""

from __future__ import annotations

from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.translation.changes import Changes, Options
from rewarp.translation.lexing import Lexed

# Whoever reads a texture got it somewhere; asking the names first spares most files the search.
_TYPES = (b"exture", b"urface", b"CUtex", b"CUsurf")
_WORDS = (
    *(b"tex1D", b"tex2D", b"tex3D", b"texCubemap"),
    *(b"surf1D", b"surf2D", b"surf3D", b"surfCubemap", b"texture"),
)


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    if b"texture" in lexed.names or any(name in view for name in options.project.textures or ()):
        return True
    return any(word in lexed.vocabulary for word in _TYPES) and any(word in view for word in _WORDS)


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Puts stand-ins in the place of references, and says what is left for a GPU with texture units."""
    # Late: its patterns take longer to compile than a small file to translate.
    from rewarp.translation.texture_stand_ins import replace_references

    return replace_references(document, names, options.project.textures)
