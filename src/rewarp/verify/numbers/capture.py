"""Runs a target with hooks on its modules and keeps what goes in and out."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rewarp.errors import UsageError
from rewarp.verify.numbers.nesting import changed, flat
from rewarp.verify.numbers.recording import MODEL, RESULT, Call, Pool, Recording, stored_value
from rewarp.verify.numbers.setting import described, repeatable, seed_everything
from rewarp.verify.numbers.target import LayerCount, NotRun, Prepared, guarded
from rewarp.verify.numbers.tensors import NotStorable, Stored

if TYPE_CHECKING:
    import torch

ALL_MODULES = None
"""The depth that has no limit."""


@dataclass(frozen=True)
class Options:
    """How a target is run."""

    device: str
    seed: int = 0
    dtype: str | None = None
    depth: int | None = ALL_MODULES
    """Modules deeper than this are not recorded; 0 is the whole alone."""


def module_of(function: Callable[..., Any] | None) -> torch.nn.Module | None:
    """The model behind something callable: itself, or the one whose method it is (``model.generate``)."""
    import torch

    while isinstance(function, functools.partial):
        function = function.func
    owner = function if isinstance(function, torch.nn.Module) else getattr(function, "__self__", None)
    return owner if isinstance(owner, torch.nn.Module) else None


def place(prepared: Prepared, options: Options) -> None:
    """Bring model and inputs to the device and dtype."""
    import torch

    dtype = getattr(torch, options.dtype) if options.dtype and "dtype" not in prepared.told else None
    model = module_of(prepared.function)
    with guarded(f"moving {prepared.name} to {options.device}"):
        if model is not None:
            model.eval()
            model.to(device=options.device, dtype=dtype)

        def moved(path: str, tensor: torch.Tensor) -> torch.Tensor:
            cast = dtype if tensor.is_floating_point() else None
            return tensor.detach().to(device=options.device, dtype=cast).requires_grad_(tensor.requires_grad)

        if prepared.function is not None:
            prepared.args, prepared.kwargs = changed((prepared.args, prepared.kwargs or {}), moved)


def weights_of(prepared: Prepared) -> dict[str, torch.Tensor]:
    """Parameters and buffers, also those that a state_dict leaves out."""
    model = module_of(prepared.function)
    return {**dict(model.named_parameters()), **dict(model.named_buffers())} if model is not None else {}


def call_whole(prepared: Prepared, options: Options) -> Any:
    """Run it once, seeded, on copies of its inputs."""
    import torch

    seed_everything(options.seed)
    if prepared.function is None:
        return prepared.results
    args, kwargs = changed((prepared.args, prepared.kwargs or {}), lambda path, tensor: _copy(tensor))
    # A function may well compute gradients; a model in evaluation needs none.
    quiet = torch.no_grad() if isinstance(prepared.function, torch.nn.Module) else nullcontext()
    with guarded(prepared.name), repeatable(), _buffers_restored(prepared), quiet:
        return prepared.function(*args, **kwargs)


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone().requires_grad_(tensor.requires_grad)


@contextmanager
def _buffers_restored(prepared: Prepared) -> Iterator[None]:
    """A model that counts or caches in its buffers must start the next run where it started this one."""
    import torch

    model = module_of(prepared.function)
    before = [(buffer, buffer.detach().clone()) for buffer in model.buffers()] if model is not None else []
    try:
        yield
    finally:
        with torch.no_grad():
            for buffer, content in before:
                if buffer.shape == content.shape and not torch.equal(buffer, content):
                    buffer.copy_(content)


def named_inputs(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Arguments by position, then by name; and what among them is no tensor."""
    return flat({**dict(enumerate(args)), **kwargs})


