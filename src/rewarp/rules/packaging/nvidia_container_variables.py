"""DOC-004: variables for NVIDIA's container runtime."""

from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.document import Document
from rewarp.lang.kinds import PYTHON_KINDS, Kind
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_NAMES = ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_REQUIRE_CUDA", "NVIDIA_DISABLE_REQUIRE")


@rule(
    id="DOC-004",
    title="Variables of NVIDIA's container runtime",
    kinds=(
        *(Kind.DOCKERFILE, Kind.COMPOSE, Kind.YAML, Kind.ACTIONS, Kind.SHELL, Kind.DOTENV, Kind.MAKE),
        *PYTHON_KINDS,
    ),
    anchors=_NAMES,
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.WORKS,
        why="Only NVIDIA's container runtime reads them. Without it they mean nothing and do no harm.",
    ),
    example="ENV NVIDIA_VISIBLE_DEVICES=all",
    source="https://rocm.docs.amd.com/en/latest/install/docker-containers.html",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for NVIDIA_VISIBLE_DEVICES, NVIDIA_DRIVER_CAPABILITIES and the like being set."""
    for item in document.env_sets:
        if item.name in _NAMES:
            yield Hit(item, f"{item.name} is set; nothing on {context.target.title} reads it", item.name)
