"""PKG-008: CUDA from conda."""

import re
from collections.abc import Iterator
from typing import Any

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.lang.kinds import COMMAND_KINDS, Kind
from rewarp.lang.toml import TomlFile
from rewarp.lang.yaml import YamlFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import by_side
from rewarp.rules.shapes.packaging import once_each
from rewarp.targets import Context

_PACKAGE = re.compile(
    r"pytorch-cuda|cudatoolkit(-dev)?|cuda|cuda-.+|cudnn|libcu(blas|fft|rand|solver|sparse)(-dev)?|nccl"
)
_CUDA_BUILD = re.compile(r"[=_]\*?cuda\d*")
_INSTALLERS = ("conda", "mamba", "micromamba")
_PIXI = re.compile(r"(feature\.[^.]+\.)?(target\.[^.]+\.)?(host-|build-)?dependencies")
_CHANNEL = re.compile(r"nvidia(/.*)?")


def _named(text: str) -> str | None:
    """The CUDA package or channel a conda specification names."""
    channel, _, package = text.rpartition("::")
    name = re.split(r"[=<>! \[]", package, maxsplit=1)[0]
    if _PACKAGE.fullmatch(name):
        return name
    if _CHANNEL.fullmatch(channel):
        return f"{package} from the channel {channel}"
    return package if _CUDA_BUILD.search(package) else None


def _specifications(document: Document) -> Iterator[tuple[str, Any]]:
    if isinstance(document, TomlFile):
        for key in document.keys:
            if _PIXI.fullmatch(".".join(document.pixi_path(key.path)[:-1])):
                yield key.path[-1], key.span
    if isinstance(document, YamlFile) and document.is_conda:
        for entry in document.entries:
            if entry.path[:1] in (("dependencies",), ("requirements",)) and entry.key != "pip":
                yield entry.value, entry.span
    for command in document.commands:
        if command.name in _INSTALLERS and {"install", "create"} & set(command.texts[1:3]):
            options = command.texts[:-1]
            for before, word in zip(options, command.words[1:]):
                if not word.text.startswith("-") and before not in ("-c", "--channel", "-n", "--name", "-p", "-f"):
                    yield word.text, word


def _channels(document: Document) -> Iterator[tuple[str, Any]]:
    if isinstance(document, TomlFile):
        yield from ((s.value, s.span) for s in document.strings if document.pixi_path(s.path)[-1:] == ("channels",))
    if isinstance(document, YamlFile) and document.is_conda:
        yield from ((e.value, e.span) for e in document.entries if e.path == ("channels",))
    for command in document.commands:
        if command.name in _INSTALLERS:
            for before, word in zip(command.texts, command.words[1:]):
                if before in ("-c", "--channel"):
                    yield word.text, word


@rule(
    id="PKG-008",
    title="CUDA comes from conda",
    kinds=(Kind.CONDA, Kind.PYPROJECT, *COMMAND_KINDS),
    anchors=["cudatoolkit", "cudnn", "nccl", "nvidia", "cuda", "libcublas", "libcufft", "libcurand", "libcusolver"],
    python_anchors=["conda install", "conda create", "mamba install ~mamba install", "micromamba"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.ON_CPU,
        why="The pytorch and nvidia channels hold no ROCm builds: the environment is made, and its torch finds no AMD GPU.",
        fix="Write an environment for ROCm that gets Python from conda and torch from a pip section with "
        "--index-url https://download.pytorch.org/whl/rocmX.Y.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.ON_CPU,
        why="The pytorch and nvidia channels hold no Gaudi builds, so an environment made from them is NVIDIA's.",
        fix="Write an environment for Gaudi without them and use the torch build of the Gaudi software.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="- pytorch-cuda=12.1",
    source="https://github.com/oobabooga/one-click-installers/pull/98",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for pytorch-cuda, cudatoolkit, cuda-* and the channel nvidia in conda environments, pixi manifests
    and conda install commands."""

    def found() -> Iterator[Hit]:
        for text, where in _specifications(document):
            name = _named(text)
            if name:
                # CUDA's own packages install anywhere and lie idle; a torch from conda takes the place of the target's.
                idle = not name.startswith("pytorch") and not _CUDA_BUILD.search(text)
                severity = Severity.INFO if idle else None
                yield Hit(where, f"{name} has no build for {context.target.title} in conda", name, severity)
        for text, where in _channels(document):
            if _CHANNEL.fullmatch(text):
                message = f"the conda channel {text} holds NVIDIA's packages"
                yield Hit(where, message, "nvidia channel", Severity.INFO)

    yield from by_side(document, once_each(document, found()))
