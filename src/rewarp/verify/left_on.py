"""Switches for debugging that a file of AMD's leaves on: each launch then waits for its end, for everybody who uses the file.

https://rocm.docs.amd.com/projects/HIP/en/latest/reference/env_variables.html"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rewarp.errors import RewarpError
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.lang.parsing import parse
from rewarp.project.sides import is_for_amd
from rewarp.source import SourceFile
from rewarp.workspace import Tree

_SWITCHES = {
    "AMD_SERIALIZE_KERNEL": "kernels wait for one another",
    "AMD_SERIALIZE_COPY": "copies wait for one another",
    "HIP_LAUNCH_BLOCKING": "each launch waits for its end",
}
_KINDS = (Kind.DOCKERFILE, Kind.COMPOSE, Kind.DOTENV, Kind.SHELL)
"""What a program is built and started by."""
_WANTED = re.compile(
    r"(?i)(?:^|[^a-z])(?:debug\w*|tests?|ci|repro\w*|traces?|profil\w*|diagnos\w*|sanitiz\w*|asan)(?:[^a-z]|$)"
)
_CHOSEN = re.compile(rb"^[ \t]*(?:if|case|elif|while|for|function)\b|\(\)[ \t]*\{|\[\[?[^\n]*\]\]?[ \t]*&&", re.M)
"""In a script: something may stand below a question."""


def left_on(tree: Tree, paths: Iterable[str]) -> Iterator[tuple[str, int, str]]:
    """Where a file that is AMD's by its name, and none for finding faults, sets such a switch whoever uses it."""
    for path in paths:
        kind = kind_of_path(path)
        if kind not in _KINDS or not is_for_amd(path) or _WANTED.search(path):
            continue
        data = tree.read(path) or b""
        if not any(name.encode() in data for name in _SWITCHES):
            continue
        try:
            document = parse(SourceFile(path, data), kind)
        except RewarpError:
            continue
        if not isinstance(document, Document):
            continue
        for item in document.env_sets:
            value = (item.value or "").strip().strip("\"'")
            at = document.span(item).start
            if item.name not in _SWITCHES or not re.fullmatch(r"[1-9]\d*", value):
                continue
            if kind is Kind.SHELL and (_CHOSEN.search(data[:at]) or not _is_exported(data, at)):
                continue
            yield path, document.source.line_at(at), f"{item.name}={value} is for debugging: {_SWITCHES[item.name]}"


def _is_exported(data: bytes, at: int) -> bool:
    """Whether what follows in a script gets it too, and not one command alone."""
    start = data.rfind(b"\n", 0, at) + 1
    return data[start:].lstrip(b" \t").startswith((b"export ", b"declare -x "))
