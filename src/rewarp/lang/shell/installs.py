"""What `pip install` and its like ask for."""

from __future__ import annotations

import re

from rewarp.lang.document import Command, Requirement, Word
from rewarp.lang.requirements import requirement

_PIP_VALUE_OPTIONS = {
    *("-r", "-c", "-e", "-f", "-i", "-t", "-p", "--requirement", "--constraint", "--find-links", "--index-url"),
    *("--extra-index-url", "--target", "--prefix", "--root", "--platform", "--python-version", "--index", "--python"),
    *("--abi", "--implementation", "--cache-dir", "--trusted-host", "--progress-bar", "--config-settings", "--src"),
    *(
        "--group",
        "--extra",
        "--override",
        "--editable",
        "--torch-backend",
        "--log",
        "--proxy",
        "--timeout",
        "--retries",
    ),
    *("--report", "--global-option", "--only-binary", "--no-binary", "--upgrade-strategy", "--index-strategy"),
}
_PIP = re.compile(r"pip[\d.]*|pipenv")
_INSTALLERS = re.compile(
    r"pip[\d.]*|pipenv|python[\d.]*(\.exe)?|py|uv|poetry|pdm|conda|mamba|micromamba|docker|podman|srun|ssh|[${].*"
)


def install_words(command: Command) -> tuple[Word, ...]:
    """What stands after the verb of ``pip install``, ``uv pip install``, ``uv add``, ``poetry add``."""
    texts = command.texts
    if not _INSTALLERS.fullmatch(command.name):
        return ()
    for at, text in enumerate(texts[:8]):
        if text == "install" and any(_PIP.fullmatch(t.rpartition("/")[2]) for t in texts[:at]):
            return command.words[at + 1 :]
        if text == "add" and at and texts[at - 1].rpartition("/")[2] in ("uv", "poetry", "pdm"):
            return command.words[at + 1 :]
    return ()


def pip_requirements(commands: list[Command]) -> list[Requirement]:
    """What the ``pip install`` (and ``uv pip install``, ``uv add``) commands among these ask for."""
    found: list[Requirement] = []
    for command in commands:
        takes_value = False
        for word in install_words(command):
            if takes_value or word.text.startswith("-"):
                takes_value = not takes_value and word.text in _PIP_VALUE_OPTIONS
                continue
            if "/" in word.text.split("@")[0] or word.text.startswith((".", "$")) or word.text.endswith(".whl"):
                continue
            item = requirement(word.text, word.where)
            if item:
                found.append(item)
    return found
