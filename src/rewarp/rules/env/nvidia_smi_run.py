"""SH-001: ``nvidia-smi`` is run."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.lang.kinds import COMMAND_KINDS, Kind
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import by_side
from rewarp.rules.shapes.env import goes_on_without, runs
from rewarp.targets import Context

_ASKED = re.compile(
    rb"!\s*(?:command\s+-v|which|type|hash)\s+(?:-\w+\s+)?nvidia-smi\b[^\n]*(?:\n(?![ \t]*fi\b)[^\n]*){0,4}?\b(\w+)=[\"']?(?:false|no|0)\b"
)
"""A script that notes in a variable that the program is not there."""
_TWIN = {"rocm": "amd-smi", "gaudi": "hl-smi"}


@rule(
    id="SH-001",
    title="nvidia-smi is run",
    kinds=COMMAND_KINDS,
    anchors=["nvidia smi"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.CRASH,
        why="nvidia-smi comes with NVIDIA's driver. On an AMD machine the command is not found: FileNotFoundError in "
        "Python, status 127 and an empty answer in a shell.",
        fix="Keep it for NVIDIA and ask amd-smi (older systems: rocm-smi) on ROCm, or ask torch where it can answer.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="nvidia-smi comes with NVIDIA's driver; the tool for Gaudi is hl-smi.",
        fix="Keep it for NVIDIA and ask hl-smi on Gaudi.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='subprocess.check_output(["nvidia-smi", "-L"])',
    source="https://github.com/bghira/SimpleTuner/commit/6327b2c10",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for nvidia-smi being run, in shell code or from Python. Where the code expects that it may be missing (a
    test, a try, || after it) it only informs."""

    def found() -> Iterator[Hit]:
        for command in document.commands:
            word = runs(command, "nvidia-smi", "nvidia-smi.exe")
            if not word:
                continue
            if goes_on_without(document, command) or _asks_first(document, document.span(command).start):
                message = (
                    f"nvidia-smi is tried; without it the code goes on, but never asks {_TWIN[context.target.name]}"
                )
                yield Hit(word, message, "nvidia-smi", Severity.INFO)
            else:
                yield Hit(word, f"nvidia-smi is run, and {context.target.title} has no such program", "nvidia-smi")

    yield from by_side(document, found())


def _asks_first(document: Document, at: int) -> bool:
    """Whether a place stands under a condition on a variable that the script unsets where it does not find the program."""
    before = document.source.view[:at] if document.kind is Kind.SHELL else b""
    for asked in _ASKED.finditer(before):
        tested = re.compile(rb"(?m)^[ \t]*(?:el)?if\b[^\n]*\$\{?%s\b(?:(?!^[ \t]*fi\b)[\s\S])*\Z" % asked[1])
        if tested.search(before, asked.end()):
            return True
    return False
