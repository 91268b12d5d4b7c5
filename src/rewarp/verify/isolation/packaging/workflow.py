"""A CI file as its jobs: the text of each, and all else that stands in it."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

_NO_JOBS = frozenset(
    "image services stages types before_script after_script variables cache include default workflow pages spec".split()
)
"""Top keys of a GitLab file that are no jobs."""
_JOBS = re.compile(r"^jobs:[ \t]*(?:#.*)?\n(?:[ \t]*(?:#.*)?\n)*(?=(?P<indent> +)\S)", re.M)
_KEY = re.compile(r"[\"']?([^\s\"':#][^\"':#]*)[\"']?[ \t]*:(?:\s|$)")
FILTERS = re.compile(rb"^[ \t]*-[ \t]*[\"']?!?[\w.*/-]*[\"']?[ \t]*$", re.M)
"""In a workflow of GitHub's a list entry that is a path alone says which changes start it, and runs nothing."""


@dataclass(frozen=True)
class Pipeline:
    """The text of each job of one side of a file, and all else that stands in it."""

    jobs: dict[str, str]
    rest: str

    @classmethod
    def of(cls, path: str, data: bytes | None) -> Pipeline | None:
        """None where it is not clear what a job is; a file that is not there has none."""
        if data is None:
            return cls({}, "")
        text = data.decode("utf-8", "replace")
        if path.endswith((".yml", ".yaml")) and (start := _JOBS.search(text)):
            return cls._split(text, start.end(), start["indent"])
        return cls._split(text, 0, "") if posixpath.basename(path) == ".gitlab-ci.yml" else None

    @classmethod
    def _split(cls, text: str, start: int, indent: str) -> Pipeline:
        """By the keys of one depth; YAML indents all that belongs to a key more than the key."""
        jobs: dict[str, str] = {}
        rest, name = text[:start], ""
        for line in text[start:].splitlines():
            depth = len(line) - len(line.lstrip(" "))
            blank = not line.strip() or line.lstrip().startswith("#")
            if not blank and depth <= len(indent):
                key = _KEY.match(line, len(indent)) if depth == len(indent) else None
                name = key[1] if key and (indent or (key[1] not in _NO_JOBS and key[1][:1] != ".")) else ""
            if name:
                jobs[name] = jobs.get(name, "") + ("" if blank and not line.strip() else line + "\n")
            elif not blank:
                rest += line + "\n"
        return cls(jobs, rest)


def names_job(text: str, job: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(job)}(?![\w-])", text))
