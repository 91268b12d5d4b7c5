"""Small repositories, and a git that can be made to hang, to crash or to take memory."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from rewarp.fleet.drive import Crew, run_fleet
from rewarp.fleet.request import Limits, Repository, Wanted
from rewarp.fleet.store import Run, Store

WHO = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "init.defaultBranch=main")
CLEAN = {"main.py": "print(1)\n", "README.md": "nothing\n"}
BLOCKED = {
    "main.py": "import pynvml\n\npynvml.nvmlInit()\n",
    "setup.py": "from setuptools import setup\nsetup(name='a', py_modules=['main'])\n",
}
KERNEL = "#include <cuda_runtime.h>\n__global__ void k(float *p) { p[0] = 1; }\nint main() { float *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); return cudaDeviceSynchronize(); }\n"


def git(folder: Path, *arguments: str, input: bytes = b"") -> str:
    command = ["git", "-C", str(folder), *WHO, *arguments]
    return subprocess.run(command, check=True, capture_output=True, input=input).stdout.decode().strip()


def commit(folder: Path, files: Mapping[str, str]) -> str:
    """A repository, or a further commit of it."""
    if not folder.exists():
        folder.mkdir(parents=True)
        git(folder, "init", "--quiet")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=x")
    return git(folder, "rev-parse", "HEAD")


def made(folder: Path, **files: Mapping[str, str]) -> list[Repository]:
    """Repositories by name."""
    for name, contents in files.items():
        commit(folder / name, contents)
    return [Repository(name, str((folder / name).resolve())) for name in files]


def run(
    repositories: list[Repository],
    store: Path,
    wanted: Wanted | None = None,
    limits: Limits | None = None,
    jobs: int = 2,
) -> Run:
    crew = Crew(jobs, limits=limits or Limits(seconds=300.0))
    return run_fleet(repositories, wanted or Wanted(), Store(store), crew)


def strange_git(folder: Path, script: str) -> Path:
    """A folder for the PATH whose ``git`` runs a script with the arguments before it is git."""
    folder.mkdir()
    file = folder / "git"
    file.write_text(f'#!/bin/sh\n{script}\nexec "{shutil.which("git")}" "$@"\n')
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return folder


def path_with(folder: Path) -> str:
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def ends(process: int) -> bool:
    """Whether a process that was killed goes away; on a busy machine not at once."""
    for _ in range(600):
        try:
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.1)
    return False
