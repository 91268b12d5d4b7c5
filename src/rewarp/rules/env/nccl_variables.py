"""ENV-010: NCCL's variables."""

import re
from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.document import Document, EnvSet
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS
from rewarp.targets import Context

_NVLINK = re.compile(r"NCCL_(NVLS.*|NVB.*|MNNVL.*|COLLNET.*|SHARP.*)")
_NVLS = re.compile(r"(?:NVLS(?:Tree)?|CollNet\w*)(?:[,; ]+(?:NVLS(?:Tree)?|CollNet\w*))*", re.I)
_NAME = re.compile(r"(TORCH_)?NCCL_[A-Z0-9_]+")
_TORCHS = {"NCCL_ASYNC_ERROR_HANDLING", "NCCL_BLOCKING_WAIT", "NCCL_DESYNC_DEBUG"}


def _without_meaning(item: EnvSet) -> bool:
    return bool(_NVLINK.fullmatch(item.name)) or (item.name == "NCCL_P2P_LEVEL" and item.value == "NVL")


@rule(
    id="ENV-010",
    title="NCCL is configured by variables",
    kinds=ENV_KINDS,
    anchors=["NCCL_*"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.WORKS,
        why="RCCL goes by the same NCCL_* names. Those about NVLink, NVLS and SHARP have no meaning on AMD.",
        fix="Keep them; drop the ones about NVLink on ROCm.",
    ),
    gaudi=Impact(
        Severity.INFO,
        why="Gaudi's collectives are HCCL, which has variables of its own, HCCL_*.",
        fix="Set the HCCL_* variables that serve the same end.",
    ),
    example="export NCCL_DEBUG=INFO",
    source="https://github.com/ROCm/rccl",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for NCCL_* and TORCH_NCCL_* variables being set; those about NVLink, NVLS and SHARP inform, and an
    NCCL_ALGO with nothing else in it fails."""
    for item in document.env_sets:
        if not _NAME.fullmatch(item.name):
            continue
        if context.target.name == "gaudi":
            yield Hit(item, f"{item.name} is set, which HCCL does not read", item.name)
        elif item.name == "NCCL_ALGO" and _NVLS.fullmatch((item.value or "").strip("\"' ")):
            message = (
                f"NCCL_ALGO={item.value} leaves NVIDIA's switches alone to choose from: RCCL has no such algorithm"
            )
            yield Hit(item, message, item.name, Severity.CRASH, "Leave NCCL_ALGO out, or name Ring or Tree.")
        elif _without_meaning(item):
            value = f"={item.value}" if item.name == "NCCL_P2P_LEVEL" else ""
            message = f"{item.name}{value} is about NVIDIA's interconnect"
            yield Hit(item, message, item.name, Severity.INFO, f"Leave {item.name} out on ROCm.")
        else:
            reader = "torch" if item.name.startswith("TORCH_") or item.name in _TORCHS else "RCCL"
            yield Hit(item, f"{item.name} is set, and {reader} reads it on ROCm", item.name)
