"""Replays a recording on this machine: once as it is, and once with every module's inputs and outputs set right.

In the second pass each module gets the recorded inputs, and what it returns is compared and then replaced by what was
recorded. So a module that differs there differs by its own doing, and not because of what it was given: the culprit
is told from those who only inherit. Tensors are overwritten in place, so that whoever shares them sees the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rewarp.errors import UsageError
from rewarp.verify.checks import Outcome
from rewarp.verify.numbers.capture import Hooks, Options, call_whole, module_of, named_inputs, weights_of
from rewarp.verify.numbers.comparison import Comparison, compare_stored, missing
from rewarp.verify.numbers.nesting import changed, flat
from rewarp.verify.numbers.recording import RESULT, Call, Recording, stored_value
from rewarp.verify.numbers.reference import Exact, Outputs, in_float64, losses
from rewarp.verify.numbers.target import NotRun, Prepared
from rewarp.verify.numbers.tensors import NotStorable, Stored, to_torch
from rewarp.verify.numbers.tolerance import Tolerances

if TYPE_CHECKING:
    import torch


def load_weights(prepared: Prepared, golden: Recording, other_dtype: bool) -> None:
    """Give a model the recorded weights, or make sure that it has them."""
    import torch

    weights = weights_of(prepared)
    _same_names("weight", weights, golden.weights, golden.notes)
    for name in weights.keys() & golden.weights.keys():
        if golden.weights_kept == "hashed":
            if stored_value(weights[name]).digest() != golden.weights[name]:
                raise UsageError(f"weight {name} is not the recorded one, of which only the digest was kept")
            continue
        content = _fitting(f"weight {name}", weights[name], golden.tensors[golden.weights[name]], other_dtype)
        with torch.no_grad():
            try:
                weights[name].copy_(content)
            except RuntimeError:  # an expanded buffer: several elements in one place of memory
                weights[name].data = content


def load_inputs(prepared: Prepared, golden: Recording, other_dtype: bool) -> None:
    """Replace the target's inputs by the recorded ones."""
    kwargs = prepared.kwargs or {}
    inputs, _ = named_inputs(prepared.args, kwargs)
    _same_names("input", inputs, golden.inputs, golden.notes)

    def recorded(path: str, tensor: torch.Tensor) -> torch.Tensor:
        key = golden.inputs.get(path)
        if key is None:
            return tensor
        content = _fitting(f"input {path}", tensor, golden.tensors[key], other_dtype)
        return content.requires_grad_(tensor.requires_grad)

    replaced = changed({**dict(enumerate(prepared.args)), **kwargs}, recorded)
    prepared.args = tuple(replaced[position] for position in range(len(prepared.args)))
    prepared.kwargs = {name: replaced[name] for name in kwargs}


def _same_names(what: str, here: Mapping[str, Any], recorded: Mapping[str, str], notes: list[str]) -> None:
    unknown = [
        name for name in (*here, *recorded) if (name in here) != (name in recorded)
        and not any(note.startswith(f"{what} {name}") for note in notes)
    ]  # fmt: skip
    if unknown:
        where = "golden file" if unknown[0] in here else "target"
        more = f", nor {len(unknown) - 1} more" if len(unknown) > 1 else ""
        raise UsageError(f"not what was recorded: the {where} has no {what} {unknown[0]}{more}")


def _fitting(what: str, tensor: torch.Tensor, stored: Stored, other_dtype: bool) -> torch.Tensor:
    name = str(tensor.dtype).removeprefix("torch.")
    if tuple(tensor.shape) != stored.shape:
        raise UsageError(f"not what was recorded: {what} has shape {list(tensor.shape)}, golden {list(stored.shape)}")
    if name != stored.form.name and not (other_dtype and tensor.is_floating_point()):
        raise UsageError(f"not what was recorded: {what} is {name}, golden {stored.form.name}")
    return to_torch(stored).to(device=tensor.device, dtype=tensor.dtype)


# --- the second pass --------------------------------------------------------------------------


@dataclass(frozen=True)
class OwnStep:
    """One result of a module's own doing: what it returns, or what it hands to a module inside it."""

    what: str
    comparison: Comparison


@dataclass
class Forced:
    """What the second pass saw, by the name of the call."""

    own: dict[str, list[OwnStep]] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    """Calls whose own doing is outside the tolerance, the first one first."""
    reason: str | None = None
    """Why there was no second pass, or not a whole one."""


def forced(
    prepared: Prepared, golden: Recording, actual: Recording, options: Options, tolerances: Tolerances, tf32: bool
) -> Forced:
    """Run the second pass, and hold what each module does by itself against float64."""
    exact = {} if options.dtype != golden.options["dtype"] else in_float64(prepared, golden, options)
    if module_of(prepared.function) is None:
        found = Forced(reason="no model with modules: nothing to set right on the way")
        return _against_float64(found, golden, actual, exact, tf32)
    try:
        teacher = _Teacher(golden, options, tolerances, tf32, exact)
        with teacher.hooks.on(module_of(prepared.function), options.depth):
            teacher.result(call_whole(prepared, options))
    except NotRun as reason:
        return Forced(reason=f"the second pass did not come to its end: {reason}")
    return Forced(dict(teacher.own), teacher.order, teacher.reason)


