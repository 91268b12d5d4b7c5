"""What any line may say of a run beside its steps, in logs of programs that nobody knows: the card, the device, how many parameters
the model has, and settings that are printed before a training.

A setting counts only from a line that is nothing but it, or from a list of settings. Said twice with different values it is
nobody's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter

from rewarp.bench.logs.base import NOT_FOUND, Facts
from rewarp.bench.logs.facts import COMMON, Fact, fact, integer, positive, word
from rewarp.bench.logs.notes import Notes
from rewarp.bench.logs.rows import NOT_LOOKED
from rewarp.bench.result import Result, Sourced, unknown

_LONGEST = 4000
_BEGINNING = 80
_MOST_KINDS = 1 << 14
_OFTEN = 1000
_IN_VAIN = 50
_OF_NUMBERS = b"0123456789abcdefABCDEF"
"""Digits of numbers and of hashes."""
_CARD = (
    rb"((?:NVIDIA )?(?:Tesla [A-Z]\d{1,3}\w*|GeForce [GR]TX? ?\d{3,4}(?: Ti| SUPER| D)*(?: Laptop GPU)?|TITAN \w{1,5}"
    rb"|Quadro (?:RTX )?\w{1,6}|RTX (?:A\d{4}|\d{4})(?: Ada Generation| Ti| SUPER)*"
    rb"|(?:A100|A800|H100|H200|H800|L40S?|L4|V100|A10G?|A30|A40|B200|GH200|GB200)(?:[- ](?:SXM\d?|PCIE|PCIe|NVL|HBM\d\w?|\d{2,3}GB))*))(?![\w-])"
)
_SAID_OF_CARD = rb"(?i:gpu|device|cuda|card|name\W|using|running on|hardware)[^\n]{0,60}?(?<![\w-])"
_NUMBER_OF = rb"(\d[\d,_]*(?:\.\d+)? ?(?:[KMB]|million|billion)?)(?![\w.]|\s*(?:[KMG]i?B|bytes|/|x\b))"
_KINDS = rb"(cuda(?::\d+)?|cpu|gpu(?::\d+)?|mps|xpu|hpu|tpu)"
_SCALES = {"k": 1e3, "m": 1e6, "b": 1e9, "million": 1e6, "billion": 1e9}


def _count(text: str) -> int | None:
    """`9,854,851`, `11.2M`."""
    found = re.fullmatch(r"([\d,_.]+) ?([A-Za-z]*)", text.strip())
    value = positive(found[1].replace("_", "")) if found else None
    if found is None or value is None or (not found[2] and value != int(value)):
        return None
    return round(value * _SCALES.get(found[2].lower(), 1.0))


def _settings(field: str, name: bytes, value: bytes, anchor: bytes, read: object) -> tuple[Fact, ...]:
    """`batch_size: 64` alone in a line, `Namespace(batch_size=64, …)`, `{'batch_size': 64}`, `--batch_size 64`."""
    own = (
        rb"(?i)^(?:[^\w\n]*(?:INFO|DEBUG)\b)?[^\w\n]{0,20}(?:number of |total )?"
        + name
        + rb"[\"']?\s*(?:[:=|]|\s|\.{3,})\s*"
    )
    listed = rb"(?:\(|, ?|\{|^)[\"']?" + name + rb"[\"']?(?:=| ?: ?)"
    typed = rb"(?i)\s--" + name + rb"[ =]"
    assert callable(read)
    return (
        fact(field, anchor, own + value + rb"\s*$", read),
        fact(field, anchor, rb"(?i)^" + _LIST + rb"[^\n]*?" + listed + value + rb"(?=[,)}\s]|$)", read),
        fact(field, anchor, typed + value + rb"(?=\s|$)", read),
    )


_LIST = rb"(?:(?!Namespace\(|\{|\w=)[^\n])*(?:Namespace(?=\()|(?=\{)|\w=)"
"""Up to where a list of settings begins, which is one place only, or long lines take long."""
_EPOCHS = rb"(?:(?:n|num|max|nb|train|total)[_ ]?)?epochs"
_ONE_EPOCH = rb"(?:n|num|max|nb|total)_epoch"
_BATCH = rb"(?:train(?:ing)?[_ ])?batch[_ ]?size"
_RATE = rb"(?:lr|learning[_ ]rate|learning_rate)"
_WHOLE, _REAL = rb"[\"']?(\d{1,9})[\"']?", rb"[\"']?(\d*\.?\d+(?:[eE][-+]?\d+)?)[\"']?"
FACTS = (
    *(
        fact("device.name", anchor, _SAID_OF_CARD + _CARD, word)
        for anchor in (
            b"NVIDIA",
            b"Tesla",
            b"GeForce",
            b"Quadro",
            b"TITAN",
            b"A100",
            b"A800",
            b"A10",
            b"A30",
            b"A40",
            b"V100",
            b"H100",
            b"H200",
            b"H800",
            b"B200",
            b"RTX",
            b"L4",
        )
    ),
    *(
        fact("configuration.device", anchor, pattern, word)
        for anchor in (b"evice", b"EVICE", "设备".encode(), b"using ", b"Using ", b"sing ")
        for pattern in (
            rb"(?i)(?:(?<![\w/])devices?(?: used| type| name)?|"
            + "设备".encode()
            + rb")[\"']?\s*(?:[:=]|is|\xef\xbc\x9a)\s*[\"']?(?:device\(type=[\"'])?"
            + _KINDS
            + rb"(?![\w.])",
            rb"(?i)\busing (?:the )?(?:device )?" + _KINDS + rb"(?: device)?\W*$",
        )
    ),
    *(fact("configuration.device", anchor, rb"^\s*" + _KINDS + rb"\s*$", word) for anchor in (b"cuda", b"cpu", b"mps")),
    *(
        fact(field, b"aram", pattern, _count)
        for field, pattern in (
            (
                "configuration.trainable_parameters",
                rb"(?i)(?<![a-z-])(?:trainable|learnable) (?:model )?param(?:eter)?s?(?: count)?\s*(?:[:=]|is|are)+\s*"
                + _NUMBER_OF,
            ),
            (
                "configuration.trainable_parameters",
                rb"(?i)(?<![\w.,])([\d,_]+(?:\.\d+)? ?(?:[KMB]|million|billion)?) (?:trainable|learnable) (?:model )?param(?:eter)?s\b",
            ),
            (
                "configuration.parameters",
                rb"(?i)(?<![a-z])(?:total|number of|num|model|#|no\. of|all)[_ ]{0,2}(?:model |network )?param(?:eter)?s?(?: count| in (?:the )?model)?\s*(?:[:=]|is|are)+\s*"
                + _NUMBER_OF,
            ),
            (
                "configuration.parameters",
                rb"(?i)(?:model|network) (?:has|with|contains)[^\d\n]{0,20}(?<![\w.,])(\d[\d,_]*(?:\.\d+)? ?(?:[KMB]|million|billion)?) (?:total )?param(?:eter)?s\b",
            ),
        )
    ),
    *_settings("configuration.epochs", _EPOCHS, _WHOLE, b"poch", integer),
    *_settings("configuration.epochs", _ONE_EPOCH, _WHOLE, b"poch", integer),
    *(
        one
        for anchor in (b"atch", b"ATCH")
        for one in _settings("configuration.batch_size", _BATCH, _WHOLE, anchor, integer)
    ),
    *(
        one
        for anchor in (b"lr", b"LR", b"earning")
        for one in _settings("configuration.learning_rate", _RATE, _REAL, anchor, positive)
    ),
)
_BY_ANCHOR: Mapping[bytes, Sequence[Fact]] = {
    anchor: [one for one in (*COMMON, *FACTS) if one.anchor == anchor]
    for anchor in dict.fromkeys(one.anchor for one in (*COMMON, *FACTS))
}


class Surroundings:
    """The lines that are no step's, of one stream."""

    def __init__(self) -> None:
        self._notes = Notes()
        self._seen: dict[bytes, int] = {}
        """How often lines of one text were looked at, whatever their numbers; those that said nothing weigh more."""

    def see(self, pairs: Sequence[tuple[int, bytes]], text: bytes) -> None:
        anchors = [anchor for anchor in _BY_ANCHOR if anchor in text]
        for at, line in pairs if anchors else ():
            if len(line) > _LONGEST or not (held := [anchor for anchor in anchors if anchor in line]):
                continue
            # What is printed again and again is of steps, and too much to be looked through.
            kind = line[:_BEGINNING].translate(None, _OF_NUMBERS)
            seen = self._seen.get(kind, 0)
            if seen >= _OFTEN:
                continue
            told = [self._look(at, line, _BY_ANCHOR[anchor]) for anchor in held]
            if kind in self._seen or len(self._seen) < _MOST_KINDS:
                self._seen[kind] = seen + (1 if any(told) else _IN_VAIN)

    def _look(self, at: int, line: bytes, facts: Iterable[Fact]) -> bool:
        """Whether the line says anything."""
        values = [(one, value) for one in facts if (value := one.find(line)) is not None]
        for one, value in values:
            self._notes.add_fact(at, one, value, at)
        return bool(values)

    def told(self, results: Sequence[Result]) -> list[Result]:
        """The results with what the log says of each run, from its lines and those before them."""
        ends = sorted({int(lines[1]) for result in results if (lines := result.provenance.get("lines"))})
        found = []
        for result in results:
            lines = result.provenance.get("lines")
            if lines is None:
                found.append(result)
                continue
            first, last = int(lines[0]), int(lines[1])
            before = max([end for end in ends if end < first], default=0)
            found.append(_filled(result, self._facts(before, first, last)))
        return found

    def _facts(self, before: int, first: int, last: int) -> Facts:
        facts, values = Facts(), dict[str, set[str]]()
        notes = sorted(self._notes.facts, key=itemgetter(0))
        mine = [note for note in notes if before < note[0] <= last and not note[1].name.startswith("reported.")]
        for _, one, value in mine:
            values.setdefault(one.name, set()).add(str(value))
        for line, one, value in mine:
            if len(values[one.name]) == 1:
                facts.add(one.name, value, f"log line {line}")
        for name, said in values.items():
            if len(said) > 1:
                facts.found[name] = unknown(
                    f"the log says {len(said)} different ones between lines {before + 1} and {last}"
                )
        return facts


def _filled(result: Result, facts: Facts) -> Result:
    """What the reader of the lines knows stays."""

    def section(known: Mapping[str, Sourced], name: str) -> dict[str, Sourced]:
        said = facts.section(name)
        there = {
            field: unknown(NOT_FOUND) if one.value is None and one.source == NOT_LOOKED else one
            for field, one in known.items()
        }
        return there | {field: one for field, one in said.items() if field not in there or there[field].value is None}

    platform = facts.platform() if result.platform.value is None else result.platform
    return replace(
        result,
        platform=platform,
        device=section(result.device, "device"),
        software=section(result.software, "software"),
        configuration=section(result.configuration, "configuration"),
    )
