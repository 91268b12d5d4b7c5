"""How much work a step is: tokens, floating-point operations, bytes; by what the configuration says."""

from __future__ import annotations

from rewarp.bench.hardware import number
from rewarp.bench.result import Result, Sourced, unknown


def tokens_per_step(result: Result) -> Sourced:
    """Of all devices."""
    configuration = result.configuration
    given = number(configuration, "tokens_per_step")
    if given is not None:
        return configuration["tokens_per_step"]
    if result.kind not in ("training", "inference", "mlperf"):
        return unknown(f"a {result.kind} benchmark has no tokens")
    sequence, batch = number(configuration, "sequence"), number(configuration, "global_batch")
    missing = [name for name, value in (("sequence", sequence), ("global_batch", batch)) if value is None]
    if sequence is None or batch is None:
        return unknown(f"{' and '.join(missing)} not known")
    return Sourced(sequence * batch, "computed: sequence x global batch")


def flops_per_token(result: Result) -> Sourced:
    """Forward and backward of a dense transformer: 6 per parameter, and 12 x layers x hidden x sequence for attention."""
    configuration = result.configuration
    if number(configuration, "flops_per_token") is not None:
        return configuration["flops_per_token"]
    if result.kind != "training":
        return unknown("only for training")
    parameters = number(configuration, "active_parameters")
    if parameters is None:
        if (number(configuration, "experts") or 1) > 1:
            return unknown("a mixture of experts: how many parameters a token uses (active_parameters) is not known")
        parameters = number(configuration, "parameters")
    if parameters is None:
        return unknown("the number of parameters is not known")
    shape = [number(configuration, name) for name in ("layers", "hidden", "sequence")]
    layers, hidden, sequence = shape
    if layers is None or hidden is None or sequence is None:
        return Sourced(6 * parameters, "computed: 6 x parameters; attention left out, its shape is not known")
    value = 6 * parameters + 12 * layers * hidden * sequence
    return Sourced(value, "computed: 6 x parameters + 12 x layers x hidden x sequence (full attention, as usual)")


def flops_per_step_and_device(result: Result) -> float | None:
    count = number(result.device, "count")
    given = number(result.configuration, "flops_per_step")
    if given is None:
        tokens, flops = tokens_per_step(result).value, flops_per_token(result).value
        given = tokens * flops if tokens and flops else None
    return given / count if given is not None and count is not None else None
