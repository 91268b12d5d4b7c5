"""DOC-003: NVIDIA's names in Kubernetes manifests."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.yaml import YamlFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import by_side
from rewarp.targets import Context

_RESOURCE = re.compile(r"(?<![\w.-])(?:requests\.|limits\.)?nvidia\.com(?:/|~1)[\w.-]+")
_ACCELERATOR = re.compile(r"nvidia-[\w-]+")
_THEIRS = {"rocm": "amd.com/gpu", "gaudi": "habana.ai/gaudi"}


@rule(
    id="DOC-003",
    title="A manifest asks for nvidia.com/gpu",
    kinds=(Kind.YAML, Kind.COMPOSE, Kind.CONDA),
    anchors=["nvidia"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="A node with AMD GPUs offers amd.com/gpu; a pod that asks for nvidia.com/gpu is never scheduled there.",
        fix="Add an overlay or a value that puts amd.com/gpu, and AMD's node labels, in its place.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="A node with Gaudi offers habana.ai/gaudi; a pod that asks for nvidia.com/gpu is never scheduled there.",
        fix="Add an overlay or a value that puts habana.ai/gaudi in its place.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="limits:\n  nvidia.com/gpu: 1",
    source="https://instinct.docs.amd.com/projects/k8s-device-plugin/en/latest/",
)
def match(document: YamlFile, context: Context) -> Iterator[Hit]:
    """Looks for nvidia.com/... as a resource, label or taint, and for accelerator labels that name an NVIDIA card. A
    file that names the target's resource too only informs."""
    both = _THEIRS[context.target.name].encode() in document.source.view
    severity = Severity.INFO if both else None

    def found() -> Iterator[Hit]:
        for entry in document.entries:
            if _RESOURCE.match(entry.key):
                yield Hit(entry.key_span, f"{entry.key} is NVIDIA's", entry.key, severity)
                continue
            if entry.key == "apiVersion":  # who defines the kind, an operator of NVIDIA's say
                continue
            if "\n" in entry.value or entry.value.startswith("{{"):  # a script, or the logic of a template
                continue
            if " " in entry.value and not entry.value.startswith(("{", "[")):  # a sentence
                continue
            resource = _RESOURCE.search(entry.value)
            if resource:
                yield Hit(entry.span, f"{resource[0]} is NVIDIA's", resource[0], severity)
            elif entry.key.endswith("accelerator") and _ACCELERATOR.fullmatch(entry.value):
                yield Hit(entry.span, f"{entry.value} selects nodes with an NVIDIA card", entry.value, severity)

    yield from by_side(document, found())
