"""DOC-001: container images with CUDA inside."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import FileFix
from rewarp.lang.dockerfile import Dockerfile
from rewarp.lang.document import Document
from rewarp.lang.kinds import PYTHON_KINDS, Kind
from rewarp.lang.python import PythonFile
from rewarp.lang.yaml import YamlFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import by_side
from rewarp.rules.shapes.images import CUDA_IMAGE, images_of
from rewarp.rules.shapes.packaging import once_each
from rewarp.targets import Context

_TARGET_IMAGE = {
    "rocm": re.compile(r"rocm|amd(?!64)|gfx", re.I),
    "gaudi": re.compile(r"habana|gaudi|hpu", re.I),
}
_CPU_IMAGE = re.compile(r"cpu", re.I)
_ENGINES = ("docker", "podman", "nerdctl")
_IMAGE = re.compile(r"[\w.-]+(?:/[\w.-]+)+(?::[\w.-]+)?")
_TAGGED = re.compile(r"(?:docker(?:\.io/|:))?(?:nvidia/cuda|nvcr\.io/nvidia/[\w/-]+|pytorch/pytorch):[\w.-]+")
_IMAGES = {"rocm": "rocm/pytorch or rocm/dev image", "gaudi": "image of vault.habana.ai"}
_FIX = {
    Kind.DOCKERFILE: "Write a second Dockerfile beside it that starts from a {}.",
    Kind.ACTIONS: "Add a row or a job for it whose container is a {}, once there is a runner.",
    Kind.COMPOSE: "Name a {} in a second compose file that overrides this one.",
}
_FIX_ELSEWHERE = "Choose a {} there."


def _ordered(document: Document) -> Iterator[tuple[str, Any]]:
    """Images of docker's commands that start nothing without NVIDIA's runtime: what asks for that is told there."""
    for command in document.commands:
        if command.name in _ENGINES and command.texts[1:2] in (["run"], ["create"], ["pull"]):
            asked = any(text.startswith(("--gpus", "--runtime")) for text in command.texts)
            if asked or command.texts[1] == "pull":
                yield from ((word.text, word) for word in command.words[2:] if _IMAGE.fullmatch(word.text))


def _images(document: Document) -> Iterator[tuple[str, Any]]:
    """The images a file starts from or runs, with ARG defaults put in."""
    if isinstance(document, Dockerfile):
        yield from ((image.name, image.where) for image in images_of(document) if image.named)
    elif isinstance(document, YamlFile):
        for entry in document.entries:
            named = entry.key.endswith(("image", "container")) or entry.path[-2:] == ("image", "repository")
            built = entry.path[-3:-1] == ("build", "args") and "image" in entry.key.lower()
            if (named or built) and "\n" not in entry.value:
                yield entry.value, entry.span
    elif isinstance(document, PythonFile):
        for call in document.nodes(ast.Call):
            for value in (*call.args, *(keyword.value for keyword in call.keywords)):
                text = document.string(value) or ""
                if _TAGGED.fullmatch(text):
                    yield text.removeprefix("docker:"), value
    for command in document.commands:
        if command.name in _ENGINES and command.texts[1:2] in (["run"], ["create"], ["pull"]):
            yield from ((word.text, word) for word in command.words[2:] if _IMAGE.fullmatch(word.text))


@rule(
    id="DOC-001",
    title="The container image is NVIDIA's",
    kinds=(*PYTHON_KINDS, Kind.DOCKERFILE, Kind.COMPOSE, Kind.YAML, Kind.ACTIONS, Kind.SHELL, Kind.MAKE),
    anchors=["nvidia", "nvcr", "pytorch", "tensorflow", "vllm", "~cuda", "~cu1"],
    python_anchors=["cuda ~nvidia/cuda:", "nvcr ~nvcr.io/nvidia/", "pytorch ~pytorch/pytorch:"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.ON_CPU,
        why="The image brings CUDA and a CUDA build of torch, and nothing of ROCm: what runs in it finds no GPU.",
        fix="Write a Dockerfile.rocm beside it that starts from a rocm/pytorch or rocm/dev image.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.ON_CPU,
        why="The image brings CUDA and a CUDA build of torch, and nothing for Gaudi: what runs in it finds no accelerator.",
        fix="Write a Dockerfile.hpu beside it that starts from an image of vault.habana.ai.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="FROM nvidia/cuda:12.4.1-devel-ubuntu22.04",
    source="https://github.com/volcengine/verl/pull/360",
    fix=FileFix(Kind.DOCKERFILE, "A Dockerfile for AMD beside it starts from AMD's image and installs AMD's packages."),
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for images of nvidia, nvcr.io and pytorch, and others with a CUDA version in their tag, that a Dockerfile
    starts from or copies from, a service uses, docker runs or Python code hands on. A file that has images for the target as
    well only informs, and so does an image that is only fetched, or started with NVIDIA's runtime, which is told there."""
    images = list(_images(document))
    theirs = _TARGET_IMAGE[context.target.name]
    ordered = {image for image, _ in _ordered(document)}
    both = not isinstance(document, PythonFile) and any(theirs.search(image) for image, _ in images)
    fix = _FIX.get(document.kind, _FIX_ELSEWHERE).format(_IMAGES[context.target.name])
    hits = (
        Hit(
            where,
            f"{image} is an image for NVIDIA GPUs"
            + (f"; the file has others for {context.target.title}" if both else ""),
            image,
            Severity.INFO if both or image in ordered else None,
            fix,
        )
        for image, where in images
        if CUDA_IMAGE.match(image) and not theirs.search(image) and not _CPU_IMAGE.search(image)
    )
    yield from by_side(document, once_each(document, hits))
