"""The child that the runtime starts: code of a program in, an image out; or a source in, code out.

Run as ``python -I -m rewarp.machine.runtime.translator HOW ARCH CACHE INPUT OUTPUT``.
"""

from __future__ import annotations

import os
import struct
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rewarp.errors import RewarpError, UsageError
from rewarp.files import CACHE_VARIABLE, write_bytes
from rewarp.machine.assembly import parse
from rewarp.machine.bundles import code_for
from rewarp.machine.image import Image
from rewarp.machine.program import check_arch, compile_assembly
from rewarp.printing import tell


def main(arguments: list[str]) -> int:
    how, arch, cache, source, output = arguments
    # Functions belong beside the library that asks, wherever this process would keep them.
    os.environ[CACHE_VARIABLE] = os.path.abspath(cache)
    try:
        content = Path(source).read_bytes()
        made = image(content, arch) if how == "image" else compiled(content, arch)
        write_bytes(Path(output), made)
    except (RewarpError, OSError) as error:
        tell(f"rewarp: {error}")
        return 1
    return 0


def image(content: bytes, arch: str) -> bytes:
    """The image of what was registered or loaded: a bundle, a code object, or assembly."""
    program = parse(code_for(content, arch))
    check_arch(program.arch)
    return Image(program).data()


def compiled(asked: bytes, arch: str) -> bytes:
    """What hiprtc asks: a name and a source, then headers, options and expressions whose symbols are wanted."""
    words = _words(asked)
    name, source = next(words), next(words)
    options, expressions = ["-D__HIPCC_RTC__=1", "-include", "hip/hip_runtime.h"], []
    with tempfile.TemporaryDirectory(prefix="rewarp-rtc-") as folder:
        for kind in words:
            if kind == "header":
                file = Path(folder, *[part for part in Path(next(words)).parts if part not in ("/", "..")])
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(next(words), "utf-8")
            elif kind == "option":
                options += _option(next(words))
            else:
                expressions.append(next(words))
        wanted = "".join(
            f'\nextern "C" __device__ __attribute__((used)) const void *rewarp_expression_{number} = (const void *)({text});'
            for number, text in enumerate(expressions)
        )
        main_file = Path(folder, "rtc_" + (Path(name).name or "program"))
        main_file.write_text(f'#line 1 "{name}"\n{source}{wanted}\n', "utf-8")
        try:
            code = compile_assembly(main_file, arch, [*options, "-I", folder])
        except UsageError as error:
            return _packed("failed", str(error), "")
    return _packed("ok", "", code, *_lowered(code, len(expressions)))


def _option(option: str) -> list[str]:
    """The architecture is the card's; the rest is clang's."""
    if option.startswith(("--gpu-architecture", "--offload-arch", "-arch")):
        return []
    return [option]


def _lowered(code: str, count: int) -> list[str]:
    program = parse(code)
    found = []
    for number in range(count):
        section, offset = program.symbols.get(f"rewarp_expression_{number}", ("", 0))
        data = program.data.get(section)
        names = [name for at, name, _ in data.relocations if at == offset] if data else []
        found.append(names[0] if names else "")
    return found


def _words(data: bytes) -> Iterator[str]:
    at = 0
    while at + 8 <= len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        yield data[at + 8 : at + 8 + size].decode("utf-8", "surrogateescape")
        at += 8 + size


def _packed(*texts: str) -> bytes:
    parts = [text.encode("utf-8", "surrogateescape") for text in texts]
    return b"".join(struct.pack("<Q", len(part)) + part for part in parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
