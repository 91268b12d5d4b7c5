"""SH-003: a Slurm job asks for an NVIDIA card."""

import re
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.shell import ShellFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import by_side
from rewarp.source import Span
from rewarp.targets import Context

_DIRECTIVE = re.compile(rb"^#SBATCH[ \t]+([^\r\n]*)", re.M)
_OPTION = re.compile(
    r"(--gres|--gpus|-G|--gpus-per-node|--gpus-per-task|--gpus-per-socket|--constraint|-C)(?:=|\s+|$)(\S*)"
)
_CARD = re.compile(
    r"(?i)(?<![a-z0-9])(nvidia[_-]?)?(a100|a10g?|a30|a40|a6000|h100|h200|gh200|b200|gb200|v100s?|p100|k80|t4|l4|l40s?"
    r"|rtx[_-]?\w+|gtx[_-]?\w+|titan\w*|quadro\w*|tesla\w*|ampere|hopper|volta)(?![a-z0-9])"
)
_SUBMITTERS = ("srun", "sbatch", "salloc")


def _options(document: ShellFile) -> Iterator[tuple[str, str, Span]]:
    """Every option that shapes a job: name, value, place."""
    for directive in _DIRECTIVE.finditer(document.source.view):
        text = directive[1].decode("utf-8", "replace").split(" #")[0]
        for option in _OPTION.finditer(text):
            start = directive.start(1) + len(text[: option.start()].encode())
            yield option[1], option[2], Span(start, start + len(option[0].encode()))
    for command in document.commands:
        if command.name in _SUBMITTERS:
            for word, following in zip(command.words, [*command.texts[1:], ""]):
                text = word.text if "=" in word.text else f"{word.text} {following}"
                found = _OPTION.fullmatch(text)
                if found:
                    yield found[1], found[2], document.span(word)


@rule(
    id="SH-003",
    title="A Slurm job asks for an NVIDIA card",
    kinds=Kind.SHELL,
    anchors=["SBATCH", *_SUBMITTERS],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="The type in a gres or constraint is the site's name for a card, so the job is never scheduled on AMD nodes. "
        "With a GPU count for each task Slurm sets ROCR_VISIBLE_DEVICES on AMD, which then masks twice together with "
        "CUDA_VISIBLE_DEVICES.",
        fix="Use the site's name for the AMD card (or none), and let the script leave CUDA_VISIBLE_DEVICES alone where "
        "Slurm hands out the GPUs.",
        effort=Effort.MINUTES,
    ),
    example="#SBATCH --gres=gpu:a100:4",
    source="https://github.com/volcengine/verl/pull/1465",
)
def match(document: ShellFile, context: Context) -> Iterator[Hit]:
    """Looks for Slurm options that name an NVIDIA card, in #SBATCH lines and in srun, sbatch and salloc commands, and
    for --gpus-per-task in a script that uses CUDA_VISIBLE_DEVICES."""
    used = {item.name for item in document.env_sets} | {item.name for item in document.env_reads}

    def found() -> Iterator[Hit]:
        for name, value, span in _options(document):
            card = _CARD.search(value)
            if card:
                yield Hit(span, f"{name} asks for {card[0]}", card[0])
            elif name == "--gpus-per-task" and "CUDA_VISIBLE_DEVICES" in used:
                message = "Slurm hands out GPUs by task, and the script uses CUDA_VISIBLE_DEVICES as well"
                yield Hit(span, message, name)

    yield from by_side(document, found())
