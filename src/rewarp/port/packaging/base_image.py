"""The base image of a Dockerfile for AMD: one on which every step is known to work."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from rewarp.lang.dockerfile import Dockerfile, Instruction
from rewarp.lang.document import Requirement
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.lang.requirements import RequirementsFile
from rewarp.port.packaging import ubuntu_python
from rewarp.port.packaging.images import RELEASES, rocm_image
from rewarp.port.packaging.known_steps import unknown_steps
from rewarp.port.tree import Tree
from rewarp.source import SourceFile

NVIDIA_IMAGE = re.compile(r"(?i)(^|/)nvidia/|nvcr\.io|cuda|[-:]cu\d{2,3}\b")
OWN_PYTHON = re.compile(
    rb"python3\.\d+(?:-(?:dev|venv|distutils|minimal|full))?(?=[\s;&\\]|$)|get-pip\.py|(?i:miniconda|miniforge|mambaforge|anaconda)"
    rb"|deadsnakes|\bpyenv\b|uv python install|ln -s\w* \S*/python3?\S* |\bconda (?:create|install)\b"
)
"""Signs that a Dockerfile sets up a Python of its own, which does not have the image's torch."""


@dataclass(frozen=True)
class BaseImage:
    """The image for AMD that a Dockerfile starts from."""

    torch: bool
    """Whether the image is to bring torch."""
    release: str | None = None
    """Of Ubuntu, where it is not the one that the name of NVIDIA's image says."""
    packages: tuple[str, ...] = ()
    """What pip installs from PyTorch's index, where the image has Ubuntu's own Python."""
    before: Instruction | None = None
    """The step ahead of which it does."""
    pip: str = ""

    @staticmethod
    def of(document: Dockerfile, tree: Tree, torch: bool) -> BaseImage:
        """The first image on which every step is known to work; else the usual one."""
        text = document.source.data
        usual = BaseImage(torch)
        images = [usual, *(BaseImage(torch, release) for release in RELEASES)]
        if torch and OWN_PYTHON.search(text):
            packages = ubuntu_python.wanted(_asked_of_torch(document, tree))
            step = ubuntu_python.first_install(document)
            images = []
            if step is not None and not isinstance(packages, str):
                images = [
                    BaseImage(False, release, tuple(packages), *step)
                    for release in RELEASES
                    if ubuntu_python.is_ubuntus(text, release)
                ]
        return next((image for image in images if image.unknown_step(document) is None), images[0] if images else usual)

    def image(self, image: str) -> str:
        return rocm_image(image, self.torch, self.release)

    def unknown_step(self, document: Dockerfile) -> tuple[int, str] | None:
        """The first step that is not known to work there."""
        images = [item.value.split()[0] for item in document.instructions if item.name == "FROM" and item.value]
        first = next((image for image in images if NVIDIA_IMAGE.search(image)), "")
        return next(unknown_steps(document, self.image(first), self.packages), None)

    def install(self) -> str:
        listed = " ".join(self.packages)
        return f"# torch for ROCm is on PyTorch's own index.\nRUN {self.pip} install {listed} --index-url {ubuntu_python.INDEX}\n"


def _asked_of_torch(document: Dockerfile, tree: Tree) -> Iterator[Requirement]:
    """What a Dockerfile has pip install: from the lists that it names, and by its own words."""
    path, text = document.source.path, document.source.data
    for name in tree.paths():
        if kind_of_path(name) is Kind.REQUIREMENTS and names_list(text, path, name, tree):
            yield from RequirementsFile(SourceFile(name, tree.read(name) or b""), Kind.REQUIREMENTS).requirements
    yield from document.requirements


def names_list(text: bytes, path: str, name: str, tree: Tree) -> bool:
    """Whether a Dockerfile speaks of a list: of that one, where several have its name."""
    base = posixpath.basename(name)
    words = re.findall(rb"[\w./-]*" + re.escape(os.fsencode(base)) + rb"(?![\w.-])", text)
    for word in words:
        written = posixpath.normpath(os.fsdecode(word)).lstrip("/")
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), written))
        exact = [known for known in (beside, written) if known in tree]
        if name in exact or (not exact and (written.endswith(f"/{name}") or base == written)):
            return True
    return False
