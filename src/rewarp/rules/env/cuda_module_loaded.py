"""SH-004: an environment module of NVIDIA's is loaded."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import by_side
from rewarp.rules.shapes.env import goes_on_without
from rewarp.targets import Context

_MODULE = re.compile(
    r"(?i)(?:[\w.-]+/)?(cuda|cudatoolkit|cuda-toolkit|cudnn|nccl|nvhpc|nvidia|tensorrt)(?:[-_/][\w.+-]+)*"
)
_LOADING = {"load", "add", "swap", "switch", "try-load"}
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)(?:(:?[-=])([^}]*))?\}?")


@rule(
    id="SH-004",
    title="An environment module of CUDA is loaded",
    kinds=(Kind.SHELL, Kind.YAML, Kind.MAKE),
    anchors=["module", "ml"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="Module names are a site's own, but a cluster with AMD GPUs has a module for ROCm and none for CUDA: the load "
        "fails, or brings nothing that the job can use.",
        fix="Let a variable say which modules to load, with the site's module for ROCm (often rocm/X.Y) on AMD.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="A cluster with Gaudi has no module for CUDA.",
        fix="Let a variable say which modules to load, with the site's own on Gaudi.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="module load cuda/12.4",
    source="https://docs.olcf.ornl.gov/systems/frontier_user_guide.html",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for module load (or ml) of CUDA, cuDNN, NCCL or NVIDIA's compilers."""
    values = {item.name: item.value for item in document.env_sets if item.value}

    def filled(text: str) -> str:
        return _VARIABLE.sub(lambda match: values.get(match[1]) or match[3] or match[0], text)

    def found() -> Iterator[Hit]:
        for command in document.commands:
            loads = command.name == "module" and _LOADING & set(command.texts[1:2])
            if not loads and command.name != "ml":
                continue
            for word in command.words[2 if loads else 1 :]:
                name = filled(word.text)
                if _MODULE.fullmatch(name):
                    severity = Severity.INFO if goes_on_without(document, command) else None
                    yield Hit(word, f"{name} is a module for NVIDIA's cards", name, severity)

    yield from by_side(document, found())
