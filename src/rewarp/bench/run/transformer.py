"""A GPT or Llama in plain PyTorch: nothing that one platform has and another has not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rewarp.bench.presets import Shape

if TYPE_CHECKING:
    import torch


def _block(shape: Shape) -> Any:
    """The class of one layer. torch is imported late, so its modules are made late, too."""
    from torch import nn
    from torch.nn import functional

    width = shape.hidden // shape.heads
    llama = shape.family == "llama"

    class Attention(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.query = nn.Linear(shape.hidden, shape.heads * width, bias=not llama)
            self.key = nn.Linear(shape.hidden, shape.kv_heads * width, bias=not llama)
            self.value = nn.Linear(shape.hidden, shape.kv_heads * width, bias=not llama)
            self.out = nn.Linear(shape.heads * width, shape.hidden, bias=not llama)

        def forward(self, x: torch.Tensor, rotation: torch.Tensor | None) -> torch.Tensor:
            batch, length, _ = x.shape
            q = self.query(x).view(batch, length, shape.heads, width).transpose(1, 2)
            k = self.key(x).view(batch, length, shape.kv_heads, width).transpose(1, 2)
            v = self.value(x).view(batch, length, shape.kv_heads, width).transpose(1, 2)
            if rotation is not None:
                q, k = _rotate(q, rotation), _rotate(k, rotation)
            if shape.kv_heads != shape.heads:
                # Repeated by hand: enable_gqa turns some back ends' fused kernels off.
                k = k.repeat_interleave(shape.heads // shape.kv_heads, 1)
                v = v.repeat_interleave(shape.heads // shape.kv_heads, 1)
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            out: torch.Tensor = self.out(mixed.transpose(1, 2).reshape(batch, length, -1))
            return out

    class FeedForward(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.gate = nn.Linear(shape.hidden, shape.feed_forward, bias=False) if llama else None
            self.up = nn.Linear(shape.hidden, shape.feed_forward, bias=not llama)
            self.down = nn.Linear(shape.feed_forward, shape.hidden, bias=not llama)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if self.gate is None:
                grown = functional.gelu(self.up(x), approximate="tanh")
            else:
                grown = functional.silu(self.gate(x)) * self.up(x)
            out: torch.Tensor = self.down(grown)
            return out

    class Block(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.before_attention, self.attention = _norm(shape), Attention()
            self.before_feed_forward, self.feed_forward = _norm(shape), FeedForward()

        def forward(self, x: torch.Tensor, rotation: torch.Tensor | None) -> torch.Tensor:
            x = x + self.attention(self.before_attention(x), rotation)
            out: torch.Tensor = x + self.feed_forward(self.before_feed_forward(x))
            return out

    return Block


def _norm(shape: Shape) -> Any:
    from torch import nn

    return nn.RMSNorm(shape.hidden) if shape.family == "llama" else nn.LayerNorm(shape.hidden)


def build(shape: Shape, sequence: int, recompute: bool) -> torch.nn.Module:
    """The model, on torch's default device and type. Called with tokens and targets it returns the mean loss."""
    from torch import nn
    from torch.nn import functional
    from torch.utils.checkpoint import checkpoint

    block_class, llama = _block(shape), shape.family == "llama"

    class Transformer(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(shape.vocabulary, shape.hidden)
            self.positions = None if llama else nn.Embedding(sequence, shape.hidden)
            self.blocks = nn.ModuleList(block_class() for _ in range(shape.layers))
            self.last_norm = _norm(shape)
            self.head = nn.Linear(shape.hidden, shape.vocabulary, bias=False)
            rotation = _rotation(sequence, shape.hidden // shape.heads) if llama else None
            self.register_buffer("rotation", rotation, persistent=False)
            self.apply(_initialise)
            if shape.tied:
                self.head.weight = self.embedding.weight

        def forward(self, tokens: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
            x = self.embedding(tokens)
            if self.positions is not None:
                x = x + self.positions.weight[: tokens.shape[1]]
            rotation: Any = self.rotation
            for block in self.blocks:
                x = checkpoint(block, x, rotation, use_reentrant=False) if recompute else block(x, rotation)
            logits = self.head(self.last_norm(x))
            return functional.cross_entropy(logits.float().flatten(0, 1), targets.flatten())

    return Transformer()


def _rotation(sequence: int, width: int) -> torch.Tensor:
    """Cosines and sines by position, for rotary positions."""
    import torch

    # In float32 whatever the type of the model: in bfloat16 positions beyond 256 would run together.
    speeds = 500000.0 ** (-torch.arange(0, width, 2, dtype=torch.float32) / width)
    angles = torch.outer(torch.arange(sequence, dtype=torch.float32), speeds)
    return torch.stack((angles.cos(), angles.sin()))


def _rotate(x: torch.Tensor, rotation: torch.Tensor) -> torch.Tensor:
    import torch

    cosine, sine = rotation[:, : x.shape[2]].to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cosine - second * sine, second * cosine + first * sine), dim=-1)


def _initialise(module: Any) -> None:
    from torch import nn

    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=0.02)
        if getattr(module, "bias", None) is not None:
            nn.init.zeros_(module.bias)


def parameters(model: torch.nn.Module) -> int:
    return sum(int(parameter.numel()) for parameter in model.parameters())


def flops_per_token(model: torch.nn.Module, shape: Shape, sequence: int) -> int:
    """Forward and backward: 6 per weight of a matrix product, 12 x layers x width x sequence for attention.

    An embedding is looked up, not multiplied; the output layer is multiplied, tied or not.
    """
    from torch import nn

    weights = sum(int(module.weight.numel()) for module in model.modules() if isinstance(module, nn.Linear))
    return 6 * weights + 12 * shape.layers * shape.hidden * sequence
