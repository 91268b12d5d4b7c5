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
from rewarp.rules.packaging._shapes import once_each
from rewarp.targets import Context

_CUDA_IMAGE = re.compile(
    r"(?:docker\.io/)?nvidia/(?:cuda|cudagl|pytorch|tensorrt|tritonserver)\b|nvcr\.io/|(?:docker\.io/)?pytorch/pytorch\b"
    r"|pytorch/manylinux\w*-builder:cuda|pytorch/conda-cuda|(?:docker\.io/)?vllm/vllm-openai\b"
    r"|(?:docker\.io/)?tensorflow/tensorflow:[\w.-]*gpu|\S{1,400}[:-][\w.-]{0,200}(?:cuda\d|cu1[1-3]\d)"
)
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
_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::?[-+]([^}]{0,400}))?\}|(\w+))")


def _expanded(text: str, values: dict[str, str]) -> str:
    for _ in range(4):
        expanded = _VARIABLE.sub(lambda m: values.get(m[1] or m[3]) or m[2] or "", text)
        if expanded == text:
            break
        text = expanded
    return text


def _images(document: Document) -> Iterator[tuple[str, Any]]:
    """The images a file starts from or runs, with ARG defaults put in."""
    if isinstance(document, Dockerfile):
        values: dict[str, str] = {}
        stages: set[str] = set()
        for item in document.instructions:
            if item.name == "ARG":
                name, _, value = item.value.partition("=")
                values.setdefault(name.strip(), value.strip().strip("\"'"))
            elif item.name == "FROM":
                words = [word for word in item.value.split() if not word.startswith("--")]
                image = _expanded(words[0], values) if words else ""
                if image and image.lower() not in stages:
                    yield image, item.span
                if len(words) > 2 and words[1].lower() == "as":
                    stages.add(words[2].lower())
            elif item.name == "COPY":
                source = re.search(r"--from=(\S+)", item.value)
                if source and source[1].lower() not in stages:
                    yield _expanded(source[1], values), item.span
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
    anchors=["nvidia", "nvcr", "pytorch", "vllm", "~cuda", "~cu1"],
    python_anchors=["cuda ~nvidia/cuda:", "nvcr ~nvcr.io/nvidia/", "pytorch ~pytorch/pytorch:"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="The image brings CUDA and a CUDA build of torch, and nothing of ROCm.",
        fix="Write a Dockerfile.rocm beside it that starts from a rocm/pytorch or rocm/dev image.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="The image brings CUDA and a CUDA build of torch, and nothing for Gaudi.",
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
    well only informs."""
    images = list(_images(document))
    theirs = _TARGET_IMAGE[context.target.name]
    both = not isinstance(document, PythonFile) and any(theirs.search(image) for image, _ in images)
    fix = _FIX.get(document.kind, _FIX_ELSEWHERE).format(_IMAGES[context.target.name])
    hits = (
        Hit(
            where,
            f"{image} is an image for NVIDIA GPUs"
            + (f"; the file has others for {context.target.title}" if both else ""),
            image,
            Severity.INFO if both else None,
            fix,
        )
        for image, where in images
        if _CUDA_IMAGE.match(image) and not theirs.search(image) and not _CPU_IMAGE.search(image)
    )
    yield from by_side(document, once_each(document, hits))