def _judged_by(comparison: Comparison, golden: Stored, actual: Stored, exact: Exact | None, tf32: bool) -> Comparison:
    """The same comparison, failed where one of the two is much further from float64 than the other."""
    if exact is None or comparison.outcome is not Outcome.PASSED or (tf32 and golden.form.name == "float32"):
        return comparison
    found = losses(golden, actual, exact)
    if found is None:
        return comparison
    outcome = Outcome.FAILED if found.why else comparison.outcome
    lost = {"golden": found.golden, "actual": found.actual}
    return replace(comparison, outcome=outcome, why=found.why, against_float64=lost)


def _against_float64(found: Forced, golden: Recording, actual: Recording, exact: Outputs, tf32: bool) -> Forced:
    """A function has one step of its own: what it returns."""
    here = {call.name: call for call in actual.calls}
    for call in golden.calls:
        for path, key in call.outputs.items():
            twin = here[call.name].outputs.get(path) if call.name in here else None
            one, other = golden.tensors[key], actual.tensors[twin] if twin else None
            if other is None or (call.name, path) not in exact:
                continue
            passed = Comparison(Outcome.PASSED, "", one.form.name, one.shape)
            judged = _judged_by(passed, one, other, exact[call.name, path], tf32)
            if judged.against_float64:
                found.own.setdefault(call.name, []).append(OwnStep(f"output {path}".strip(), judged))
                if judged.outcome is Outcome.FAILED:
                    found.order.append(call.name)
    return found


class _Teacher:
    """Holds every module to what was recorded."""

    def __init__(self, golden: Recording, options: Options, tolerances: Tolerances, tf32: bool, exact: Outputs) -> None:
        self._exact = exact
        self._golden, self._tolerances, self._tf32 = golden, tolerances, tf32
        self._other_dtype = options.dtype != golden.options["dtype"]
        self._calls = {call.name: call for call in golden.calls}
        self._outermost = RESULT if RESULT in self._calls else None
        """Who calls the model: a function of the target's, or we."""
        self.hooks = Hooks(self.before, self.after)
        self.own: dict[str, list[OwnStep]] = defaultdict(list)
        self.order: list[str] = []
        self.reason: str | None = None

    def before(self, call: Call, args: Any, kwargs: Any) -> None:
        found, _ = named_inputs(args, kwargs)
        parent = self.hooks.open[-1].name if self.hooks.open else self._outermost
        recorded = self._calls.get(call.name)
        if recorded is not None:
            self._hold(parent, ("input", f"for {call.name}"), found, recorded.inputs)

    def after(self, call: Call, output: Any) -> None:
        found, _ = flat(output)
        recorded = self._calls.get(call.name)
        if recorded is not None:
            self.own.setdefault(call.name, [])
            self._hold(call.name, ("output", ""), found, recorded.outputs)

    def result(self, output: Any) -> None:
        """What a function around the model made of it."""
        if self._outermost is not None:
            self._hold(self._outermost, ("output", ""), flat(output)[0], self._calls[self._outermost].outputs)

    def _hold(self, doer: str | None, words: tuple[str, str], found: dict[str, Any], recorded: dict[str, str]) -> None:
        """Compare with what was recorded, write down who did it, and set it right."""
        for path, key in recorded.items():
            golden = self._golden.tensors[key]
            try:
                actual = stored_value(found[path]) if path in found else None
            except NotStorable:
                continue
            comparison = missing(golden) if actual is None else self._compared(golden, actual)
            if actual is not None and words[0] == "output" and doer is not None:
                exact = self._exact.get((doer, path))
                comparison = _judged_by(comparison, golden, actual, exact, self._tf32)
            if doer is not None:
                self.own[doer].append(OwnStep(" ".join(filter(None, (words[0], path, words[1]))), comparison))
                if comparison.outcome is Outcome.FAILED and doer not in self.order:
                    self.order.append(doer)
            if actual is not None:
                self._set_right(found[path], golden, actual)

    def _compared(self, golden: Stored, actual: Stored) -> Comparison:
        tolerance = self._tolerances.at(self._tolerances.coarser(golden.form, actual.form), 1, self._tf32)
        return compare_stored(golden, actual, tolerance, self._other_dtype)

    def _set_right(self, value: Any, golden: Stored, actual: Stored) -> None:
        import numpy as np
        import torch

        if not isinstance(value, torch.Tensor) or np.array_equal(actual.raw, golden.raw):
            return
        if golden.stride != 1 or tuple(value.shape) != golden.shape:
            self.reason = "some tensors are only sampled or have another shape: later modules got what came, not golden"
            return
        try:
            with torch.no_grad():
                value.copy_(to_torch(golden))
        except RuntimeError:  # an expanded tensor: several elements in one place of memory
            self.reason = "some tensors cannot be overwritten: later modules got what came, not golden"
