"""A second truth: the same computation in float64, and how far each side is from it.

A constant cannot know what an operation and its types allow: 16 roundings are far too many for one GELU in bfloat16, and too few for a
long sum. But the code at hand can be run in float64, module by module, on the recorded inputs. What was recorded and what came
out here are then held against the same reference, in units of the last place of their own type. Two correct computations lose about
as much. One that loses far more than the other computes in less than its types allow; and where it is the recorded one, the code
here does not compute what was recorded: another epsilon, another approximation, another scale.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from rewarp.verify.numbers.capture import Hooks, Options, call_whole, module_of, named_inputs
from rewarp.verify.numbers.formats import Array, Format, values
from rewarp.verify.numbers.nesting import changed, flat
from rewarp.verify.numbers.recording import RESULT, Call, Recording, stored_value
from rewarp.verify.numbers.target import NotRun, Prepared
from rewarp.verify.numbers.tensors import NotStorable, Stored, to_torch

if TYPE_CHECKING:
    import torch

_BITS = {"float32": (24, -126), "float16": (11, -14), "bfloat16": (8, -126)}
"""Of each type that is judged so: digits of its mantissa, and its smallest exponent."""
_MOST = 64.0
"""An element that is further off counts as if it were so far: a few must not decide for all."""
_FEW = 32
"""Fewer elements than this are no distribution."""


@dataclass(frozen=True)
class Limits:
    """How much more one side may lose than the other: on average ``factor`` times as much and ``slack`` units in the last place;
    and in how large a share of the elements more than a unit, where the other side does not."""

    factor: float
    slack: float
    far: float


_WIDE = Limits(8.0, 8.0, 1.0)
"""For float32: sums are rounded in the type itself, so their order counts, and a reference may be no wider than float32."""
_PRODUCTS = Limits(1.9, 0.08, 1.0)
"""For 16 bits with products of matrices: what lies between two of them may be kept in 16 bits, or not."""
_ONE_ROUNDING = Limits(1.2, 0.02, 0.005)
"""For 16 bits without: everything in between is float32, and the result is rounded once."""


class Work(Enum):
    """What kinds of operators went into a result."""

    PRODUCTS = "products of matrices"
    SUMS = "sums"


_OPERATORS = {
    Work.PRODUCTS: ("mm", "matmul", "dot", "convolution", "attention", "linear", "einsum", "mv"),
    Work.SUMS: ("sum", "mean", "norm", "softmax", "var", "std", "cum", "pool", "sub"),
}
"""By what stands in the names of their operators."""


def limits_of(form: Format, work: frozenset[Work], count: int) -> Limits:
    """Of few elements the mean says little: it has room for its own scatter."""
    if form.name == "float32":
        return _WIDE
    one = _PRODUCTS if Work.PRODUCTS in work else _ONE_ROUNDING
    return replace(one, slack=one.slack + 1 / math.sqrt(count), far=one.far + 1 / count)


@dataclass(frozen=True)
class Losses:
    """The mean distance from the reference, in units of the last place: of what was recorded, and of what came out here; and the
    share of elements that are more than a unit off."""

    golden: float
    actual: float
    far_golden: float
    far_actual: float
    limits: Limits

    @property
    def why(self) -> str:
        """What is wrong; empty where both lose about as much."""
        less, more = sorted((self.golden, self.actual))
        if more <= self.limits.factor * less + self.limits.slack:
            apart = abs(self.far_golden - self.far_actual)
            if apart <= self.limits.far:
                return ""
            more_here = self.far_actual > self.far_golden
            where, what = (
                ("here", "computed with less than the types allow")
                if more_here
                else ("of the recording", "the code here computes something else than what was recorded")
            )
            return f"against float64 {apart:.1%} more of the elements {where} are off by more than a unit in the last place: {what}"
        told = f"against float64 the recording is off by {self.golden:.2f} units in the last place on average, here it is {self.actual:.2f}"
        if self.actual > self.golden:
            return f"{told}: computed with less than the types allow"
        return f"{told}: the code here computes something else than what was recorded"


def losses(golden: Stored, actual: Stored, exact: Exact) -> Losses | None:
    """None where the three cannot be held against one another so."""
    import numpy as np

    form = golden.form
    if form.name not in _BITS or actual.form is not form or not golden.shape == actual.shape == exact.content.shape:
        return None
    if golden.stride != 1 or actual.stride != 1 or exact.content.form.name != "float64":
        return None
    truth = values(exact.content.form, exact.content.raw)
    sides = [values(one.form, one.raw) for one in (golden, actual)]
    fine = np.isfinite(truth) & np.isfinite(sides[0]) & np.isfinite(sides[1])
    if int(fine.sum()) < _FEW:
        return None
    unit = _unit(form, truth[fine], Work.SUMS in exact.work or Work.PRODUCTS in exact.work)
    apart = [np.abs(side[fine] - truth[fine]) / unit for side in sides]
    means = [float(np.minimum(distance, _MOST).mean()) for distance in apart]
    far = [float((distance > 1.0).mean()) for distance in apart]
    return Losses(means[0], means[1], far[0], far[1], limits_of(form, exact.work, int(fine.sum())))


def _unit(form: Format, truth: Array, sums: bool) -> Array:
    """A unit in the last place at each number; where sums may have cancelled to next to nothing, at least at the typical one."""
    import numpy as np

    digits, lowest = _BITS[form.name]
    sizes = np.abs(truth)
    typical = float(np.median(sizes[sizes > 0])) if sums and (sizes > 0).any() else 0.0
    _, exponents = np.frexp(np.maximum(sizes, typical))
    return np.ldexp(1.0, np.maximum(exponents - 1, lowest) - (digits - 1))


# --- running in float64 -----------------------------------------------------------------------


@dataclass(frozen=True)
class Exact:
    """One output in float64."""

    content: Stored
    work: frozenset[Work]


Outputs = Mapping[tuple[str, str], Exact]
"""By call and path of the output."""


def in_float64(prepared: Prepared, golden: Recording, options: Options) -> Outputs:
    """Every module's outputs in float64, each given the recorded inputs; empty where the code does not run so."""
    try:
        return _ran(prepared, golden, options)
    except (NotRun, RuntimeError, TypeError, ValueError, NotImplementedError):
        return {}


