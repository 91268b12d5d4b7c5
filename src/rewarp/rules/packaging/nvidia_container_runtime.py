"""DOC-002: GPUs given to a container the NVIDIA way."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Command, Document, Word
from rewarp.lang.kinds import Kind
from rewarp.lang.yaml import YamlFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import by_side
from rewarp.rules.packaging._shapes import COMMAND_KINDS
from rewarp.targets import Context

_ENGINES = ("docker", "podman", "nerdctl", "nvidia-docker")
_YAML_KEYS = {"runtime", "driver", "runtimeClassName"}


def _gpu_option(command: Command) -> Word | None:
    if command.name == "nvidia-docker":
        return command.words[0]
    if not {"run", "create"} & set(command.texts[1:4]):
        return None
    for word, following in zip(command.words, [*command.texts[1:], ""]):
        if word.text == "--gpus" or word.text.startswith(("--gpus=", "--runtime=nvidia", "--device=nvidia.com/gpu")):
            return word
        if word.text in ("--runtime", "--device") and following.startswith("nvidia"):
            return word
    return None


@rule(
    id="DOC-002",
    title="A container gets its GPU from NVIDIA's runtime",
    kinds=COMMAND_KINDS,
    anchors=["gpus", "nvidia"],
    python_anchors=["docker", "podman", "nerdctl"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="AMD GPUs reach a container as devices, not through NVIDIA's runtime. Only Docker 29.3 and later with AMD's "
        "container toolkit understands --gpus.",
        fix="Use --device /dev/kfd --device /dev/dri --group-add video, in a second compose file where it is one.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="Gaudi devices reach a container through Habana's runtime, not NVIDIA's.",
        fix="Use --runtime=habana -e HABANA_VISIBLE_DEVICES=all.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="docker run --gpus all -it image",
    versions="Docker 29.3 and later accepts --gpus for AMD with the AMD container toolkit",
    source="https://instinct.docs.amd.com/projects/container-toolkit/en/latest/container-runtime/running-workloads.html",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for docker run with --gpus or the nvidia runtime, and for runtime: nvidia and driver: nvidia in compose
    files and manifests."""

    def found() -> Iterator[Hit]:
        for command in document.commands:
            option = _gpu_option(command) if command.name in _ENGINES else None
            if option:
                yield Hit(option, f"{command.name} is asked for {option.text}, which is NVIDIA's way", option.text)
        if isinstance(document, YamlFile) and document.kind is not Kind.ACTIONS:
            for entry in document.entries:
                if entry.key in _YAML_KEYS and entry.value == "nvidia":
                    yield Hit(entry.span, f"{entry.key} is nvidia", f"{entry.key}: nvidia")

    yield from by_side(document, found())
