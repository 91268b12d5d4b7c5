"""``hipcc --genco`` by the compiler that is found here: what build scripts call where no ROCm is installed.

    python -m rewarp.toolchain.hipcc --genco --offload-arch=gfx942 -x hip kernels.cu -o kernels.hsaco

Takes what such a call gives: architectures, one source, options of clang. Makes a bundle of code objects.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rewarp.errors import RewarpError, UsageError
from rewarp.files import write_bytes
from rewarp.printing import tell
from rewarp.toolchain import discovery
from rewarp.toolchain.bundle import bundle

_ARCH = "--offload-arch="
_FOLDER, _INCLUDED = "-I", "-include"


@dataclass
class Call:
    """What was asked for."""

    arches: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    source: Path | None = None
    output: Path | None = None


def read(words: Sequence[str]) -> Call:
    """The words of a call of hipcc, with paths as they are from any folder: clang runs in another one."""
    call, folders, included = Call(), list[Path](), list[str]()
    left = iter(words)
    for word in left:
        if word == "-o":
            call.output = Path(next(left, "")).absolute()
        elif word == "-x":
            call.source = call.source if next(left, "") == "hip" else None
        elif word.startswith(_ARCH):
            call.arches.append(word.removeprefix(_ARCH))
        elif word.startswith(_FOLDER):
            folders.append(Path(word.removeprefix(_FOLDER) or next(left, "")).absolute())
            call.options += [_FOLDER, str(folders[-1])]
        elif word == _INCLUDED:
            included.append(next(left, ""))
        elif word.startswith("-"):
            call.options += [] if word == "--genco" else [word]
        else:
            call.source = Path(word).absolute()
    for name in included:
        found = next((folder / name for folder in (Path.cwd(), *folders) if (folder / name).is_file()), Path(name))
        call.options += [_INCLUDED, str(found)]
    return call


def compile_bundle(call: Call) -> bytes:
    """The code objects. Raises RewarpError."""
    if not (call.arches and call.source and call.output):
        raise UsageError(f"a source, -o FILE and {_ARCH}NAME are needed")
    codes: dict[str, bytes] = {}
    for arch, toolchain in discovery.find_for(call.arches).items():
        with tempfile.TemporaryDirectory(prefix="rewarp-") as folder:
            made = Path(folder, "code")
            done = toolchain.compile_device(call.source, arch, options=call.options, output=made, level="code_object")
            if not done.ok:
                told = "\n".join(str(diagnostic) for diagnostic in done.diagnostics[:20])
                raise UsageError(f"{call.source.name} does not compile for {arch}:\n{told}")
            codes[arch] = made.read_bytes()
    return bundle(codes)


def main(words: Sequence[str]) -> int:
    try:
        call = read(words)
        data = compile_bundle(call)
        assert call.output is not None
        write_bytes(call.output, data)
    except RewarpError as error:
        tell(f"hipcc: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
