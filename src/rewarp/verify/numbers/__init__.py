"""Numbers: record what a model computes on one machine, replay and compare it on another.

    from rewarp.verify import numbers

    numbers.record(make_model, "golden.safetensors")                    # on the NVIDIA machine
    evidence = numbers.compare("golden.safetensors", make_model)        # on the AMD machine
    assert evidence.outcome is Outcome.PASSED, evidence.details["divergence"]

``make_model`` returns ``(model, args, kwargs)``: a model or any callable with its inputs; or results themselves.
torch and numpy are imported when something runs.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rewarp.errors import UsageError
from rewarp.verify.checks import Evidence
from rewarp.verify.numbers.comparison import Comparison, compare_arrays

if TYPE_CHECKING:
    from rewarp.verify.numbers.capture import Options
    from rewarp.verify.numbers.recording import Recording
    from rewarp.verify.numbers.target import Factory

__all__ = ["Comparison", "Recorded", "compare", "compare_arrays", "record"]


@dataclass(frozen=True)
class Recorded:
    """A golden file that was written."""

    file: Path
    size: int
    recording: Recording


def record(
    target: str | Factory,
    file: str | Path,
    *,
    device: str | None = None,
    seed: int = 0,
    dtype: str | None = None,
    depth: int | None = None,
    iterations: int = 1,
    max_bytes: int | None = None,
    weights: str = "stored",
) -> Recorded:
    """Run a target and write a golden file: inputs, weights, every module's inputs and outputs.

    ``target`` is a callable, or ``package.module:callable`` or ``file.py:callable``. ``depth`` limits the modules
    that are recorded (0: only the whole). With ``iterations`` above 1 the run is repeated, and what does not come out
    the same to the bit is noted. ``weights`` is ``stored`` or ``hashed``.
    """
    from rewarp.verify.numbers import capture, golden
    from rewarp.verify.numbers.recording import thinned
    from rewarp.verify.numbers.setting import choose_device

    if iterations < 1:
        raise UsageError("iterations: at least 1")
    place = Path(file)
    if place.is_dir() or not place.absolute().parent.is_dir():
        raise UsageError(f"cannot write {place}: {'it is a folder' if place.is_dir() else 'there is no such folder'}")
    if place.is_file() and not golden.is_golden(place):
        raise UsageError(f"{place} is there and is not a golden file; it is not replaced")
    options = capture.Options(choose_device(device), seed, _dtype(dtype), depth)
    prepared = _prepared(target, options)
    recording = capture.capture(prepared, options, weights)
    for _ in range(iterations - 1):
        recording.notes += _unsteady(recording, capture.capture(prepared, options, weights))
    recording.notes = [*dict.fromkeys(recording.notes), *_not_a_number(recording)]
    if max_bytes is not None:
        recording = thinned(recording, max_bytes)
    return Recorded(place, golden.write(recording, place), recording)


def compare(
    golden: str | Path | Recording,
    other: str | Path | Factory | Recording | None = None,
    *,
    device: str | None = None,
    dtype: str | None = None,
    tolerances: Iterable[str] = (),
) -> Evidence:
    """Replay a golden file here and compare, or compare it with another golden file.

    ``other`` is the target again (left out: the one whose name the golden file has), or a golden file. What cannot be
    run here is *not checked*, with the reason; a golden file that cannot be read raises UsageError.
    """
    from rewarp.verify.numbers import evidence
    from rewarp.verify.numbers.recording import Recording
    from rewarp.verify.numbers.replay import Forced
    from rewarp.verify.numbers.setting import need
    from rewarp.verify.numbers.target import NotRun
    from rewarp.verify.numbers.tolerance import overridden

    started = time.monotonic()
    allowed = overridden(tolerances)
    try:
        need("numpy")
        recorded = golden if isinstance(golden, Recording) else _read(golden)
        if isinstance(other, Recording) or _is_golden_file(other):
            if device or dtype:
                raise UsageError("two golden files are compared as they are: no device and no dtype")
            actual = other if isinstance(other, Recording) else _read(Path(str(other)))
            forced = Forced(reason="two recordings: nothing was run")
            return evidence.gather(recorded, actual, allowed, forced, False, started)
        target = recorded.options["target"] if other is None else other
        return _replayed(recorded, target, device, dtype, allowed, started)  # type: ignore[arg-type]
    except NotRun as reason:
        return evidence.not_run(str(reason), started)
    except MemoryError:
        return evidence.not_run("out of memory", started)


def _replayed(
    golden: Recording, target: str | Factory, device: str | None, dtype: str | None, allowed: Any, started: float
) -> Evidence:
    from rewarp.verify.numbers import capture, evidence, replay
    from rewarp.verify.numbers.judgement import either_uses_tf32
    from rewarp.verify.numbers.setting import choose_device
    from rewarp.verify.numbers.target import guarded

    recorded = golden.options
    used = _dtype(dtype) or recorded["dtype"]
    other_dtype = used != recorded["dtype"]
    options = capture.Options(choose_device(device), int(recorded["seed"]), used, recorded["depth"])
    prepared = _prepared(target, options)
    with guarded(f"loading the recording onto {options.device}"):
        replay.load_weights(prepared, golden, other_dtype)
        replay.load_inputs(prepared, golden, other_dtype)
    actual = capture.capture(prepared, options, "hashed")
    forced = replay.forced(prepared, golden, actual, options, allowed, either_uses_tf32(golden, actual))
    return evidence.gather(golden, actual, allowed, forced, other_dtype, started)


def _prepared(target: str | Factory, options: Options) -> Any:
    from rewarp.verify.numbers import capture
    from rewarp.verify.numbers.setting import repeatable, seed_everything
    from rewarp.verify.numbers.target import prepare, resolve

    name, factory = resolve(target)
    seed_everything(options.seed)
    with repeatable():
        prepared = prepare(name, factory, options.device, options.dtype)
    capture.place(prepared, options)
    return prepared


def _unsteady(first: Recording, again: Recording) -> list[str]:
    """Calls whose outputs are not the same to the bit in a second run."""
    then = {call.name: call for call in again.calls}
    moved = [
        call.name
        for call in first.calls
        if call.name not in then
        or any(
            path not in then[call.name].outputs
            or first.tensors[key].digest() != again.tensors[then[call.name].outputs[path]].digest()
            for path, key in call.outputs.items()
        )
    ]
    return [f"not the same in every run here, from {moved[0]} on ({len(moved)} calls)"] if moved else []


def _not_a_number(recording: Recording) -> list[str]:
    """A golden recording with NaN in it proves little."""
    import numpy as np

    from rewarp.verify.numbers.formats import values

    tensors = recording.tensors
    bad = {key for key, it in tensors.items() if not it.form.is_exact and np.isnan(values(it.form, it.raw)).any()}
    calls = [call.name for call in recording.calls if bad & set(call.outputs.values())]
    return [f"NaN comes out of {calls[0]} ({len(calls)} calls in all)"] if calls else []


def _dtype(name: str | None) -> str | None:
    from rewarp.verify.numbers.formats import FLOAT, format_of

    if name is None:
        return None
    form = format_of(name)
    if form.kind != FLOAT:
        raise UsageError(f"{name}: a model is run in a floating dtype")
    return form.name


def _is_golden_file(other: Any) -> bool:
    from rewarp.verify.numbers.golden import is_golden

    if isinstance(other, str):
        return other.endswith(".safetensors") or is_golden(Path(other))
    return isinstance(other, Path)


def _read(file: str | Path) -> Recording:
    from rewarp.verify.numbers.golden import read

    return read(Path(file))
