"""Container images, as several rules ask for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from rewarp.lang.dockerfile import Dockerfile
from rewarp.lang.document import Document
from rewarp.source import Span

CUDA_IMAGE = re.compile(
    r"(?:docker\.io/)?nvidia/(?:cuda|cudagl|pytorch|tensorrt|tritonserver)\b|nvcr\.io/|(?:docker\.io/)?pytorch/pytorch\b"
    r"|pytorch/manylinux\w*-builder:cuda|pytorch/conda-cuda|(?:docker\.io/)?vllm/vllm-openai\b"
    r"|(?:docker\.io/)?tensorflow/tensorflow:[\w.-]*gpu|\S{1,400}[:-][\w.-]{0,200}(?:cuda\d|cu1[1-3]\d)"
)
_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::?[-+]([^}]{0,400}))?\}|(\w+))")


class Image(NamedTuple):
    name: str
    where: Span
    starts: bool
    """A stage starts from it; else something is copied out of it."""
    named: bool = True
    """It is written there; else an earlier stage stands there, which started from it."""


def images_of(document: Dockerfile) -> Iterator[Image]:
    """The images that a Dockerfile starts from and copies from, with ARG defaults put in."""
    values: dict[str, str] = {}
    stages: dict[str, str] = {}
    for item in document.instructions:
        if item.name == "ARG":
            name, _, value = item.value.partition("=")
            values.setdefault(name.strip(), value.strip().strip("\"'"))
        elif item.name == "FROM":
            words = [word for word in item.value.split() if not word.startswith("--")]
            name = expanded(words[0], values) if words else ""
            image = stages.get(name.lower(), name)
            named = name.lower() not in stages
            if len(words) > 2 and words[1].lower() == "as":
                stages[words[2].lower()] = image
            if image:
                yield Image(image, item.span, True, named)
        elif item.name == "COPY":
            source = re.search(r"--from=(\S+)", item.value)
            if source and source[1].lower() not in stages:
                yield Image(expanded(source[1], values), item.span, False)


def expanded(text: str, values: dict[str, str]) -> str:
    for _ in range(4):
        filled = _VARIABLE.sub(lambda m: values.get(m[1] or m[3]) or m[2] or "", text)
        if filled == text:
            break
        text = filled
    return text


def in_cuda_image(document: Document, where: Any) -> bool:
    """Whether a line of a Dockerfile runs in an image of NVIDIA's: that the image is NVIDIA's is told at its FROM."""
    if not isinstance(document, Dockerfile):
        return False
    start = document.span(where).start
    before = [image.name for image in images_of(document) if image.starts and image.where.start < start]
    return bool(before) and CUDA_IMAGE.match(before[-1]) is not None
