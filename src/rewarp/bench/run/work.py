"""What is measured: each kind of benchmark becomes a step to repeat, and what one step is worth."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from rewarp.bench.config import Benchmark
from rewarp.bench.result import Sourced
from rewarp.bench.run.device import Device
from rewarp.errors import UsageError


@dataclass(frozen=True)
class Work:
    """A step, and the facts of it."""

    step: Callable[[], Any]
    configuration: dict[str, Sourced]
    is_loss: bool = False
    """Whether a step returns the loss."""
    before_step: Callable[[], Any] | None = None
    """Goes before each step, outside its time."""
    software: dict[str, Sourced] = field(default_factory=dict)


def stored_type(precision: str) -> Any:
    """The type of the tensors: TF32 is a way to multiply float32, and `bf16` in training keeps float32 weights."""
    import torch

    return {"fp16": torch.float16, "bf16": torch.bfloat16, "bf16-pure": torch.bfloat16}.get(precision, torch.float32)


@contextlib.contextmanager
def setting(benchmark: Benchmark) -> Iterator[None]:
    """Switches of torch that belong to the precision and the attention; as they were before, afterwards."""
    import torch

    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if benchmark.precision == "tf32" else "highest")
    try:
        with _attention(benchmark.attention):
            yield
    finally:
        torch.set_float32_matmul_precision(before)


def _attention(name: str) -> contextlib.AbstractContextManager[Any]:
    if name == "auto":
        return contextlib.nullcontext()
    from torch.nn.attention import SDPBackend, sdpa_kernel

    backends = {
        "flash": SDPBackend.FLASH_ATTENTION,
        "efficient": SDPBackend.EFFICIENT_ATTENTION,
        "cudnn": SDPBackend.CUDNN_ATTENTION,
        "math": SDPBackend.MATH,
    }
    chosen: contextlib.AbstractContextManager[Any] = sdpa_kernel([backends[name]])
    return chosen


def prepare(benchmark: Benchmark, device: Device) -> Work:
    import torch

    torch.manual_seed(benchmark.seed)
    if benchmark.kind == "training":
        from rewarp.bench.run.training import training

        return training(benchmark, device)
    makers = {"matmul": _matmul, "attention": _attend, "bandwidth": _bandwidth, "collective": _collective}
    work = makers[benchmark.kind](benchmark, device)
    facts = {**work.configuration, **_facts(flush=benchmark.flush)}
    return replace(work, configuration=facts, before_step=_flush(device) if benchmark.flush else None)


_LARGER_THAN_CACHES = 512 << 20
"""Bytes: an MI300X has 256 MiB of Infinity Cache, no GPU in the tables has more."""


def _flush(device: Device) -> Callable[[], Any]:
    """Writes more than the caches hold, so that nothing of the step before is left in them."""
    import torch

    buffer = torch.empty(_LARGER_THAN_CACHES, dtype=torch.uint8, device=device.torch_name)
    return lambda: buffer.fill_(1)


def _facts(**facts: Any) -> dict[str, Sourced]:
    return {name: Sourced(value, "configuration") for name, value in facts.items()}


def _matmul(benchmark: Benchmark, device: Device) -> Work:
    """Square matrices of random numbers: zeros draw less power and run faster than real data."""
    import torch

    size = benchmark.size
    one, two = (
        torch.randn(size, size, device=device.torch_name, dtype=stored_type(benchmark.precision)) for _ in range(2)
    )
    out = torch.empty_like(one)

    def step() -> None:
        for _ in range(benchmark.repeat):
            torch.mm(one, two, out=out)

    flops = Sourced(2 * size**3 * benchmark.repeat, "computed: 2 x size^3")
    return Work(step, {**_facts(size=size, repeat=benchmark.repeat, rest=benchmark.rest), "flops_per_step": flops})


def _attend(benchmark: Benchmark, device: Device) -> Work:
    import torch
    from torch.nn import functional

    backward = benchmark.operation == "forward+backward"
    shape = (benchmark.micro_batch, benchmark.heads, benchmark.size, benchmark.head_width)
    q, k, v, gradient = (
        torch.randn(shape, device=device.torch_name, dtype=stored_type(benchmark.precision)) for _ in range(4)
    )
    inputs = (q.requires_grad_(backward), k.requires_grad_(backward), v.requires_grad_(backward))

    def step() -> None:
        for _ in range(benchmark.repeat):
            out = functional.scaled_dot_product_attention(*inputs, is_causal=benchmark.causal)
            if backward:
                torch.autograd.grad(out, inputs, gradient)

    forward = 4 * benchmark.micro_batch * benchmark.heads * benchmark.size**2 * benchmark.head_width
    counted = forward / (2 if benchmark.causal else 1) * (3.5 if backward else 1) * benchmark.repeat
    words = f"4 x batch x heads x sequence^2 x width{' / 2 (causal)' if benchmark.causal else ''}"
    facts = _facts(
        sequence=benchmark.size,
        heads=benchmark.heads,
        micro_batch=benchmark.micro_batch,
        head_width=benchmark.head_width,
        causal=benchmark.causal,
        operation=benchmark.operation,
        repeat=benchmark.repeat,
    )
    source = f"computed: {words}{' x 3.5 (backward)' if backward else ''}"
    return Work(step, {**facts, "flops_per_step": Sourced(counted, source)})


def _bandwidth(benchmark: Benchmark, device: Device) -> Work:
    """Buffers much larger than any cache, read and written once."""
    import torch

    kind = stored_type(benchmark.precision)
    count = benchmark.size // torch.empty((), dtype=kind).element_size()
    if not count:
        raise UsageError(f"{benchmark.name}: a buffer of {benchmark.size} bytes holds no element")
    one = torch.randn(count, device=device.torch_name, dtype=kind)
    out = torch.empty_like(one)
    other = torch.randn_like(one) if benchmark.operation == "triad" else None

    def step() -> None:
        for _ in range(benchmark.repeat):
            if other is None:
                out.copy_(one)
            else:
                torch.add(one, other, alpha=3.0, out=out)

    buffers = 2 if other is None else 3
    moved = buffers * one.numel() * one.element_size() * benchmark.repeat
    facts = _facts(operation=benchmark.operation, size=benchmark.size, repeat=benchmark.repeat)
    return Work(step, {**facts, "bytes_per_step": Sourced(moved, f"computed: {buffers} buffers, each once")})


def _collective(benchmark: Benchmark, device: Device) -> Work:
    import torch
    from torch import distributed

    ranks = distributed.get_world_size()
    kind = stored_type(benchmark.precision)
    count = max(benchmark.size // torch.empty((), dtype=kind).element_size() // ranks, 1) * ranks
    whole = torch.randn(count, device=device.torch_name, dtype=kind)
    part = torch.randn(count // ranks, device=device.torch_name, dtype=kind)

    def step() -> None:
        for _ in range(benchmark.repeat):
            if benchmark.operation == "all_reduce":
                distributed.all_reduce(whole)
                # The sum of sums must not run away to infinity.
                whole.div_(ranks)
            elif benchmark.operation == "all_gather":
                distributed.all_gather_into_tensor(whole, part)
            else:
                distributed.reduce_scatter_tensor(part, whole)

    passes = 2 if benchmark.operation == "all_reduce" else 1
    moved = passes * (ranks - 1) / ranks * whole.numel() * whole.element_size() * benchmark.repeat
    facts = _facts(operation=benchmark.operation, size=benchmark.size, repeat=benchmark.repeat)
    source = f"computed: {passes} x (devices - 1) / devices x bytes"
    return Work(step, {**facts, "bytes_per_step": Sourced(moved, source)})
