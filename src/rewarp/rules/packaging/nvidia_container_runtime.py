"""DOC-002: GPUs given to a container the NVIDIA way."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import FileFix
from rewarp.lang.document import Command, Document, Word
from rewarp.lang.kinds import COMMAND_KINDS, Kind
from rewarp.lang.shell import ShellFile
from rewarp.lang.yaml import YamlFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import by_side
from rewarp.targets import Context

_ENGINES = ("docker", "podman", "nerdctl", "nvidia-docker")
_YAML_KEYS = {"runtime", "driver", "runtimeClassName"}
_OPTION = re.compile(r"(?:^|\s)--(?:gpus(?=[\s=])|runtime[= ]nvidia\b)")
_ENGINE_CALLED = re.compile(rb"\b(?:docker|podman|nerdctl)\b")


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


def _in_yaml(document: YamlFile) -> Iterator[Hit]:
    with_driver = {entry.path[:-1] for entry in document.entries if entry.key == "driver"}
    for entry in document.entries:
        if document.kind is Kind.ACTIONS:
            if entry.key == "options" and _OPTION.search(entry.value):
                yield Hit(entry.span, f"the job's container is started with {entry.value}", "--gpus")
        elif entry.key in _YAML_KEYS and entry.value == "nvidia":
            yield Hit(entry.span, f"{entry.key} is nvidia", f"{entry.key}: nvidia")
        elif document.kind is Kind.COMPOSE and "services" in entry.path:
            if entry.key == "gpus" and entry.value:
                yield Hit(entry.span, f"gpus: {entry.value} asks NVIDIA's runtime", "gpus")
            elif entry.path[-2:] == ("devices", "capabilities") and entry.value == "gpu":
                if entry.path[:-1] not in with_driver:  # without a driver Docker takes NVIDIA's
                    yield Hit(entry.span, "a device with the capability gpu comes from NVIDIA's runtime", "gpu")


@rule(
    id="DOC-002",
    title="A container gets its GPU from NVIDIA's runtime",
    kinds=COMMAND_KINDS,
    anchors=["gpus", "nvidia", "capabilities gpu"],
    python_anchors=["docker", "podman", "nerdctl"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="AMD GPUs reach a container as devices, not through NVIDIA's runtime. Only Docker 29.3 and later with AMD's "
        "container toolkit understands --gpus.",
        fix="Use --device /dev/kfd --device /dev/dri --group-add video, in a second compose file where it is one.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="Gaudi devices reach a container through Habana's runtime, not NVIDIA's.",
        fix="Use --runtime=habana -e HABANA_VISIBLE_DEVICES=all.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="docker run --gpus all -it image",
    versions="Docker 29.3 and later accepts --gpus for AMD with the AMD container toolkit",
    source="https://instinct.docs.amd.com/projects/container-toolkit/en/latest/container-runtime/running-workloads.html",
    fix=FileFix(
        Kind.COMPOSE,
        "A compose file that is laid over it gives the services AMD's devices in place of NVIDIA's runtime.",
    ),
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for docker run with --gpus or the nvidia runtime, for variables that hold such options, and for runtime:
    nvidia, driver: nvidia and gpus in compose files, manifests and workflows."""

    def found() -> Iterator[Hit]:
        for command in document.commands:
            option = _gpu_option(command) if command.name in _ENGINES else None
            if option:
                wrapper = command.name == option.text
                message = f"{command.name} is asked for {option.text}, which is NVIDIA's way"
                yield Hit(
                    option, "nvidia-docker starts containers with NVIDIA's runtime" if wrapper else message, option.text
                )
        if isinstance(document, ShellFile) and _ENGINE_CALLED.search(document.source.view):
            for item in document.env_sets:
                held = _OPTION.search(item.value or "")
                if held:
                    yield Hit(item, f"{item.name} holds {held[0].strip()} for a container", held[0].strip())
        if isinstance(document, YamlFile):
            yield from _in_yaml(document)

    yield from by_side(document, found())
