"""Images that start from AMD's."""

from __future__ import annotations

import re

from rewarp.lang.dockerfile import Dockerfile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile

_AMDS_IMAGE = re.compile(r"(?:docker\.io/|quay\.io/|ghcr\.io/)?rocm/[\w./-]+(?::[\w.-]+)?(?:@sha256:\w+)?")
_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::?-([^}]*))?\}|(\w+))")


def starts_from_amd(path: str, data: bytes) -> bool:
    """Whether the last stage of a Dockerfile, followed through the others, starts from an image of AMD's."""
    values: dict[str, str] = {}
    stages: dict[str, str] = {}
    image = ""
    for item in Dockerfile(SourceFile(path, data), Kind.DOCKERFILE).instructions:
        words = [word for word in item.value.split() if not word.startswith("--")]
        if item.name == "ARG":
            name, _, value = item.value.partition("=")
            values.setdefault(name.strip(), value.strip().strip("\"'"))
        elif item.name == "FROM" and words:
            image = _filled(words[0], values)
            image = stages.get(image.lower(), image)
            if len(words) > 2 and words[1].lower() == "as":
                stages[_filled(words[2], values).lower()] = image
    return _AMDS_IMAGE.fullmatch(image) is not None


def _filled(text: str, values: dict[str, str]) -> str:
    for _ in range(4):
        text = _VARIABLE.sub(lambda found: values.get(found[1] or found[3]) or found[2] or "", text)
    return text
