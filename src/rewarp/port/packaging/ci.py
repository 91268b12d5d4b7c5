"""A job that compiles the kernels for AMD GPUs on every push. It needs no GPU, and is written only where its steps were
run here, in a clean copy of the ported tree, and passed: a job that is red from the first push harms. It installs rewarp from an
address, since no package index has it: the one that is given, or the one that this rewarp was installed from."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit

from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.port.changes import Change, Manual, PhaseResult, PortPhase
from rewarp.port.tree import Tree
from rewarp.registry import fixed_in

PATH = ".github/workflows/rocm.yml"
_KNOWS_AMD = re.compile(rb"(?i)\b(rocm|hip|hipcc|gfx\d+\w*|amdgpu|rewarp)\b")
_WHY = (
    "CI compiles the kernels for gfx942 on every push, on a machine without a GPU. Its steps were run here, and passed."
)
_ADDRESS = re.compile(r"(?:git\+)?https://[\w.-]+(?::\d+)?/[\w./@%+~=#&?-]+", re.ASCII)
_FROM_NOWHERE = (
    "nothing says where CI can install rewarp from: give --ci-from git+https://…@v0.2.0, or the address of a wheel"
)
_JOB = """\
name: rocm
on: [push, pull_request]
jobs:
  compile:
    # Compiles every kernel for AMD GPUs; none is needed for that.
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
"""
_WHAT = "no CI job for AMD was added"
_LIMIT = 1800
_LAST = 300
"""Characters of what a failed step said."""


def is_address(text: str) -> bool:
    """Whether pip can install from it, a shell and YAML take it as it stands, and it holds no password."""
    return bool(_ADDRESS.fullmatch(text)) and "@" not in urlsplit(text.removeprefix("git+")).netloc


def own_address() -> str | None:
    """Where this rewarp was installed from (PEP 610), if others can reach that."""
    try:
        told = json.loads(distribution("rewarp").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None
    url, git = str(told.get("url", "")), told.get("vcs_info") or {}
    address = f"git+{url}@{git.get('commit_id')}" if git.get("vcs") == "git" else url
    return address if is_address(address) else None


def steps_from(address: str) -> tuple[str, ...]:
    return f'pip install "rewarp[compile] @ {address}"', "rewarp verify build . --arch gfx942"


def job(after: Tree, changed: bool, target: str, steps: tuple[str, ...] | None) -> PhaseResult:
    """The job, where the ported tree has kernels, CI on GitHub and none for AMD yet; else the reason why there is none. Without
    ``steps`` nobody knows where to install rewarp from."""
    why = "nothing else of the project was changed" if not changed else _not_asked(after)
    why = why or (_failure(after, steps) if steps else _FROM_NOWHERE)
    if why is not None:
        return PhaseResult(manual=[Manual(PATH, None, PortPhase.VERIFICATION, _WHAT, why)])
    text = _JOB + "".join(f"      - run: {step}\n" for step in steps or ())
    rules = fixed_in(target, Kind.ACTIONS)
    return PhaseResult([Change(PATH, text.encode(), PortPhase.VERIFICATION, _WHY, rules)])


def _not_asked(tree: Tree) -> str | None:
    paths = tree.paths()
    workflows = [path for path in paths if re.fullmatch(r"\.github/workflows/[^/]+\.ya?ml", path)]
    if not workflows:
        return "the project has no workflows on GitHub"
    if not any(path.endswith(".cu") and kind_of_path(path) is Kind.CUDA for path in paths):
        return "there are no kernels to compile"
    if any(_KNOWS_AMD.search(tree.read(path) or b"") for path in workflows):
        return "a workflow speaks of AMD already"
    return None


def _failure(tree: Tree, steps: tuple[str, ...]) -> str | None:
    """What became of the first step that did not pass in a clean copy, with a Python of its own."""
    with tree.as_folder() as folder, tempfile.TemporaryDirectory(prefix="rewarp-ci-") as name:
        made = _ended([sys.executable, "-m", "venv", name], folder, dict(os.environ))
        if made is not None:
            return f"its steps could not be tried: {made}"
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))},
            "PATH": f"{name}/bin{os.pathsep}{os.environ.get('PATH', '')}",
        }
        for step in steps:
            ended = _ended(["bash", "-eo", "pipefail", "-c", step], folder, environment)
            if ended is not None:
                return f"its step `{step}` did not pass here: {ended}"
    return None


def _ended(command: list[str], folder: Path, environment: dict[str, str]) -> str | None:
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LIMIT
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = (done.stderr.strip() or done.stdout.strip()).decode("utf-8", "replace")[-_LAST:]
    return None if done.returncode == 0 else f"exit status {done.returncode}: {said}"
