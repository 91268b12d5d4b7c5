"""PKG-007: JAX with the CUDA plugin."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document, Requirement
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.packaging import EXTRA_FOR_AMD, PACKAGE_KINDS, PYTHON_ANCHORS, REQUIREMENTS_FOR_AMD, packages
from rewarp.targets import Context


def _jax(item: Requirement) -> str | None:
    extra = next((extra for extra in item.extras if extra.startswith("cuda")), None)
    if item.name == "jax" and extra:
        return f"jax[{extra}] brings the CUDA plugin"
    if re.fullmatch(r"jax-cuda\d+-(plugin|pjrt)", item.name):
        return f"{item.name} is JAX's CUDA plugin"
    return None


@rule(
    id="PKG-007",
    title="JAX is asked for with CUDA",
    kinds=PACKAGE_KINDS,
    anchors=["jax*"],
    python_anchors=PYTHON_ANCHORS,
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="JAX finds GPUs through a plugin, and this is NVIDIA's. The extra for AMD GPUs is rocm7-local.",
        fix="Ask for jax[rocm7-local] on ROCm, in an extra or a list of packages of its own, and keep this one for NVIDIA.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="JAX has no plugin for Gaudi.",
        fix="Leave the extra out on Gaudi.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="jax[cuda12]>=0.8",
    versions="the extra rocm7-local is there from JAX 0.8",
    source="https://docs.jax.dev/en/latest/installation.html",
    fix=(REQUIREMENTS_FOR_AMD, EXTRA_FOR_AMD),
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for jax with an extra whose name starts with cuda, and for JAX's CUDA plugin packages."""
    yield from packages(document, context, _jax)
