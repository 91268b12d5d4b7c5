"""The steps of a RUN instruction as an AMD image needs them. What is left out is said in a comment above."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from rewarp.port.packaging.twins import for_rocm_text, is_cuda_index

Names = Callable[[str], str]
"""From a requirements file, as a command names it, to the one for AMD."""
_NVIDIA_PACKAGE = re.compile(
    r"(?i)(cuda|libcu(da|blas|dnn|fft|rand|sparse|solver|file)|libnccl|libnv|nvidia|cudnn|tensorrt|libnpp|nsight)[\w.+:=*-]*"
)
_NVIDIA_TOOL = re.compile(r"(?:\S{0,400}/)?(nvcc|nvidia-smi|nsys|ncu|compute-sanitizer|nvidia-ctk)\b")
_NVIDIA_SITE = re.compile(r"(?i)developer\.download\.nvidia|nvidia\.github\.io|cuda-keyring|cuda-repo")
_CUDA_FOLDER = re.compile(r"/usr/local/cuda(?:-[\d.]+)?(?![\w-])(/lib)?(?:64)?")
_APT = re.compile(r"(sudo )?(apt|apt-get|yum|dnf|apk)\b.*\b(install|add)\b")
_PIP = re.compile(r"((\S*python[\d.]*) -m )?(uv )?(\S*/)?pip[\d.]* (?P<verb>install|sync)\b")
_VENV = re.compile(r"(?:\S*python[\d.]* -m venv|uv venv|virtualenv)((?: -\S+)*)(?: ([\w./-]+))?")
_ACTIVATE = re.compile(r"(?:\.|source) \S+/bin/activate")
_HEAD = re.compile(r"\s*RUN\s+(?P<flags>(?:--\S+\s+)*)", re.I)


def translate_run(written: str, value: str, names: Names, environments: set[str] | None) -> str:
    """The instruction for AMD: as it is written where nothing in it is NVIDIA's. ``environments`` gathers folders of
    virtual environments that are not made; None where they are."""
    head = _HEAD.match(written)
    body = re.sub(r"^(--\S+\s+)*", "", value)
    if head is None or body.startswith("["):
        return written
    steps = steps_of(body)
    if steps is None:
        touched = _NVIDIA_TOOL.search(body) or _NVIDIA_SITE.search(body)
        return _commented(written, "it cannot be told apart what of this is NVIDIA's") if touched else written
    kept: list[str] = []
    gone: list[str] = []
    for step in steps:
        new, why = _step(step, names, environments)
        gone += why
        if new:
            kept.append(new)
    kept = [without_environments(step, environments or set()) for step in kept]
    if kept == steps:
        return written
    told = "".join(f"# Not for AMD: {reason}\n" for reason in dict.fromkeys(gone))
    return told + ("RUN " + head["flags"] + " \\\n    && ".join(kept) + "\n" if kept else "")


def is_left_out(step: str) -> bool:
    """Whether a command only asks NVIDIA's tools something, or makes an environment that is not made for AMD."""
    return bool(_NVIDIA_TOOL.match(step) or _VENV.fullmatch(step) or _ACTIVATE.fullmatch(step))


def without_environments(text: str, environments: set[str]) -> str:
    """Without the folders of environments that are not made: programs are found by PATH."""
    for folder in environments:
        text = re.sub(rf"(?<![\w./]){re.escape(folder)}/bin[/:]", "", text)
    return text


def in_rocm(text: str) -> str:
    """Paths into CUDA's folder as paths into ROCm's."""
    return _CUDA_FOLDER.sub(lambda match: f"/opt/rocm{match[1] or ''}", text)


def _commented(written: str, why: str) -> str:
    return f"# Left out: {why}.\n" + "".join(f"# {line}\n" for line in written.rstrip("\n").split("\n"))


def steps_of(body: str) -> list[str] | None:
    """The commands joined by &&; None where quotes or other joints make that uncertain."""
    parts = [" ".join(part.split()) for part in re.split(r"\s*&&\s*|\s*;\s*(?!;)", body)]
    joints = re.findall(r"&&|;", body)
    if any(joint == ";" for joint in joints) and not body.startswith("set -"):
        return [" ".join(body.split())] if ";" not in re.sub(r"'[^']*'|\"[^\"]*\"", "", body) else None
    try:
        for part in parts:
            shlex.split(part)
    except ValueError:
        return None
    return None if re.search(r"\b(if|for|while|case)\b .*;", body) else [part for part in parts if part]


def _step(step: str, names: Names, environments: set[str] | None) -> tuple[str | None, list[str]]:
    """One command for AMD, and what of it is left out."""
    if _NVIDIA_SITE.search(step):
        return None, [step]
    if _NVIDIA_TOOL.match(step):
        return None, [step]
    if _APT.match(step):
        return _without_nvidia_packages(step)
    if pip := _PIP.match(step):
        return _pip(step, pip.end(), names, files=pip["verb"] == "sync")
    if environments is not None and (match := _VENV.fullmatch(step)):
        environments.add(match[2] or ".venv")
        return None, [f"{step}: a new environment would hide the image's torch"]
    if environments and _ACTIVATE.fullmatch(step):
        return None, []
    return in_rocm(step), []


def _without_nvidia_packages(step: str) -> tuple[str | None, list[str]]:
    words = step.split(" ")
    gone = [word for word in words if _NVIDIA_PACKAGE.fullmatch(word)]
    kept = [word for word in words if word not in gone]
    packages = [
        word for word in kept[kept.index("install") + 1 if "install" in kept else 2 :] if not word.startswith("-")
    ]
    return (" ".join(kept) if packages else None), ([f"{' '.join(gone)} (the ROCm image has AMD's)"] if gone else [])


def _pip(step: str, at: int, names: Names, files: bool) -> tuple[str | None, list[str]]:
    """``files``: what is named are files of requirements, not packages."""
    words = step[at:].split()
    kept: list[str] = []
    gone: list[str] = []
    installs = False
    while words:
        word = words.pop(0)
        option, equals, value = word.partition("=")
        if option in ("--index-url", "--extra-index-url", "-i", "-f", "--find-links"):
            url = value if equals else (words.pop(0) if words else "")
            kept += [] if is_cuda_index(url) else [option, url]
        elif option in ("-r", "--requirement", "-c", "--constraint"):
            name = value if equals else (words.pop(0) if words else "")
            kept += [option, names(name)]
            installs = True
        elif word.startswith(("-", "$", '"$', "'$")):
            kept.append(word)
            installs = installs or "$" in word
        elif files:
            kept.append(names(word))
            installs = True
        else:
            plain = word.strip("\"'")
            found = for_rocm_text(plain)
            if found.text != plain:
                gone.append(f"{plain}: {found.why}")
            kept += [word if found.text == plain else f'"{found.text}"'] if found.text else []
            installs = installs or bool(found.text)
    new = f"{step[:at]} {' '.join(kept)}".strip()
    return (new if installs else None), gone
