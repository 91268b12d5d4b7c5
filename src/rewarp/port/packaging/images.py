"""The images for AMD to start from: which there are, what they hold, and what their release of Ubuntu has no more."""

from __future__ import annotations

import re
from functools import lru_cache

import packaging.requirements

from rewarp.lang.document import Requirement
from rewarp.tables import rows

RELEASES = ("22.04", "24.04")
_PREFERRED = "22.04"
"""Ubuntu's own pip installs for everybody there; from 24.04 on it refuses."""
_WITH_TORCH = re.compile(r"(?i)pytorch|torch")
_UBUNTU = re.compile(r"ubuntu-?(\d\d\.04)")


_OF_IMAGE = {"torch": "2.6.0", "torchvision": "0.21.0", "triton": "3.2.0"}
"""What the images with torch bring, of which pip must not take another."""
_MARKED_OFF = re.compile(
    r"(?:platform_system|sys_platform)\s*(?:==\s*['\"](?:Windows|Darwin|win32|darwin)|!=\s*['\"](?:Linux|linux))"
)


def pinned_against_image(item: Requirement) -> str | None:
    """Why a requirement contradicts what the image with torch holds; None where it does not."""
    asked, _, marker = item.text.partition(";")
    if _MARKED_OFF.search(marker):
        return None
    if item.name.startswith("nvidia-") and re.search(r"-cu\d\d$", item.name):
        return "it is a part of CUDA, of which an image for AMD has no use"
    held = _OF_IMAGE.get(item.name)
    if held is None:
        return None
    try:
        wanted = packaging.requirements.Requirement(asked.strip())
    except packaging.requirements.InvalidRequirement:
        return None
    if wanted.url is not None or not wanted.specifier.contains(held, prereleases=True):
        return f"the image for AMD brings {item.name} {held}"
    return None


def rocm_image(image: str, torch: bool, release: str | None = None) -> str:
    """The image for AMD in place of one of NVIDIA's, with the version that was looked at. ``release``: of Ubuntu, where it is
    not the one that the image's name says."""
    wanted = release or _release_of(image)
    name = "rocm/pytorch" if torch or _WITH_TORCH.search(image) else f"rocm/dev-ubuntu-{wanted}"
    return f"{name}:{_tags()[name, wanted]}"


def _release_of(image: str) -> str:
    ubuntu = _UBUNTU.search(image)
    if ubuntu is None and _WITH_TORCH.search(image):
        return RELEASES[-1]
    return ubuntu[1] if ubuntu and ubuntu[1] in RELEASES else _PREFERRED


@lru_cache
def _tags() -> dict[tuple[str, str], str]:
    return {(row["image"], row["ubuntu"]): row["tag"] for row in rows("base_images.csv")}


@lru_cache
def _held() -> dict[str, tuple[str, frozenset[str]]]:
    found = rows("base_images.csv")
    return {f"{row['image']}:{row['tag']}": (row["ubuntu"], frozenset(row["holds"].split())) for row in found}


def holds(image: str) -> frozenset[str]:
    return _held()[image][1]


@lru_cache
def _gone() -> dict[str, str]:
    return {row["package"]: row["gone_in"] for row in rows("ubuntu_packages.csv")}


def is_gone(package: str, image: str) -> bool:
    """Whether the image's Ubuntu has a package no more that older ones have."""
    since = _gone().get(package)
    return since is not None and _held()[image][0] >= since


def release(image: str) -> str:
    return _held()[image][0]
