"""ENV-017: a switch with a value, or under a name, that nobody reads."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.project.sides import is_for_amd
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS, sets_of
from rewarp.targets import Context


class _Switch(NamedTuple):
    wrong: re.Pattern[str]
    says: str
    amds_alone: bool = False
    """Wrong only in a file that is AMD's by its name."""


_ANY = re.compile(r".*", re.S)
_SWITCHES = {
    # https://docs.jax.dev/en/latest/config_options.html
    "JAX_PLATFORMS": _Switch(re.compile(r"cuda"), "JAX has no platform cuda on an AMD machine; it is rocm", True),
    "JAX_PLATFORM_NAME": _Switch(re.compile(r"cuda"), "JAX has no platform cuda on an AMD machine; it is rocm", True),
    # https://github.com/deepspeedai/DeepSpeed/blob/master/accelerator/real_accelerator.py
    "DS_ACCELERATOR": _Switch(
        re.compile(r"(?i)rocm|hip|amd"), "DeepSpeed serves ROCm under the name cuda, and knows no other"
    ),
    # https://github.com/Dao-AILab/flash-attention/blob/main/setup.py
    "FLASH_ATTENTION_TRITON_AMD_ENABLE": _Switch(re.compile(r"(?!TRUE$|FALSE$).*"), "flash-attn compares it with TRUE"),
    # https://docs.cupy.dev/en/stable/install.html
    "CUPY_USE_HIP": _Switch(_ANY, "CuPy reads CUPY_INSTALL_USE_HIP"),
    "TORCH_ROCM_ARCH_LIST": _Switch(_ANY, "torch reads PYTORCH_ROCM_ARCH"),
    "ROCM_VISIBLE_DEVICES": _Switch(_ANY, "HIP reads HIP_VISIBLE_DEVICES, ROCR reads ROCR_VISIBLE_DEVICES"),
}


@rule(
    id="ENV-017",
    title="A switch for AMD that nobody reads as it is set",
    kinds=ENV_KINDS,
    anchors=list(_SWITCHES),
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="The library that the variable is for compares it with other texts, or reads another variable: the part for AMD stays "
        "off, or the program ends.",
        fix="Set it as the library's documentation has it.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="export DS_ACCELERATOR=rocm",
    source="https://github.com/deepspeedai/DeepSpeed/blob/master/accelerator/real_accelerator.py",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for variables of JAX, DeepSpeed, flash-attn, CuPy and torch with a value that they do not know, or misspelt."""
    for item in sets_of(document, *_SWITCHES):
        switch, value = _SWITCHES[item.name], item.value
        if value is None or "$" in value or not switch.wrong.fullmatch(value.strip("\"' ")):
            continue
        if not switch.amds_alone or is_for_amd(document.source.path):
            yield Hit(item, f"{item.name} is {value}: {switch.says}", item.name)
