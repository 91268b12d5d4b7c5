"""Training steps of our own transformer, on one device or several."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rewarp.bench.config import Benchmark
from rewarp.bench.presets import PRESETS, Shape
from rewarp.bench.result import Sourced
from rewarp.bench.run import transformer
from rewarp.bench.run.device import Device
from rewarp.bench.run.work import Work, stored_type
from rewarp.errors import UsageError

if TYPE_CHECKING:
    import torch

_BATCHES = 4
"""Different ones, used in turn: one batch alone is learned by heart at once, and its loss shows nothing."""


def shape_of(benchmark: Benchmark) -> Shape:
    changes: dict[str, Any] = dict(benchmark.shape)
    shape = replace(PRESETS[benchmark.model], **changes)
    if shape.hidden % shape.heads or shape.heads % shape.kv_heads or shape.hidden // shape.heads % 2:
        raise UsageError(f"{benchmark.name}: hidden, heads and kv_heads of the model do not fit together")
    return shape


def training(benchmark: Benchmark, device: Device) -> Work:
    import torch

    shape = shape_of(benchmark)
    # With `bf16` and `fp16` the weights stay float32 and the products are cast; `bf16-pure` keeps all in bfloat16.
    stored = stored_type(benchmark.precision) if benchmark.precision == "bf16-pure" else torch.float32
    with torch.device(device.torch_name):
        before = torch.get_default_dtype()
        torch.set_default_dtype(stored)
        try:
            model = transformer.build(shape, benchmark.sequence, benchmark.recompute)
        finally:
            torch.set_default_dtype(before)
    counted, flops = (
        transformer.parameters(model),
        transformer.flops_per_token(model, shape, benchmark.sequence),
    )
    wrapped: Any = _parallel(model, benchmark, device)
    optimizer = _optimizer(benchmark, wrapped)
    if benchmark.compile:
        wrapped = torch.compile(wrapped)
    step = _step(benchmark, device, wrapped, optimizer, shape)
    facts = {
        "model": benchmark.model if not benchmark.shape else f"{benchmark.model}, shape changed",
        "layers": shape.layers,
        "hidden": shape.hidden,
        "heads": shape.heads,
        "kv_heads": shape.kv_heads,
        "feed_forward": shape.feed_forward,
        "vocabulary": shape.vocabulary,
        "sequence": benchmark.sequence,
        "micro_batch": benchmark.micro_batch,
        "global_batch": benchmark.global_batch,
        "optimizer": benchmark.optimizer,
        "parallelism": benchmark.parallelism,
        "compile": benchmark.compile,
        "recompute": benchmark.recompute,
    }
    configuration = {name: Sourced(value, "configuration") for name, value in facts.items()}
    configuration["parameters"] = Sourced(counted, "counted in the model")
    words = "counted: 6 x weights of matrix products + 12 x layers x hidden x sequence (full attention, no recompute)"
    configuration["flops_per_token"] = Sourced(flops, words)
    return Work(step, configuration, is_loss=True)


def _parallel(model: torch.nn.Module, benchmark: Benchmark, device: Device) -> Any:
    if benchmark.parallelism == "ddp":
        from torch.nn.parallel import DistributedDataParallel

        return DistributedDataParallel(model, device_ids=None if device.kind == "cpu" else [device.index])
    if benchmark.parallelism == "fsdp":
        from torch.distributed.fsdp import fully_shard

        blocks: Any = model.blocks
        for block in blocks:
            fully_shard(block)
        fully_shard(model)
    return model


def _optimizer(benchmark: Benchmark, model: Any) -> Any:
    import torch

    if benchmark.optimizer == "sgd":
        return torch.optim.SGD(model.parameters(), lr=benchmark.learning_rate)
    return torch.optim.AdamW(model.parameters(), lr=benchmark.learning_rate, betas=(0.9, 0.95), weight_decay=0.1)


def _step(benchmark: Benchmark, device: Device, model: Any, optimizer: Any, shape: Shape) -> Callable[[], Any]:
    """Forward and backward of every micro-batch, then the optimizer. Returns the mean loss, still on the device."""
    import torch

    rank = torch.distributed.get_rank() if benchmark.devices > 1 else 0
    # Drawn on the CPU, where the same seed gives the same tokens for every platform; another part for every rank.
    chooser = torch.Generator().manual_seed(benchmark.seed + rank)
    size = (_BATCHES, benchmark.micro_batch, benchmark.sequence + 1)
    batches = torch.randint(shape.vocabulary, size, generator=chooser).to(device.torch_name)
    passes = benchmark.global_batch // (benchmark.micro_batch * benchmark.devices)
    cast = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(benchmark.precision)
    scaler = torch.amp.GradScaler(device.kind) if benchmark.precision == "fp16" else None
    used = 0

    def forward_and_backward() -> Any:
        nonlocal used
        batch = batches[used % _BATCHES]
        used += 1
        with torch.autocast(device.kind, dtype=cast) if cast is not None else contextlib.nullcontext():
            loss = model(batch[:, :-1], batch[:, 1:]) / passes
        (loss if scaler is None else scaler.scale(loss)).backward()
        return loss.detach()

    def step() -> Any:
        optimizer.zero_grad(set_to_none=True)
        loss = sum(_without_sync(model, number < passes - 1, forward_and_backward) for number in range(passes))
        if scaler is None:
            optimizer.step()
        else:
            scaler.step(optimizer)
            scaler.update()
        return loss

    return step


def _without_sync(model: Any, is_between: bool, run: Callable[[], Any]) -> Any:
    """Gradients of micro-batches but the last one are not exchanged."""
    if is_between and hasattr(model, "no_sync"):
        with model.no_sync():
            return run()
    if hasattr(model, "set_requires_gradient_sync"):
        model.set_requires_gradient_sync(not is_between)
    return run()
