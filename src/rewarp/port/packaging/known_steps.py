"""Whether every step of a Dockerfile is known to work on the image for AMD that it would start from.

What such an image holds is known from a table, with its source; a step that needs, removes or replaces anything else
cannot be told to work there, and then no Dockerfile is written."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator

from rewarp.lang.dockerfile import Dockerfile, Instruction
from rewarp.lang.requirements import requirement
from rewarp.port.packaging import images
from rewarp.port.packaging.shell_steps import is_left_out, steps_of
from rewarp.port.packaging.twins import TORCH

_PLAIN = frozenset(
    "cd mkdir echo export git chmod chown useradd groupadd usermod touch set true test tar unzip locale-gen "
    "ln npm yarn pnpm env printf cp mv ls cat python python3 pip pip3 uv apt apt-get wget curl huggingface-cli hf".split()
)
"""Programs whose steps mean the same on any image, as far as their arguments stay within the build."""
_NEEDS_PYTHON = frozenset("python python3 pip pip3 uv".split())
_OWN_FOLDERS = re.compile(
    r"(/var/lib/apt/lists|/var/cache/apt|/tmp|/root/\.cache|~/\.cache|/var/tmp)(/|$)|\$HOME/\.cache"
)
_OF_IMAGES = re.compile(r"^/(opt|usr|etc|lib|bin|root|home/\w+/(mini|ana)conda\w*)(/|$)")
_FOREIGN = re.compile(
    r"(?i)\bconda\b|/opt/conda|libcuda|\.deb\b|ppa:|apt-key|add-apt-repository|apt-mark|sources\.list"
)
_APT = re.compile(r"\bapt(?:-get)?\b[^&;|]*\binstall\b")
_PYTHON_PATH = re.compile(r"/usr/(?:local/)?bin/python[\d.]*")
_BUILT = re.compile(r"(?i)-cp\d+-\S*\.whl\b|[/+_.-](cu|cuda-?)\d{2,3}\S*\.(whl|tar\.gz)\b|/cuda-[\d.]+/\S*\.whl\b")


def unknown_steps(document: Dockerfile, image: str, brought: Iterable[str] = ()) -> Iterator[tuple[int, str]]:
    """The lines whose steps are not known to work on an image for AMD, each with the reason. ``brought``: packages that
    are installed before, besides what the image holds."""
    installed = {*images.holds(image), *brought}
    for item in document.instructions:
        why = _instruction(item, installed) or _gone(item, image)
        if why is not None:
            yield document.source.line_at(item.span.start), why


def _gone(item: Instruction, image: str) -> str | None:
    """A package that a step installs and that the image's release of Ubuntu does not have."""
    apt = _APT.search(item.value) if item.name == "RUN" else None
    words = item.value[apt.end() :].replace("\\", " ").split() if apt else []
    package = next((word for word in words if images.is_gone(word.partition("=")[0], image)), None)
    return f"Ubuntu {images.release(image)} has no {package}" if package else None


def _instruction(item: Instruction, installed: set[str]) -> str | None:
    if item.name in ("COPY", "ADD") and (source := re.search(r"--from=(\S+/\S+)", item.value)):
        return f"it copies from the image {source[1]}"
    if item.name == "SHELL" and "conda" in item.value:
        return "its steps run in a conda environment"
    if item.name != "RUN":
        return None
    if item.bodies:
        return "a here-document is not followed"
    body = re.sub(r"^(--\S+\s+)*", "", item.value)
    steps = steps_of(body) if not body.startswith("[") else None
    if steps is None:
        return "its commands cannot be told apart"
    return next((why for step in steps if not is_left_out(step) and (why := _step(step, installed))), None)


def _step(step: str, installed: set[str]) -> str | None:
    try:
        words = shlex.split(re.sub(r"\s*\|\|\s*true$", "", step))
    except ValueError:
        return "its quotes cannot be read"
    while words and re.fullmatch(r"\w+=\S*|sudo", words[0]):
        words.pop(0)
    if not words:
        return None
    program = words[0].rpartition("/")[2]
    if program == "rm":
        other = [word for word in words[1:] if not word.startswith("-") and not _is_own(word)]
        return f"the image for AMD may not hold {other[0]}, which it removes" if other else None
    if program not in _PLAIN:
        return f"what `{program}` does on an image for AMD is not known"
    if found := _FOREIGN.search(step):
        return f"{found[0]} is not what an image for AMD is set up with"
    if program in ("apt", "apt-get"):
        installed.update(word for word in words if word.startswith("python3"))
        if "python3-pip" in words:
            installed.update(("pip", "pip3"))
        return None
    if program in _NEEDS_PYTHON and not {program, "python3"} & installed:
        return f"the image has no {program}"
    if "uninstall" in words:
        return "what it uninstalls is what the image brings"
    if "install" in words:
        for word in words[words.index("install") + 1 :]:
            if _BUILT.search(word):
                return f"{word.rpartition('/')[2]} was built for another Python, or for CUDA"
            item = requirement(word, None) if not word.startswith("-") else None
            if item is not None and item.name in TORCH and item.name not in installed:
                return f"the image is not known to hold {item.name} for ROCm"
    if program == "ln" and all(_PYTHON_PATH.fullmatch(word) for word in words[1:] if not word.startswith("-")):
        return None if "python3" in " ".join(installed) else "the image has no python3"
    if program in ("cp", "mv", "ln", "chmod", "chown"):
        other = [word for word in words[1:] if _OF_IMAGES.match(word)]
        return f"it changes {other[0]} of another image" if other else None
    return None


def _is_own(path: str) -> bool:
    return bool(_OWN_FOLDERS.search(path)) or not (path.startswith(("/", "~", "$")))
