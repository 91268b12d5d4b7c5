"""PKG-013: projects that build for NVIDIA only, taken from their repositories."""

import re
from collections.abc import Iterator
from typing import Any

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cmake import CMakeFile
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.lang.shell import install_words
from rewarp.lang.toml import TomlFile, TomlString
from rewarp.lang.yaml import YamlFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules._files import by_side
from rewarp.rules.shapes.packaging import PACKAGE_KINDS, once_each
from rewarp.targets import Context

_NONE = "it has no build for AMD GPUs"
_TWINS = {
    "nvidia/apex": "AMD's fork is ROCm/apex",
    "nvidia/transformerengine": "AMD's fork is ROCm/TransformerEngine",
    "nvidia/cudnn-frontend": "ROCm has MIOpen, with another API",
    "nvidia/cutlass": "ROCm has Composable Kernel, with another API",
    "nvidia/nccl": "ROCm brings RCCL, which has the same API",
    "nvidia/nccl-tests": "ROCm has rccl-tests",
    "nvidia/cub": "ROCm brings hipCUB",
    "nvidia/thrust": "ROCm brings rocThrust",
    "nvidia/libcudacxx": "ROCm has libhipcxx",
    "nvidia/cccl": "ROCm brings hipCUB and rocThrust, and has libhipcxx",
    "nvidia/cuda-samples": _NONE,
    "nvidia/tensorrt": "ROCm has MIGraphX, with another API",
    "nvidia/tensorrt-llm": _NONE,
    "nvidia/minkowskiengine": _NONE,
    "nvidia-ai-iot/torch2trt": "ROCm has torch_migraphx, with another API",
    "nvidiagameworks/kaolin": _NONE,
    "nvlabs/tiny-cuda-nn": _NONE,
    "nvlabs/nvdiffrast": _NONE,
    "deepseek-ai/deepgemm": _NONE,
    "deepseek-ai/deepep": _NONE,
    "deepseek-ai/flashmla": _NONE,
    "traveller59/spconv": _NONE,
    "mit-han-lab/torchsparse": _NONE,
    "stanfordvl/minkowskiengine": _NONE,
}
_REPOSITORY = re.compile(r"github\.com[/:]([\w.-]+/[\w.-]+?)(?:\.git)?(?=$|[/@#\s\"'])", re.I)


def _texts(document: Document) -> Iterator[tuple[str, Any]]:
    """What a file fetches or installs."""
    for command in document.commands:
        if install_words(command) or command.name == "pip" or (command.name == "git" and "clone" in command.texts[1:]):
            yield from ((word.text, word) for word in command.words[1:])
    yield from ((item.text, item) for item in document.requirements)
    if isinstance(document, TomlFile):
        yield from ((item.value, item.span) for item in document.strings if _fetches(item))
    elif isinstance(document, YamlFile) and document.is_conda:
        yield from ((item.value, item.span) for item in document.entries if item.key == "pip")
    elif isinstance(document, CMakeFile):
        for call in document.named("fetchcontent_declare", "externalproject_add", "cpmaddpackage"):
            yield from ((argument.text, argument.where) for argument in call.arguments)


def _fetches(item: TomlString) -> bool:
    return "git+" in item.value or any("dependencies" in part for part in item.path)


@rule(
    id="PKG-013",
    title="A project that builds for NVIDIA only is taken from its repository",
    kinds=(*PACKAGE_KINDS, Kind.CMAKE),
    anchors=["~github.com"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="The sources are CUDA's and are built with nvcc when they are installed, so the build fails on an AMD machine.",
        fix="Take AMD's fork or twin there, or leave it out and give the code that uses it another way.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="The sources are CUDA's and are built with nvcc when they are installed.",
        fix="Leave it out on Gaudi and give the code that uses it another way.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="pip install git+https://github.com/NVIDIA/apex",
    source="https://github.com/ROCm/apex",
    traits=[Trait.BUILDS_FOR_CUDA],
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for repositories such as NVIDIA/apex and NVlabs/tiny-cuda-nn that pip installs from, git clones, or CMake
    fetches."""

    def found() -> Iterator[Hit]:
        for text, where in _texts(document):
            for name in _REPOSITORY.findall(text):
                twin = _TWINS.get(name.lower())
                if twin:
                    advice = f"; {twin}" if context.target.name == "rocm" else ""
                    yield Hit(where, f"{name} builds with CUDA{advice}", name)

    yield from by_side(document, once_each(document, found()))