class Hooks:
    """Hooks on the modules of a model, down to a depth. Keeps the stack of calls that are open."""

    def __init__(
        self,
        before: Callable[[Call, Any, Any], None],
        after: Callable[[Call, Any], None],
    ) -> None:
        self._before, self._after = before, after
        self.open: list[Call] = []
        self._seen: Counter[str] = Counter()
        self.layers = LayerCount()

    @contextmanager
    def on(self, model: torch.nn.Module | None, depth: int | None) -> Iterator[None]:
        import torch

        outside: Any = torch.compiler.disable
        with ExitStack() as hooks:
            hooks.enter_context(self.layers)
            for name, module in model.named_modules() if model is not None else ():
                if depth is not None and name and name.count(".") + 1 > depth:
                    continue
                enter = functools.partial(self._enter, name or MODEL)
                leave = functools.partial(self._leave, name or MODEL)
                # A compiler must not look into our hooks: it ends its graph before each of them.
                hooks.callback(module.register_forward_pre_hook(outside(enter), with_kwargs=True).remove)
                hooks.callback(module.register_forward_hook(outside(leave), with_kwargs=True).remove)
            yield

    def _enter(self, name: str, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        call = Call(name, type(module).__name__, self._seen[name], self.open[-1].name if self.open else None)
        self._seen[name] += 1
        self._before(call, args, kwargs)
        self.open.append(call)

    def _leave(self, name: str, module: torch.nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        # Calls above it in the stack were left by an exception that the model caught.
        while self.open and self.open[-1].module != name:
            self.open.pop()
        if self.open:
            call = self.open.pop()
            call.layers = self.layers.count
            self._after(call, output)


@dataclass
class _Run:
    """What the hooks gather in one run."""

    pool: Pool
    calls: list[Call] = field(default_factory=list)

    def before(self, call: Call, args: Any, kwargs: Any) -> None:
        found, others = named_inputs(args, kwargs)
        call.skipped += [f"input {other}" for other in others]
        call.inputs = self.pool.add_all(f"{call.name}/in", found, call.skipped)

    def after(self, call: Call, output: Any) -> None:
        self._returned(call, output, f"{call.name}/out")

    def result(self, output: Any, layers: int) -> None:
        call = Call(RESULT, "function", 0, layers=layers)
        self._returned(call, output, "result")

    def _returned(self, call: Call, output: Any, prefix: str) -> None:
        found, others = flat(output)
        call.skipped += [f"output {other}" for other in others]
        call.outputs = self.pool.add_all(prefix, found, call.skipped)
        call.devices = sorted({str(value.device) for value in found.values() if hasattr(value, "device")})
        self.calls.append(call)


def capture(prepared: Prepared, options: Options, keep_weights: str = "stored") -> Recording:
    """Run a target that was placed, and keep everything."""
    import torch

    pool = Pool()
    skipped: list[str] = []
    found, others = named_inputs(prepared.args, prepared.kwargs or {})
    inputs = pool.add_all("inputs", found, skipped)
    notes = [f"input {item} is not recorded: a replay gets what the target makes" for item in (*skipped, *others)]
    weights, kept = _kept_weights(prepared, pool, keep_weights, notes)
    run = _Run(pool)
    hooks = Hooks(run.before, run.after)
    with hooks.on(module_of(prepared.function), options.depth):
        result = call_whole(prepared, options)
    if not isinstance(prepared.function, torch.nn.Module):
        run.result(result, hooks.layers.count or prepared.layers)
    if not any(call.outputs for call in run.calls):
        raise UsageError(f"{prepared.name} returned no tensor, array or number: there is nothing to record")
    _refuse_other_device(prepared, options, run.calls)
    used = {"target": prepared.name, "seed": options.seed, "dtype": options.dtype, "depth": options.depth}
    with repeatable():  # the switches as they were while it ran
        setting = described(options.device)
    return Recording(setting, used, run.calls, inputs, weights, kept, pool.tensors, notes)


def _kept_weights(prepared: Prepared, pool: Pool, how: str, notes: list[str]) -> tuple[dict[str, str], str]:
    found: dict[str, Stored] = {}
    for name, tensor in weights_of(prepared).items():
        try:
            found[name] = stored_value(tensor)
        except NotStorable as reason:
            notes.append(f"weight {name} is not recorded ({reason}): a replay gets what the target makes")
    if not found:
        return {}, "none"
    if how == "hashed":
        return {name: stored.digest() for name, stored in found.items()}, how
    return {name: pool.add(f"weights/{name}", stored) for name, stored in found.items()}, how


def _refuse_other_device(prepared: Prepared, options: Options, calls: list[Call]) -> None:
    """Results from another device than the one asked for prove nothing about it."""
    wanted = options.device.partition(":")[0]
    seen = sorted({device.partition(":")[0] for call in calls for device in call.devices})
    if seen and wanted not in seen and wanted != "cpu":
        asks = "" if "device" in prepared.told else "; let the callable take a parameter `device`"
        raise NotRun(f"asked for {wanted}, but {prepared.name} computed on {', '.join(seen)}{asks}")
