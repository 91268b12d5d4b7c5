"""Texture references, which CUDA 12 removed. HIP still has them, deprecated; CDNA GPUs have no textures at all."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cfamily import CodeFile
from rewarp.source import Span
from rewarp.translation.lexing import Lexed
from rewarp.translation.model import Changes, Options, Problem

_RULE = "CU-008"
# Whoever reads a texture got it somewhere; asking the names first spares most files the search.
_TYPES = (b"exture", b"urface", b"CUtex", b"CUsurf")
_WORDS = (
    *(b"tex1D", b"tex2D", b"tex3D", b"texCubemap"),
    *(b"surf1D", b"surf2D", b"surf3D", b"surfCubemap", b"texture"),
)
_REFERENCE = re.compile(rb"\b(?:texture|surface)\s*<")
_FETCH = re.compile(rb"\b(?:tex(?:1D|2D|3D|Cubemap)\w*|surf(?:1D|2D|3D|Cubemap)\w*)\s*(?=[<(])")


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return any(word in lexed.vocabulary for word in _TYPES) and any(word in view for word in _WORDS)


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Says where textures are used: data-centre GPUs of AMD's cannot run it."""
    changes = Changes()
    if match := _FETCH.search(document.code):
        changes.problems.append(
            Problem(
                _RULE,
                Span(*match.span()),
                "noted",
                "texture and surface functions do not compile for gfx90a, gfx94x and gfx95x, which have no texture units",
                "Read from plain memory there, interpolating by hand where the texture did; RDNA GPUs run it as it is.",
                match[0].decode().strip(),
            )
        )
    for match in _REFERENCE.finditer(document.code):
        changes.problems.append(
            Problem(
                _RULE,
                Span(*match.span()),
                "noted",
                "a texture reference; CUDA 12 removed them and HIP keeps them as deprecated",
                "Use a texture object, or plain memory.",
                match[0].decode().rstrip("< \t"),
            )
        )
    return changes
