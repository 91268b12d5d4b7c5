"""What a line says by its shape alone: which of its numbers counts, and what the others are called.

A number's name are the words that stand before it, back to a mark or to the number before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_NUMBER = re.compile(
    r"(?<![\w.])-?(?:(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+)(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|NaN|inf)(?![\w]*[^\W\d_])"
)
_WORD = r"(?:epoch|epoche|epoca|época|эпоха|에폭|エポック|iteration|iter|it|step|batch|update|episode|round|generation|迭代|步|轮|轮次)"
_COUNTER = re.compile(
    rf"(?i)(?:^|[\s_.-]|(?<=[\u4e00-\u9fff])|\b(?:end|start) of ){_WORD}s?(?:[ _-]?(?:no|nr|num|number|idx|id))?\.?$"
)
_COUNTED = re.compile(rf"(?i)[ -]?({_WORD})s?\b")
_LIKE_EPOCHS = re.compile(r"(?i)epoch|epoca|época|эпоха|에폭|エポック|round|轮")
_LOSS = re.compile(
    r"(?i)(?<![a-z])loss(?:es)?(?![a-z])|(?<=[a-z])Loss$|verlust|pérdida|perte|损失|損失|손실|потери|лосс"
)
_OBJECTIVE = re.compile(r"(?i)recon|reconstruction|kl|kld|kl_?div|nll|elbo|bce|cross[ _-]?entropy|xent|adv|adversarial")
"""What a training makes small, where no word says that it is a loss."""
_WHOLE = re.compile(
    r"(?i)\s*(?:(?:the|train|training|trn|tr|total|sum|overall|all|current|final|epoch|avg|average|mean|is|训练|当前|总|總|值|학습)[\s_./-]*)*"
)
_OF_OTHERS = re.compile(
    r"(?i)(?<![a-z])(?:val|valid|validation|validate|validating|dev|eval|evaluation|test|testing|best)(?![a-z])|验证|测试|検証|검증"
)
_ENDS = re.compile(r"[\s:：=\[({<\"'|#~]*$")
_MARKS = re.compile(r"[|,;：，；()\[\]{}<>:=\"'\t*#]|\s{2,}|\s-+\s|-{2,}|->|=>")
_NO_FIGURE = re.compile(
    r"(?i)(?<![a-z])(?:time|eta|elapsed|took|took_for|cost|duration|date|seed|rank|pid|gpu|patience|fold|info|debug)(?![a-z])|(?<![a-z])e?pochs?(?![a-z])"
)
"""What is no figure of a training, or is read elsewhere."""
_MOST_FIGURES = 16
_LONGEST_NAME = 40
COLUMNS = {"lr": "learning_rate", "learning_rate": "learning_rate", "grad_norm": "grad_norm"}
RESERVED = frozenset(
    "time_s tokens tokens_per_s tokens_per_s_per_device samples_per_s steps_per_s tflops_per_device memory_bytes power_w stamp_s "
    "process step epoch step_of_epoch elapsed_s epoch_time_s validation_loss global_batch clock_s minutes loss".split()
)


class Counter(NamedTuple):
    word: str
    value: int
    of: int | None

    @property
    def is_of_epochs(self) -> bool:
        return _LIKE_EPOCHS.search(self.word) is not None


class Shape(NamedTuple):
    """A line, read by where its numbers stand."""

    key: tuple[str, ...]
    """The same for all lines of this shape."""
    counters: tuple[Counter, ...]
    figures: dict[str, float]
    """By column: `loss` is the training's own, others bear the names that the log gives them."""
    has_loss: bool


def shape_of(text: str) -> Shape | None:
    """Of a line without stamps; None where nothing in it has a name."""
    key, counters, figures, losses = list[str](), list[Counter](), dict[str, float](), dict[str, float]()
    end, taken, total_of = 0, 0, -1
    for found in _NUMBER.finditer(text):
        gap, end = text[max(end, taken) : found.start()], found.end()
        if gap.strip() in ("/", "of") and total_of >= 0:
            counters[total_of] = counters[total_of]._replace(of=_whole(found[0]))
            key.append("of")
            total_of = -1
            continue
        name, whole = _name(gap), _whole(found[0])
        total_of = -1
        after = _COUNTED.match(text, end) if not _COUNTER.search(name) else None
        is_of_many = re.match(r"\s*(?:/|of)\s*\d+(?![\d.]*\.\d)", text[end:]) is not None
        if whole is not None and (_COUNTER.search(name) or after or (is_of_many and not name)):
            word = after[1] if after else name
            taken = after.end() if after else 0
            total_of = len(counters)
            counters.append(Counter(word.lower(), whole, None))
            key.append(f"counter {word.lower()}")
            continue
        key.append(name.lower())
        if not name or is_of_many:
            continue
        value = float(found[0].replace(",", ""))
        name += " percent" if text[end : end + 2].lstrip().startswith("%") else ""
        (losses if _LOSS.search(name) else figures).setdefault(name, value)
    has_loss = bool(losses) or any(_OBJECTIVE.fullmatch(name) for name in figures)
    return Shape(tuple(key), tuple(counters), _columns(losses, figures), has_loss) if key else None


def _whole(text: str) -> int | None:
    plain = text.replace(",", "").removesuffix(".0")
    return int(plain) if plain.isdigit() and len(plain) < 16 else None


def _name(gap: str) -> str:
    name = _MARKS.split(_ENDS.sub("", gap))[-1].strip(" -_.:/>")
    return name if len(name) <= _LONGEST_NAME and any(one.isalpha() for one in name) else ""


def _columns(losses: dict[str, float], figures: dict[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    whole = [name for name in losses if _WHOLE.fullmatch(_LOSS.sub("", name)) and not _OF_OTHERS.search(name)]
    if len(whole) > 1:
        # Of several the sum.
        now = [name for name in whole if not re.search(r"(?i)avg|average|mean", name)] or whole
        whole = [name for name in whole if re.search(r"(?i)total|overall|sum|总|總", name)] or now[:1]
    for name, value in (*losses.items(), *figures.items()):
        column = "_".join(re.findall(r"\w+", name.lower()))
        if name in whole[:1]:
            column = "loss"
        elif name in losses and re.fullmatch(r"(?:val|valid|validation)_?loss", column):
            column = "validation_loss"
        elif column in RESERVED:
            continue
        found.setdefault(COLUMNS.get(column, column), value)
    return found


def named_figures(line: bytes) -> dict[str, float]:
    """What a line without stamps says by name, beside losses, times and what counts; of a validation or a test, where the line
    begins with that, so called."""
    text = line.decode("utf-8", "replace")
    shape = shape_of(text)
    if shape is None:
        return {}
    of = _OF_OTHERS.search(re.split(r"[\d:=|,]", text, maxsplit=1)[0])
    before = "" if of is None else f"{of[0].lower()}_"
    return {
        name if name.startswith(before) else before + name: value
        for name, value in list(shape.figures.items())[:_MOST_FIGURES]
        if name not in ("loss", "validation_loss", "test_loss") and not _NO_FIGURE.search(name)
    }


def without_twins(columns: Mapping[str, Sequence[float | None]]) -> dict[str, Sequence[float | None]]:
    """Of a figure that is read and stands there under its own name as well, the one that was read."""
    read = [list(columns[name]) for name in ("loss", "validation_loss", "test_loss") if name in columns]
    return {
        name: values
        for name, values in columns.items()
        if name in RESERVED or name == "test_loss" or list(values) not in read
    }


def is_of_others(text: str) -> bool:
    """Whether words of a validation or a test stand in it."""
    return _OF_OTHERS.search(text) is not None
