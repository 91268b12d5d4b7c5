"""The same program where AMD's own code runs it: on a GPU, or under AMD's emulator. Both need ROCm."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rewarp.errors import UsageError
from rewarp.run.linking import library_name
from rewarp.run.results import ON_GPU, NotBuilt, Request, Step
from rewarp.run.staging import Stage
from rewarp.toolchain.process import NoAnswer, TimeLimit, output_of

_SECONDS = 900.0
_DRIVER = Path("/dev/kfd")


@dataclass(frozen=True)
class Place:
    hipcc: str
    before: tuple[str, ...] = ()
    """What the program's own command stands behind."""


def place(where: str, arch: str) -> Place:
    """Raises UsageError with what is not here."""
    hipcc = _tool("hipcc")
    if hipcc is None:
        raise UsageError(f"--on {where}: there is no hipcc here: ROCm is not installed, or ROCM_PATH does not name it")
    if where == ON_GPU:
        if not _DRIVER.exists():
            raise UsageError(f"--on gpu: there is no AMD GPU here ({_DRIVER} is missing)")
        return Place(hipcc)
    tool = _tool("rocjitsu")
    if tool is None:
        raise UsageError("--on rocjitsu: AMD's emulator is not here: neither in PATH nor in ROCM_PATH/bin")
    home = Path(tool).resolve().parent.parent
    configurations = sorted(home.glob(f"**/configs/{arch}*.json"))
    if not configurations:
        raise UsageError(f"--on rocjitsu: {home} has no configuration for {arch}")
    return Place(hipcc, (tool, "--config", str(configurations[0]), "--"))


def build(here: Place, stage: Stage, request: Request, arch: str, folder: Path) -> Path:
    """The program as ROCm's own compiler makes it. Raises NotBuilt."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "program"
    libraries = filter(None, map(library_name, request.libraries))
    command = [here.hipcc, f"--offload-arch={arch}", "-O3", "-w", *stage.options, *request.options]
    command += [word for _, source in stage.units for word in _as_hip(source)]
    command += ["-x", "none", *(f"-L{place}" for place in request.library_folders)]
    command += [*(f"-l{name}" for name in libraries), "-o", str(program)]
    try:
        status, said = output_of(command, str(folder), TimeLimit(_SECONDS))
    except NoAnswer as error:
        raise NotBuilt(Step.DEVICE, str(error)) from None
    if status:
        lines = said.strip().splitlines() or [f"hipcc ended with status {status}"]
        raise NotBuilt(Step.DEVICE, next((line for line in lines if "error" in line), lines[0]))
    return program


def _as_hip(source: Path) -> Sequence[str]:
    language = "c" if source.suffix == ".c" else "hip"
    return ("-x", language, str(source))


def _tool(name: str) -> str | None:
    roots = [os.environ.get("ROCM_PATH"), "/opt/rocm"]
    beside = (Path(root, "bin", name) for root in roots if root)
    return shutil.which(name) or next((str(file) for file in beside if file.is_file()), None)
