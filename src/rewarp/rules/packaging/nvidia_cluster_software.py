"""DOC-005: a cluster gets NVIDIA's device plugin or operator."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.lang.kinds import COMMAND_KINDS
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import by_side
from rewarp.rules.shapes.packaging import once_each
from rewarp.targets import Context

_TOOLS = ("helm", "kubectl", "k3s", "microk8s", "oc", "kustomize", "helmfile", "argocd")
_SOFTWARE = re.compile(
    r"nvidia-device-plugin|(?i:nvidia)/k8s-device-plugin|nvidia/gpu-operator|gpu-operator/nvidia|nvidia-gpu-operator"
    r"|helm\.ngc\.nvidia\.com|nvidia\.github\.io/|container-engine-accelerators\S*nvidia|nvidia-driver-installer"
    r"|nvidia/dcgm-exporter"
)


@rule(
    id="DOC-005",
    title="A cluster is given NVIDIA's device plugin or operator",
    kinds=COMMAND_KINDS,
    anchors=[
        "helm ~nvidia",
        "kubectl ~nvidia",
        "helm ~device-plugin",
        "kubectl ~device-plugin",
        "microk8s",
        "oc ~nvidia",
    ],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="NVIDIA's operator and device plugin offer nvidia.com/gpu on nodes with NVIDIA's cards only; AMD's offer "
        "amd.com/gpu.",
        fix="Install AMD's on those nodes: the chart gpu-operator-charts of rocm.github.io/gpu-operator, or the "
        "k8s-device-plugin of ROCm.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="NVIDIA's operator and device plugin offer nvidia.com/gpu; Gaudi's plugin offers habana.ai/gaudi.",
        fix="Install the Intel Gaudi base operator or its device plugin on those nodes.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="helm install gpu-operator nvidia/gpu-operator -n gpu-operator",
    source="https://instinct.docs.amd.com/projects/gpu-operator/en/latest/",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for helm, kubectl and their kin being given NVIDIA's charts, operator or device plugin."""

    def found() -> Iterator[Hit]:
        for command in document.commands:
            if command.name not in _TOOLS:
                continue
            word = next((word for word in command.words[1:] if _SOFTWARE.search(word.text)), None)
            if command.name == "microk8s" and command.texts[1:2] == ["enable"]:
                word = next((word for word in command.words[2:] if word.text in ("gpu", "nvidia")), word)
            if word:
                yield Hit(word, f"{command.name} is given {word.text}, which serves NVIDIA's cards", word.text)

    yield from by_side(document, once_each(document, found()))
