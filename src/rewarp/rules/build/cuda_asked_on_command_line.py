"""BLD-023: a build that is told to use CUDA."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Command, Document, Word
from rewarp.lang.kinds import COMMAND_KINDS
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules._files import by_side
from rewarp.targets import Context

_CMAKE = re.compile(
    r"-D(?:\w*_)?(?:CUDA|CUDNN|CUBLAS|NCCL|TENSORRT)(?:_(?:BACKEND|SUPPORT|ENABLED?))?(?::\w+)?=(?P<value>.*)"
)
_ARCHITECTURES = re.compile(r"-D(?:\w*_)?CUDA_ARCH\w*(?::\w+)?=.*")
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")
_OFF = re.compile(r"(?i)|off|0|no|false|n|none")
_FEATURES = re.compile(r"(?:[\w-]+/)?(?:[\w]+-)?(?:cuda|cudnn|nccl|cublas)(?:-[\w-]+)?")
_CARGO_OPTIONS = ("--features", "-F")


def _filled(command: Command, values: dict[str, str]) -> Command:
    """The command with variables put in whose values the file tells."""
    words = (word._replace(text=_VARIABLE.sub(lambda m: values.get(m[1], m[0]), word.text)) for word in command.words)
    return command._replace(words=tuple(words))


def _asking_word(command: Command) -> Word | None:
    """The word by which a command asks a build for CUDA, or names architectures for it."""
    if command.name == "cmake":
        for word in command.words[1:]:
            option = _CMAKE.fullmatch(word.text)
            if option and not _OFF.fullmatch(option["value"]):
                return word
        return next((word for word in command.words[1:] if _ARCHITECTURES.fullmatch(word.text)), None)
    if command.name == "cargo" or command.texts[:2] == ["maturin", "build"]:
        for word, following in zip(command.words, [*command.words[1:], None]):
            name, equals, value = word.text.partition("=")
            if name in _CARGO_OPTIONS:
                listed = value if equals else following.text if following else ""
                if any(_FEATURES.fullmatch(feature) for feature in re.split("[ ,]", listed)):
                    return word if equals else following
    return None


@rule(
    id="BLD-023",
    title="A build is told to use CUDA",
    kinds=COMMAND_KINDS,
    anchors=["cmake ~CUDA", "cmake ~CUDNN", "cargo ~cuda", "maturin ~cuda", "cargo ~cudnn", "cargo ~nccl"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="The option makes the build look for the CUDA toolkit, which an AMD machine does not have.",
        fix="Give the command a branch for AMD with the project's option for HIP or ROCm (once it has one).",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.BUILD,
        why="The option makes the build look for the CUDA toolkit, which a Gaudi machine does not have.",
        fix="Leave the option out on Gaudi.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="cmake -B build -DWITH_CUDA=ON",
    source="https://cmake.org/cmake/help/latest/module/FindCUDAToolkit.html",
    traits=[Trait.BUILDS_FOR_CUDA],
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for cmake with an option for CUDA that is not off (one that only names
    architectures informs), and for cargo with a feature for CUDA."""
    values = {item.name: item.value for item in document.env_sets if item.value}
    words = [word for command in document.commands if (word := _asking_word(_filled(command, values)))]
    yield from by_side(document, (_hit(word) for word in words))


def _hit(word: Word) -> Hit:
    if _ARCHITECTURES.fullmatch(word.text):
        return Hit(word, f"{word.text} names NVIDIA's architectures", "CUDA build", Severity.INFO)
    return Hit(word, f"{word.text} asks for CUDA", "CUDA build")
