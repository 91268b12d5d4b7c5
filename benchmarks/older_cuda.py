"""CUDA that CUDA 13 refuses for its age (texture references, shuffles without ``_sync``), compiled by clang's ``-x cuda``.

The headers are those of CUDA 11, which has them all: a folder with ``include`` and ``nvvm``, as an installation has it, or as the wheels
``nvidia-cuda-runtime-cu11``, ``-nvcc-cu11``, ``-cccl-cu11`` and ``-curand-cu11`` give when they are laid into one folder.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rewarp.toolchain import Toolchain
from rewarp.toolchain.nvcc import CompiledByNvcc

_ARCH = "sm_60"
"""The last that has shuffles without ``_sync``."""
_SDK = "11.8"


def older_ptx(
    toolchain: Toolchain, home: Path, source: Path, options: Sequence[str] = (), timeout: float = 300.0
) -> CompiledByNvcc:
    command = [*toolchain.clang]
    if toolchain.resource_dir:
        command += ["-resource-dir", str(toolchain.resource_dir)]
    command += ["-x", "cuda", f"--cuda-path={home}", f"--cuda-gpu-arch={_ARCH}", "--cuda-device-only", "-nocudalib"]
    command += ["-Xclang", f"-target-sdk-version={_SDK}", "-S", "-w", "-fno-caret-diagnostics", *options]
    with tempfile.TemporaryDirectory(prefix="older-cuda-") as folder:
        made = Path(folder, "made.ptx")
        command += ["-o", str(made), str(source.resolve())]
        try:
            done = subprocess.run(
                command, capture_output=True, timeout=timeout, stdin=subprocess.DEVNULL, cwd=folder, env=None
            )
        except subprocess.TimeoutExpired:
            return CompiledByNvcc(False, "", (f"no answer in {timeout:g} s",))
        if done.returncode == 0 and made.is_file():
            return CompiledByNvcc(True, made.read_text("utf-8", "replace"), ())
        lines = done.stderr.decode("utf-8", "replace").splitlines() or ["clang said nothing"]
        return CompiledByNvcc(False, "", tuple(sorted(lines, key=lambda line: "error" not in line)))
