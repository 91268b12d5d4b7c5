"""Checkpoints: what FP8 weights become on the reader, and whether the container itself can be read."""

from __future__ import annotations

from collections.abc import Iterator

from rewarp.bridge.crossing import Basis, CrossingVerdict, Reason, Stages
from rewarp.bridge.deployment import Deployment
from rewarp.bridge.facts import accelerators, versions

_FIELD = "model.weight_types"
_LOADER = "vLLM 0.32.0 vllm/model_executor/layers/quantization/utils/w8a8_utils.py normalize_e4m3fn_to_e4m3fnuz"
_GAUDI2 = "vllm-gaudi 091bbadd, its converter of checkpoints for Gaudi 2; not seen on hardware"
_CONTAINER = "safetensors 0.8.0, run with torch 2.13.0 on CPU"
_FP8 = "F8_"
_ANY = (
    *("F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8", "BOOL"),
    *("F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ"),
)
"""Types that were written and read back."""


def is_described(writer: Deployment) -> bool:
    return writer.model.weight_types is not None


def has_fp8(writer: Deployment) -> bool:
    return any(name.startswith(_FP8) and name != "F8_E8M0" for name in writer.model.weight_types or ())


def container_stages(writer: Deployment, reader: Deployment) -> Stages:
    """The file itself: the same bytes everywhere, as long as the reader knows the names of its types."""
    return ([*_unreadable(writer)],)


def _unreadable(writer: Deployment) -> Iterator[Reason]:
    for name in (*(writer.model.weight_types or ()), *(writer.model.scale_types or ())):
        if name == "F8_E8M0":
            cause = (
                "F8_E8M0 is written, but safetensors 0.8.0 raises a KeyError when torch reads it; others were not tried"
            )
            yield Reason(CrossingVerdict.UNKNOWN, "model.scale_types", cause, Basis.RUN, _CONTAINER)
        elif name not in _ANY:
            yield Reason(CrossingVerdict.UNKNOWN, _FIELD, f"{name} is a type that was not tried", Basis.RUN, _CONTAINER)


def weight_stages(writer: Deployment, reader: Deployment) -> Stages:
    return list(_rules_hold(reader)), list(_weights(writer, reader))


def _rules_hold(reader: Deployment) -> Iterator[Reason]:
    known = versions()["vllm"]
    if reader.vllm.version is None or not known.holds(reader.vllm.version):
        cause = f"{reader.name}: the rules hold for vLLM {known}"
        yield Reason(CrossingVerdict.UNKNOWN, "vllm.version", cause, Basis.SOURCE, known.source)
    if reader.accelerator not in accelerators():
        yield Reason(
            CrossingVerdict.UNKNOWN,
            "accelerator",
            f"{reader.name}: nobody said which accelerator",
            Basis.SOURCE,
            _LOADER,
        )


def _weights(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    reads = accelerators()[reader.accelerator or ""] if reader.accelerator in accelerators() else None
    for name in (name for name in writer.model.weight_types or () if name.startswith(_FP8) and name != "F8_E8M0"):
        if reads is None:
            return
        if name == "F8_E4M3" and reads.e4m3 == "e4m3fnuz":
            cause = "vLLM turns e4m3fn weights into e4m3fnuz as it loads them and doubles the scales; NaN weights become finite"
            yield Reason(
                CrossingVerdict.READER_CONVERTS,
                _FIELD,
                cause,
                Basis.SOURCE,
                _LOADER,
                (),
                "bits kept, scale x2, 80 becomes 00",
            )
        elif name == "F8_E4M3" and reads.e4m3 == "e4m3-240":
            cause = "Gaudi 2 has no finite code above 240"
            rule = "values halved, scales doubled: 16 codes round (rewarp bridge convert)"
            yield Reason(CrossingVerdict.CONVERT, _FIELD, cause, Basis.SOURCE, _GAUDI2, (), rule)
        elif name == "F8_E4M3FNUZ" and reads.e4m3 != "e4m3fnuz":
            cause = "no path of vLLM's was found that loads e4m3fnuz weights here"
            rule = "bits kept, scale halved: 80 becomes 7F, 7F and FF saturate (rewarp bridge convert)"
            yield Reason(CrossingVerdict.CONVERT, _FIELD, cause, Basis.SOURCE, _LOADER, (), rule)
        elif name != "F8_E4M3" or not reads.e4m3:
            cause = f"how vLLM loads {name} weights on {reads.title} was not looked at"
            yield Reason(CrossingVerdict.UNKNOWN, _FIELD, cause, Basis.SOURCE, _LOADER)
