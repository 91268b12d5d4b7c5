"""Figures that a name or a unit tells beyond doubt, whoever printed them: `ups=8.9`, `It/sec 0.5`, `3.74 sec/batch`, `68.5 examples/sec`.

The unit decides what a number is, and the name whose it is. What belongs to a validation is nobody's training figure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import le

from rewarp.bench.logs.clock import COARSE, coarse_times
from rewarp.bench.logs.steps import GIB, MIB, Figure, figure, number
from rewarp.bench.result import Series, Warn

NAME = rb"(?:^|[\s,;|{(\[])[\"']?(?:train/|perf/|metrics/)?"
IS = rb"[\"']? *[:=] *[\"']?"
"""Between a name and its number."""
OR_BLANK = rb"[\"']?(?: *[:=] *[\"']?| +)"
NOT_OF_VALIDATION = b"".join(
    rb"(?<!" + word + rb")"
    for word in (b"[Vv]al", b"VAL", b"[Vv]alid", b"[Ee]val", b"[Vv]alidation", b"[Tt]est", b"TEST", b"[Dd]ev")
)
_S = rb"(?i:s|sec|secs|second|seconds)"
_STEP = rb"(?i:steps?|iters?|iterations?|its?|batch(?:es)?|updates?)"
_SAMPLES = rb"(?i:samples?|examples?|images?|imgs?|sequences?|seqs?|sentences?|sents?)"
_TOKENS = rb"(?i:tokens?|toks?|words)"
_DEVICE = rb"(?i:gpu|device|card)"
_PER = rb"(?: ?/ ?|_per_| per )"
_ALONE = rb"(?<![\w.,+-])"
"""A number begins here."""
_END = rb"(?![\w/])"


def named(column: str, name: bytes, scale: float = 1.0) -> Figure:
    return figure(column, NOT_OF_VALIDATION + NAME + b"(?i:" + name + b")" + IS + b"#", scale)


def _rate(column: str, what: bytes) -> tuple[Figure, ...]:
    """`tok/s: 457`, `Tokens/sec 457`, `457 tok/s`."""
    rate = what + _PER + _S
    return (
        figure(column, NOT_OF_VALIDATION + NAME + rate + OR_BLANK + b"#"),
        figure(column, _ALONE + b"# ?(?P<unit>[kKM])? ?" + rate + _END),
    )


STEP_TIME = rb"(?:step|iter|iteration|batch)[_ ]?(?:time|duration|latency|dt|cost)"
TIMES = (
    named("time_s", STEP_TIME + rb"[_ ]?\(?ms\)?", 1e-3),
    named("time_s", STEP_TIME + rb"[_ ]?\(?(?:s|sec|secs|seconds)\)?"),
    named("time_s", rb"(?:ms_per_(?:step|iter|iteration)|ms/(?:step|iter|batch))", 1e-3),
    named("time_s", rb"(?:s|sec|secs|seconds)(?:_per_|/)(?:step|iter|iteration|it|batch)"),
    figure("time_s", NOT_OF_VALIDATION + NAME + rb"(?i:ms/(?:step|iter|batch)) +#(?![\w/])", 1e-3),
    # A unit behind the number is as good as one in the name.
    figure(
        "time_s",
        NOT_OF_VALIDATION
        + NAME
        + rb"(?i:iter_dt|dt|(?:per[-_ ])?"
        + STEP_TIME
        + rb"|per-step time)"
        + OR_BLANK
        + rb"#(?: ?(?P<unit>ms|s|sec))\b(?!/)",
    ),
    # `3.740 sec/batch`, `331ms/step`, `2s/step`
    figure("time_s", _ALONE + rb"# ?(?P<unit>ms|us|s|sec|secs|seconds)" + _PER + _STEP + _END),
)
RATES = (
    *_rate("tokens_per_s_per_device", _TOKENS + _PER + _DEVICE),
    figure("tokens_per_s_per_device", NAME + _TOKENS + _PER + _S + _PER + _DEVICE + OR_BLANK + b"#"),
    figure("tokens_per_s_per_device", _ALONE + b"# ?" + _TOKENS + _PER + _S + _PER + _DEVICE + _END),
    named("tflops_per_device", rb"tflops?(?:/s)?(?:_per_|/)(?:gpu|device)"),
    *_rate("tokens_per_s", _TOKENS),
    *_rate("samples_per_s", _SAMPLES),
    *_rate("steps_per_s", _STEP),
)
_BEFORE_LOSS = rb"(?:^|[^\w\s.%)\]'\"/-]\s*[\"']?|[)\]]\s*|\s-\s|\s{2,}|\t|\d[\w%.)\]]{0,4}\s|\b(?:INFO|DEBUG)\s)(?:train/|metrics/)?"
"""A loss that has a first name (`det loss`, `KD Loss`) is a part of the one that is trained on: before it stands no word."""
_WHOLE = rb"(?:(?i:avg|average|mean)[_ ])?(?i:train|trian|trn|training|total|all|overall|lm|tr)"
LOSSES = (
    figure("loss", NOT_OF_VALIDATION + NAME + _WHOLE + rb"[_ ]?(?i:loss)" + OR_BLANK + rb"#"),
    figure("loss", NOT_OF_VALIDATION + NAME + rb"(?i:loss[_ ](?:total|sum|all|overall))" + OR_BLANK + rb"#"),
    figure("loss", NOT_OF_VALIDATION + _BEFORE_LOSS + rb"(?i:loss)" + IS + rb"#"),
    figure(
        "loss",
        NOT_OF_VALIDATION
        + _BEFORE_LOSS
        + rb"(?i:(?:(?:average|avg|mean) )?loss) (?i:at|after) (?i:step|iter|iteration|batch|epoch) +\d+"
        + IS
        + rb"#",
    ),
    figure("loss", NOT_OF_VALIDATION + _BEFORE_LOSS + rb"(?i:loss) +#(?=\s*(?:[|,;(]|$|\s\w))"),
)
AVERAGE_LOSS = figure(
    "loss", NOT_OF_VALIDATION + NAME + rb"(?i:average|avg|mean)[_ .]{1,2}(?i:loss)" + OR_BLANK + rb"#"
)
NOT_TRAINED = re.compile(
    rb"(?i)(?<![a-z])(?:val|valid|validation|validating|eval|evaluation|evaluating|test|testing|dev|infer)(?![a-z])"
)
SAID_OF_VALIDATION = re.compile(
    rb"(?i)(?<![a-z])(?:mode|phase|split|stage|subset|set|loop)[\"']?\s*[:=]\s*[\"']?(?:val|valid|validation|eval|evaluation|test|dev)(?![a-z])"
)
"""`"mode": "val"`, wherever it stands in the line."""
OF_VALIDATION = re.compile(NOT_TRAINED.pattern + rb"(?:[^a-z]|epoch|batch|iter(?:ation)?|step|set|phase|mode|loop)*$")
"""The counter that follows is that of a validation."""
OTHERS = (
    named("learning_rate", rb"(?:lr|learning[_ ]rate)"),
    figure("learning_rate", NAME + rb"(?i:lr|learning rate) +#(?=\s*(?:[|,;]|$))"),
    named("grad_norm", rb"(?:grad[_ ]norm|gnorm|gradient[_ ]norm)"),
    named("memory_bytes", rb"(?:peak_|max_)?mem(?:ory)?_(?:allocated_|used_|reserved_)?gi?b", GIB),
    named("memory_bytes", rb"(?:peak_|max_)?mem(?:ory)?_(?:allocated_|used_|reserved_)?mi?b", MIB),
    figure("memory_bytes", NAME + rb"(?i:(?:peak|max)[_ ]mem(?:ory)?)" + OR_BLANK + rb"# ?(?P<unit>[GM]i?B)\b"),
    named("power_w", rb"power_w(?:atts)?"),
)


_OF_THE_TRAINING_ALONE = (
    rb"^(?!.*(?<![a-zA-Z])(?i:val|valid|validation|eval|evaluation|test|testing|dev|best)(?![a-zA-Z]))[^\n]*?" + NAME
)
METRICS = (
    figure("accuracy", _OF_THE_TRAINING_ALONE + rb"(?i:acc|accuracy)" + OR_BLANK + rb"#(?![\w.]| ?%|\s*\()"),
    figure("accuracy_percent", _OF_THE_TRAINING_ALONE + rb"(?i:acc|accuracy)" + OR_BLANK + rb"# ?%"),
    figure("perplexity", _OF_THE_TRAINING_ALONE + rb"(?i:ppl|perplexity)" + OR_BLANK + rb"#(?![\w.%]|\s*\()"),
)
"""What is said of the training beside its loss, in a line that names no other."""


def training_loss(line: bytes) -> float | None:
    """The loss of the training that a line says; one without a first name is none where a validation is named before it."""
    for one in (*LOSSES, AVERAGE_LOSS):
        place = one.find(line)
        if place is None or (one is not LOSSES[0] and NOT_TRAINED.search(line, 0, place.start)):
            continue
        try:
            return number(line[place.start : place.end])
        except ValueError:
            continue
    return None


VALIDATION_LOSS = figure(
    "validation_loss",
    rb"(?i)(?<![a-z])(?<!best[_ -])(?:val|valid|validation)(?:[_ /.-]|\. |\] | {2,4}|\s*:\s*)?(?:avg[_ ])?loss[\"']?(?: *[:=] *|\s+)#(?!%)",
)
_NAMED_LOSS = re.compile(
    rb"(?<![A-Za-z_])(?P<name>[A-Za-z][\w-]{0,30}[_ -][Ll](?:oss|OSS)|[A-Z][A-Za-z]{0,20}Loss|[Ll]oss[_ -](?!at|after|for|on|is|of|scale)[A-Za-z]\w{0,20})[\"']?(?: *[:=] *|\s+)[\[(]?-?\d"
)


_NAMED_LOSS_AND_VALUE = re.compile(
    _NAMED_LOSS.pattern.removesuffix(rb"-?\d") + rb"(?P<value>-?\d[\d.,]*(?:[eE][-+]?\d+)?)"
)
TEST_LOSS = figure(
    "test_loss", rb"(?i)(?<![a-z])test(?:[_ /.-]|\s*:\s*)?(?:avg[_ ]|average )?loss[\"']?(?: *[:=] *|\s+)#(?!%)"
)


def test_loss(line: bytes) -> float | None:
    """The one loss of a test that a line says; of two that could be it, neither."""
    place = TEST_LOSS.find(line)
    if place is None or TEST_LOSS.pattern.search(line, place.end):
        return None
    try:
        return number(line[place.start : place.end])
    except ValueError:
        return None


def validation_loss(line: bytes) -> float | None:
    """The one loss of a validation that a line says; of two that could be it, neither."""
    place = VALIDATION_LOSS.find(line)
    if place is None or VALIDATION_LOSS.pattern.search(line, place.end):
        return None
    try:
        return number(line[place.start : place.end])
    except ValueError:
        return None


_UNNAMED = re.compile(
    rb"(?i)(?<![a-z_.])(?P<of>train|trn|val|valid)(?:\s*[:=]\s*|\s+)(?P<value>\d+\.\d+(?:e[-+]?\d+)?)(?![\d.]*\s*(?:%|s\b|ms\b|sec|min))"
)
_OTHERWISE = re.compile(
    rb"(?i)acc(?![a-z]*el)|f1|auc|score|iou|dice|psnr|ssim|bleu|reward|err|rmse|mse|mae|r2|precision|recall|map\b|time|loss|lr\b"
)


def unnamed_losses(line: bytes) -> tuple[float, float] | None:
    """Two figures that are called nothing but training and validation, of a line that says nothing of what they measure:
    `train=2.5584, val=2.3731`."""
    found = list(_UNNAMED.finditer(line))
    if len(found) != 2 or _OTHERWISE.search(line):
        return None
    (one, first), (two, second) = ((each["of"][:1].lower(), float(each["value"])) for each in found)
    return (first, second) if (one, two) == (b"t", b"v") else None


def named_losses(line: bytes) -> tuple[bytes, ...]:
    """What the losses of a line are called that are parts of one, or of several models: `d_loss`, `Binary Loss`."""
    names = [found["name"] for found in _NAMED_LOSS.finditer(line)]
    return tuple(name for name in names if not NOT_TRAINED.search(name.replace(b"_", b" ")))


def only_loss(line: bytes) -> float | None:
    """Where a line has one loss and no more, with a name of its own: `NER loss:38.19`."""
    found = list(_NAMED_LOSS_AND_VALUE.finditer(line))
    if len(found) != 1 or len(re.findall(rb"(?i)loss", line)) != 1:
        return None
    try:
        return number(found[0]["value"])
    except ValueError:
        return None


def parts_of_a_loss(names: Sequence[bytes]) -> Warn:
    called = ", ".join(dict.fromkeys(name.decode("ascii", "replace").strip() for name in names))
    what = f"no loss is called that of the training ({called}), so none is given"
    return Warn("which-loss", what, "info")


CLOCK_SO_FAR = Figure(
    "clock",
    re.compile(
        NOT_OF_VALIDATION
        + rb"(?i:\b(?:cost time|elapsed(?: time)?|time elapsed|total time|time cost))\b\W{1,3}((?:\d+ days?, )?\d+:\d\d(?::\d\d)?)(?![\d:])"
    ),
)
"""A clock that runs through the run; what is left of it is called otherwise."""
LOOSE_TIMES = (
    CLOCK_SO_FAR,
    # `time: 0.168 (0.239), eta: 1:39:02`: of the last iteration, and the mean, in the seconds that the rest is worked out of.
    figure(
        "time_s",
        rb"(?:^|[\s,])time: #(?= \(\d[\d.]*\)[^\n]{0,80}\beta: (?:\d+ days?, )?\d+:\d\d:\d\d)",
    ),
    figure("time_s", NOT_OF_VALIDATION + NAME + rb"(?i:time|t)" + IS + rb"#(?: ?(?P<unit>ms))\b(?!/)"),
    figure("minutes", NOT_OF_VALIDATION + NAME + rb"(?i:time|elapsed)[_ ]\((?i:mins?|minutes)\)" + IS + rb"#", 60.0),
    figure(
        "loose_time_s",
        NOT_OF_VALIDATION + NAME + rb"(?i:time|t|elapsed)" + IS + rb"#(?: ?(?P<unit>s|sec|secs|seconds))\b(?!/)",
    ),
)
"""A time that is called nothing but time: whether it is that of a step or a clock, the run tells (``clock_or_time``)."""
_RISES = 0.9
_OF_WHAT = Warn(
    "time-of-what",
    "the lines stand for several steps each, and whether the time in them is that of one or of all of these the log does not say: "
    "it is not used",
    "info",
)
_MINUTES = Warn(
    "coarse-clock", "step times come from a clock in minutes: each is the mean of a stretch of steps", "info"
)


def _only_grows(values: Sequence[float | None]) -> bool:
    known = [value for value in values if value is not None]
    return len(known) > 2 and all(map(le, known, known[1:])) and known[-1] > 2 * known[0]


def clock_or_time(series: Series) -> tuple[Series, list[Warn]]:
    """A time that only grows is a clock that runs through the run, and no time of a step."""
    columns = dict(series.columns)
    loose, clocks, minutes = (columns.pop(name, None) for name in ("loose_time_s", "clock_s", "minutes"))
    # Minutes are too coarse for steps: only as a clock, over stretches, they tell.
    clocks = minutes if clocks is None and minutes is not None and _only_grows(minutes) else clocks
    if clocks is not None and loose is None and "time_s" not in columns and len(series.step) > 1:
        times = coarse_times(series.step, clocks)
        return Series(series.step, {"time_s": times, **columns}, series.thinned), [
            COARSE if minutes is None else _MINUTES
        ]
    if loose is None or "time_s" in columns:
        return Series(series.step, columns, series.thinned), []
    known = [(step, time) for step, time in zip(series.step, loose) if time is not None]
    rises = sum(two > one for (_, one), (_, two) in zip(known, known[1:]))
    if len(known) > 2 and rises >= _RISES * (len(known) - 1) and known[-1][1] > 2 * known[0][1]:
        differences: list[float | None] = [None]
        for (first, one), (second, two) in zip(known, known[1:]):
            differences.append((two - one) / (second - first) if two > one and second > first else None)
        by_step = dict(zip((step for step, _ in known), differences))
        return Series(
            series.step, {"time_s": [by_step.get(step) for step in series.step], **columns}, series.thinned
        ), []
    strides = [two - one for (one, _), (two, _) in zip(known, known[1:]) if two > one]
    if strides and min(strides) > 1:
        return Series(series.step, columns, series.thinned), [_OF_WHAT]
    return Series(series.step, {"time_s": loose, **columns}, series.thinned), []
