"""PKG-012: CUDA from the system's package manager or NVIDIA's installers."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Command, Document, Word
from rewarp.lang.kinds import COMMAND_KINDS
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import by_side
from rewarp.rules.shapes.images import in_cuda_image
from rewarp.rules.shapes.packaging import once_each
from rewarp.targets import Context

_MANAGERS = re.compile(r"apt(-get)?|aptitude|nala|dnf|microdnf|tdnf|yum|zypper|pacman|choco|winget|brew")
_VERBS = {"install", "-S", "-Sy", "-Syu", "add", "reinstall", "localinstall"}
_PACKAGE = re.compile(
    r"cuda([-_](toolkit|compiler|libraries|nvcc|cudart|command-line-tools|minimal-build|drivers?|keyring|runtime|nvrtc"
    r"|nvtx|cupti|compat|nsight|tools|sanitizer|nvprof|driver-dev|profiler-api|repo)[\w.-]*|[-_]\d[\w.-]*)?"
    r"|(lib)?cudnn[\w.-]*|lib(nccl|cublas|cublaslt|cufft|curand|cusolver|cusparse|cutensor|nvinfer|nvrtc|nvjitlink|nvjpeg"
    r"|npp)(\d+|\d*([-_]dev(el)?|-\d)[\w.-]*)|nvidia-(cuda|cudnn|driver|container|docker|utils|headless|open|fabricmanager)[\w.-]*"
    r"|nvidia-kernel[\w.-]*|tensorrt[\w.-]*|nsight-(systems|compute)[\w.-]*|datacenter-gpu-manager[\w.-]*"
)
_FETCHERS = ("wget", "curl", "aria2c", "rpm", "dpkg", "add-apt-repository", "yum-config-manager", "dnf")
_INSTALLER = re.compile(
    r"https?://(developer\.download\.nvidia\.com/compute|developer\.nvidia\.com/(compute|downloads)"
    r"|us\.download\.nvidia\.com/|nvidia\.github\.io/(libnvidia-container|nvidia-(docker|container-runtime)))\S*"
)
_RUN_FILE = re.compile(r"(\S*/)?cuda_\d[\w.]*_linux\S*\.run")


def _package(command: Command) -> Word | None:
    """The first of NVIDIA's packages that a package manager is told to install."""
    if not _MANAGERS.fullmatch(command.name) or not _VERBS & set(command.texts[1:]):
        return None
    return next((word for word in command.words[2:] if _PACKAGE.fullmatch(re.split("[=:]", word.text)[0])), None)


def _installer(command: Command) -> Word | None:
    """NVIDIA's installer or package source that a command fetches or runs."""
    if command.name in _FETCHERS:
        return next((word for word in command.words[1:] if _INSTALLER.search(word.text)), None)
    run = command.words[:2] if command.name in ("sh", "bash") else command.words[:1]
    return next((word for word in run if _RUN_FILE.fullmatch(word.text)), None)


@rule(
    id="PKG-012",
    title="CUDA is installed from NVIDIA's system packages",
    kinds=COMMAND_KINDS,
    anchors=["cuda*", "*cudnn", "nvidia*", "tensorrt*", "libnccl*", "nsight*", "libcu*", "libnv*", "libnpp*"],
    python_anchors=["apt", "nvidia ~download.nvidia.com", "dnf", "yum"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="The packages bring CUDA, its libraries or NVIDIA's driver, and nothing of ROCm; what is built or run "
        "afterwards does not find what it needs on an AMD machine.",
        fix="Install ROCm's packages there (rocm-hip-sdk, or miopen-hip and rccl for single libraries), or start from an "
        "image that has them.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.INFO,
        why="The packages bring CUDA, its libraries or NVIDIA's driver, and nothing for Gaudi.",
        fix="Install Gaudi's driver and software there, or start from an image of vault.habana.ai.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="apt-get install -y cuda-toolkit-12-4 libcudnn9-cuda-12",
    source="https://rocm.docs.amd.com/projects/install-on-linux/en/latest/",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for package managers that install CUDA, cuDNN, NCCL, TensorRT, NVIDIA's driver or container toolkit, and,
    where none does, for the first of NVIDIA's installers or package sources that is fetched."""

    def found() -> Iterator[Hit]:
        installed = [(word, word.text) for command in document.commands if (word := _package(command))]
        fetched = [(word, word.text) for command in document.commands if (word := _installer(command))]
        for word, text in installed or fetched[:1]:
            what = "is NVIDIA's" if installed else "is NVIDIA's installer or package source"
            there = in_cuda_image(document, word)
            after = ", like the image it is installed in" if there else ""
            yield Hit(word, f"{text} {what}{after}", text, Severity.INFO if there else None)

    yield from by_side(document, once_each(document, found()))
