"""A small transformer to record on one machine and replay on another (docs/numbers.md).

    rewarp verify record examples/golden/transformer.py:make -o fp32.safetensors
    rewarp verify compare fp32.safetensors examples/golden/transformer.py:make
    rewarp verify compare fp32.safetensors examples/golden/transformer.py:make_broken
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

WORDS, WIDTH, HEADS, BLOCKS, LENGTH = 97, 64, 4, 4, 32


class Attention(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=self.scale)
        return self.proj(mixed.transpose(1, 2).reshape(batch, length, WIDTH))


class Block(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.attention = Attention(scale)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self, broken_block: int | None = None) -> None:
        super().__init__()
        right = (WIDTH // HEADS) ** -0.5
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList(Block(WIDTH**-0.5 if i == broken_block else right) for i in range(BLOCKS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.words(tokens) + self.places.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def make() -> Any:
    return Transformer(), (torch.randint(WORDS, (2, LENGTH)),), {}


def make_broken() -> Any:
    """The attention of block 2 divides by the width of the model instead of the width of a head."""
    return Transformer(broken_block=2), (torch.randint(WORDS, (2, LENGTH)),), {}
