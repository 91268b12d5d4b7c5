"""Lines of ``name=value`` or JSON that no dialect knows: only what a name says beyond doubt, unit and all, is taken."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rewarp.bench.logs.base import EVERYONE
from rewarp.bench.logs.steps import GIB, MIB, Figure, Place, StepDialect, figure

_NAME = rb"(?:^|[\s,;|{(\[])[\"']?(?:train/|perf/|metrics/)?"
_IS = rb"[\"']? *[:=] *[\"']?"
_STEP_TIME = rb"(?:step|iter|iteration|batch)_?(?:time|duration|latency|dt)"


def _named(column: str, name: bytes, scale: float = 1.0) -> Figure:
    return figure(column, _NAME + b"(?i:" + name + b")" + _IS + b"#", scale)


@dataclass(frozen=True)
class Generic(StepDialect):
    def places(self, line: bytes) -> list[Place] | None:
        """A number called step is no step of a training unless a figure stands beside it."""
        places = super().places(line)
        known = {place.column for place in places or ()} & {figure.column for figure in self.figures} - {"epoch"}
        return places if known else None


GENERIC = Generic(
    name="generic",
    title="name=value or JSON lines",
    looks_for='step=10 loss=2.31 step_time_ms=412.7, or {"step": 10, "loss": 2.31, "step_time_s": 0.4127}',
    anchors=(b"step", b"iter", b"Step", b"Iter"),
    step=re.compile(
        _NAME
        + rb"(?i:global_step|step|iteration|iter)(?:"
        + _IS
        + rb"|\s+(?=\d+(?: */ *\d+)?(?: \([\d.]+%\))?\s*[|:,;]))"
        rb"(?P<step>\d+)(?: */ *(?P<of>\d+))?\b"
    ),
    figures=(
        # Where steps begin anew with every epoch; a part of an epoch, as `0.25`, is no number of one.
        figure("epoch", rb"(?<![\w./])[\"']?(?i:epoch)(?:" + _IS + rb"| +)\[?#(?![\d.])"),
        _named("time_s", _STEP_TIME + rb"_?\(?ms\)?", 1e-3),
        _named("time_s", _STEP_TIME + rb"_?\(?(?:s|sec|secs|seconds)\)?"),
        _named("time_s", rb"(?:ms_per_(?:step|iter|iteration))", 1e-3),
        _named("time_s", rb"(?:s|sec|seconds)_per_(?:step|iter|iteration)"),
        # A unit behind the number is as good as one in the name.
        figure("time_s", _NAME + rb"(?i:dt|" + _STEP_TIME + rb"|time|t)" + _IS + rb"#(?: ?(?P<unit>ms|s))\b"),
        figure("time_s", _NAME + rb"(?i:iter_dt|dt|" + _STEP_TIME + rb") #(?: ?(?P<unit>ms|s))\b"),
        _named("tokens_per_s_per_device", rb"(?:tokens|tok)(?:_per_|/)(?:second|sec|s)(?:_per_|/)(?:gpu|device)"),
        _named("tflops_per_device", rb"tflops?(?:/s)?(?:_per_|/)(?:gpu|device)"),
        _named("tokens_per_s", rb"(?:tokens|tok)(?:_per_|/)(?:second|sec|s)"),
        # `457 tok/s`
        figure("tokens_per_s_per_device", rb"[\s|(]# ?(?i:tok|tokens)/(?:s|sec)/(?i:gpu|device)\b"),
        figure("tokens_per_s", rb"[\s|(]# ?(?i:tok|tokens)/(?:s|sec)\b(?!/)"),
        _named("samples_per_s", rb"samples(?:_per_|/)(?:second|sec|s)"),
        _named("loss", rb"(?:train_|lm_|training_|total_)?loss"),
        figure("loss", _NAME + rb"(?i:(?:train_|training_)?loss) +#(?=\s*(?:[|,;]|$))"),
        _named("learning_rate", rb"(?:lr|learning_rate)"),
        _named("grad_norm", rb"(?:grad_norm|gnorm|gradient_norm)"),
        _named("memory_bytes", rb"(?:peak_|max_)?mem(?:ory)?_(?:allocated_|used_|reserved_)?gi?b", GIB),
        _named("memory_bytes", rb"(?:peak_|max_)?mem(?:ory)?_(?:allocated_|used_|reserved_)?mi?b", MIB),
        _named("power_w", rb"power_w(?:atts)?"),
    ),
    fewest=3,
    yields_to=EVERYONE,
    notes={
        "tokens_per_s": "taken as that of all devices; the log does not say",
        "memory_bytes": "taken as binary units; the log does not say",
    },
)
