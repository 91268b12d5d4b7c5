"""Shapes of the transformers that ``rewarp bench run`` trains."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """A decoder. ``family`` gpt: layer norm, learned positions, GELU; llama: RMS norm, rotary positions, SwiGLU."""

    family: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    feed_forward: int
    vocabulary: int
    tied: bool
    """The output layer has the weights of the embedding."""


PRESETS = {
    "tiny": Shape("llama", 2, 128, 4, 2, 352, 1024, True),
    "gpt-124m": Shape("gpt", 12, 768, 12, 12, 3072, 50304, True),
    "gpt-350m": Shape("gpt", 24, 1024, 16, 16, 4096, 50304, True),
    "gpt-1.5b": Shape("gpt", 48, 1600, 25, 25, 6400, 50304, True),
    "llama-150m": Shape("llama", 12, 768, 12, 4, 2048, 32000, False),
    "llama-1b": Shape("llama", 16, 2048, 32, 8, 8192, 128256, True),
    "llama-3b": Shape("llama", 28, 3072, 24, 8, 8192, 128256, True),
    "llama-8b": Shape("llama", 32, 4096, 32, 8, 14336, 128256, False),
}
