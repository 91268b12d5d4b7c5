"""NaN and Inf in what modules return; steps, and memory at each."""

from __future__ import annotations

import math
import os
import threading
import weakref
from collections.abc import Iterator
from typing import Any

_ALL_CALLS = 50
"""So many calls of whole models are looked at one by one; after them every tenth."""
_EVERY = 10
_PENDING = 512
_BAD_KEPT = 50
_SAMPLES = 512
_DEPTH = 4


class Samples:
    """Memory over time. When there are too many, every other one goes."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int | None, int | None]] = []
        """Step, bytes of the process, bytes on its devices."""
        self.count = 0
        self._every = 1

    def take(self, torch: Any, profiler: Any) -> None:
        """The profiler's notes grow with each step: while it writes, memory is not the program's own."""
        if self.count % self._every == 0 and not (profiler and profiler.is_open):
            self.rows.append((self.count, resident_bytes(), _device_bytes(torch)))
            if len(self.rows) > _SAMPLES:
                self.rows = self.rows[::2]
                self._every *= 2
        self.count += 1


def resident_bytes() -> int | None:
    try:
        with open("/proc/self/statm", "rb") as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None


def _device_bytes(torch: Any) -> int | None:
    if torch is None or not torch.cuda.is_initialized():
        return None
    return sum(int(torch.cuda.memory_allocated(index)) for index in range(torch.cuda.device_count()))


class Modules:
    def __init__(self, process: Any, torch: Any, profiler: Any) -> None:
        self._process, self._torch, self._profiler = process, torch, profiler
        self._compiling = getattr(getattr(torch, "compiler", None), "is_compiling", bool)
        self._names: Any = weakref.WeakKeyDictionary()
        self._clear()
        from torch.nn.modules import module
        from torch.optim import optimizer

        before, after = process.guarded(self._before), process.guarded(self._after)
        stepped = process.guarded(self._stepped)
        compiling = self._compiling

        def before_forward(owner: Any, given: Any) -> None:
            # torch.compile reads this function: it must see nothing but an early way out.
            if compiling():
                return
            before(owner)

        def after_forward(owner: Any, given: Any, output: Any) -> None:
            if compiling():
                return
            after(owner, output)

        module.register_module_forward_pre_hook(before_forward)
        module.register_module_forward_hook(after_forward)
        if hasattr(optimizer, "register_optimizer_step_post_hook"):
            optimizer.register_optimizer_step_post_hook(lambda owner, given, named: stepped(owner))

    def _clear(self) -> None:
        self.active = False
        self._local = threading.local()
        self._pending: list[tuple[str, str, Any]] = []
        self._lock = threading.Lock()
        self._last: Any = None
        self.looked_at = 0
        self.unread = 0
        self.bad: list[dict[str, Any]] = []
        self.bad_count = 0
        self.forwards = 0
        self.forwards_seen = 0
        self.steps = Samples()

    def forked_here(self) -> None:
        self._clear()

    # --- the hooks --------------------------------------------------------------------------

    def _stack(self) -> list[Any]:
        stack: list[Any] | None = getattr(self._local, "stack", None)
        if stack is None:
            stack = self._local.stack = []
        return stack

    def _before(self, owner: Any) -> None:
        stack = self._stack()
        if owner in stack:
            # Its last call ended in an exception, and nothing below it ended either.
            del stack[stack.index(owner) :]
        if not stack:
            self.active = True
            self._profiler.work_came()
            if owner not in self._names:
                for name, inner in owner.named_modules():
                    self._names[inner] = name
            self._local.look = self.forwards < _ALL_CALLS or self.forwards % _EVERY == 0
        stack.append(owner)

    def _after(self, owner: Any, output: Any) -> None:
        stack = self._stack()
        if owner in stack:
            del stack[stack.index(owner) :]
        if getattr(self._local, "look", True):
            name = self._names.get(owner, "")
            self.look_at(f"{name or 'the model'} ({type(owner).__name__})", output)
        if not stack:
            self.forwards_seen += bool(getattr(self._local, "look", True))
            self.forwards += 1
            self.read_flags()
            self._profiler.step_ended()
            self._process.written_now_and_then()

    def _stepped(self, owner: Any) -> None:
        self.active = True
        self._profiler.steps_taken += 1
        self.steps.take(self._torch, self._profiler)
        self._last = weakref.ref(owner)
        count = self.steps.count
        if count & (count - 1) == 0 or count % 64 == 0:
            self._look_at_parameters(count)
        self.read_flags()
        self._profiler.step_ended()
        self._process.written_now_and_then()

    def _look_at_parameters(self, count: int) -> None:
        owner = self._last() if self._last else None
        for group in owner.param_groups if owner is not None else ():
            for parameter in group["params"]:
                self.look_at(f"a parameter after step {count}", parameter)

    def call_ended(self, number: int, result: Any) -> None:
        """One call of the function that is called again and again."""
        self.active = True
        self.look_at(f"the result of call {number}", result)
        self.read_flags()
        self._profiler.steps_taken += 1
        self._profiler.step_ended()
        self._process.written_now_and_then()

    # --- NaN and Inf ------------------------------------------------------------------------

    def look_at(self, what: str, value: Any) -> None:
        torch = self._torch
        if self._is_traced():
            return
        for tensor in _tensors(torch, value, _DEPTH):
            if not (tensor.is_floating_point() or tensor.is_complex()) or tensor.is_meta or not tensor.numel():
                continue
            if tensor.layout != torch.strided or tensor.is_nested or tensor.is_quantized:
                continue
            with torch.no_grad():
                ends = _ends(torch, tensor.detach())
            with self._lock:
                self._pending.append((what, str(tensor.device), ends))
        if len(self._pending) >= _PENDING:
            self.read_flags()

    def _is_traced(self) -> bool:
        """Whether what is computed now becomes part of a graph: what we asked would be in it, too."""
        torch = self._torch
        if torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing():
            return True
        inner = torch._C
        if inner._get_tracing_state() is not None or getattr(inner, "_len_torch_dispatch_stack", int)():
            return True
        functorch = getattr(inner, "_functorch", None)
        return functorch is not None and functorch.peek_interpreter_stack() is not None

    def read_flags(self) -> None:
        """What was asked of the device is read in one go: each reading waits for it."""
        torch = self._torch
        if not self._pending or self._is_traced():
            return
        with self._lock:
            pending, self._pending = self._pending, []
        by_device: dict[str, list[tuple[str, Any]]] = {}
        for what, device, flags in pending:
            by_device.setdefault(device, []).append((what, flags))
        for device, rows in by_device.items():
            try:
                with torch.no_grad():
                    read = torch.stack([flags for _, flags in rows]).tolist()
            except Exception as error:
                self.unread += len(rows)
                self._process.problem("reading flags", error)
                continue
            self.looked_at += len(rows)
            for (what, _), ends in zip(rows, read):
                if not all(map(math.isfinite, ends)):
                    self._found(what, device, any(map(math.isnan, ends)))

    def _found(self, what: str, device: str, is_nan: bool) -> None:
        self.bad_count += 1
        if len(self.bad) < _BAD_KEPT:
            kind = "NaN" if is_nan else "Inf"
            self.bad.append({"kind": kind, "what": what, "device": device, "call": self.forwards})

    def finish(self) -> None:
        if self._last is not None:
            self._look_at_parameters(self.steps.count)
        self.read_flags()

    def report(self) -> dict[str, Any]:
        return {
            "finite": {
                "looked_at": self.looked_at,
                "unread": self.unread,
                "bad": self.bad,
                "bad_count": self.bad_count,
                "forwards": self.forwards,
                "forwards_seen": self.forwards_seen,
            },
            "memory": self.steps.rows,
            "steps": self.steps.count,
        }


def _ends(torch: Any, values: Any) -> Any:
    """The least and the greatest: NaN where there is one, else Inf where there is one. No copy of the tensor is made."""
    if values.is_complex():
        values = torch.view_as_real(values.resolve_conj())
    try:
        ends = torch.aminmax(values)
    except RuntimeError:
        ends = torch.aminmax(values.float())  # some formats have no order of their own
    return torch.stack([ends.min, ends.max]).double()


def _tensors(torch: Any, value: Any, depth: int) -> Iterator[Any]:
    if isinstance(value, torch.Tensor):
        # A distributed tensor would ask the other ranks; its own part answers for this one.
        own = getattr(value, "_local_tensor", value)
        if type(own) in (torch.Tensor, torch.nn.Parameter):
            yield own
    elif depth and isinstance(value, dict):
        for item in list(value.values()):
            yield from _tensors(torch, item, depth - 1)
    elif depth and isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(torch, item, depth - 1)