def _ran(prepared: Prepared, golden: Recording, options: Options) -> Outputs:

    if prepared.function is None or golden.options["dtype"] == "float64":
        return {}
    model = module_of(prepared.function)
    function: Any = prepared.function
    if model is not None:
        if function is not model:
            return {}  # a method, or a partial: what else it holds is not known
        function = copy.deepcopy(model).double()

    def wide(path: str, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach().double() if tensor.is_floating_point() and tensor.element_size() > 1 else tensor

    args, kwargs = changed((prepared.args, prepared.kwargs or {}), wide)
    wider = Prepared(prepared.name, function, args, kwargs, told=prepared.told)
    guide = _Guide(golden)
    with guide.hooks.on(model and function, options.depth), guide.watching():
        result = call_whole(wider, options)
    if model is None:
        guide.keep(RESULT, result)
    return guide.outputs


class _Guide:
    """Gives every module the recorded inputs, and keeps what it makes of them."""

    def __init__(self, golden: Recording) -> None:
        self._golden = golden
        self._calls = {call.name: call for call in golden.calls}
        self.outputs: dict[tuple[str, str], Exact] = {}
        self._work: dict[str, set[Work]] = {}
        self.hooks = Hooks(self._before, self._after)

    def watching(self) -> Any:
        """While it is entered, operators are told to the calls that they belong to."""
        from torch.utils._python_dispatch import TorchDispatchMode

        guide = self

        class Watch(TorchDispatchMode):  # type: ignore[misc]
            def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                for kind in (
                    kind for kind, words in _OPERATORS.items() if any(word in str(function) for word in words)
                ):
                    for name in (RESULT, *(call.name for call in guide.hooks.open)):
                        guide._work.setdefault(name, set()).add(kind)
                return function(*args, **(kwargs or {}))

        return Watch()

    def _before(self, call: Call, args: Any, kwargs: Any) -> None:
        recorded = self._calls.get(call.name)
        if recorded is not None:
            self._set(named_inputs(args, kwargs)[0], recorded.inputs)

    def _after(self, call: Call, output: Any) -> None:
        self.keep(call.name, output)
        recorded = self._calls.get(call.name)
        if recorded is not None:
            self._set(flat(output)[0], recorded.outputs)

    def keep(self, name: str, output: Any) -> None:
        for path, value in flat(output)[0].items():
            try:
                self.outputs[name, path] = Exact(stored_value(value), frozenset(self._work.get(name, ())))
            except NotStorable:
                continue

    def _set(self, found: Mapping[str, Any], recorded: Mapping[str, str]) -> None:
        import torch

        for path, key in recorded.items():
            stored, value = self._golden.tensors[key], found.get(path)
            if isinstance(value, torch.Tensor) and stored.stride == 1 and tuple(value.shape) == stored.shape:
                with torch.no_grad():
                    value.copy_(to_torch(stored))
