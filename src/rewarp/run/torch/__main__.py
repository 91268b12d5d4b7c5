"""``python -m rewarp.run.torch gfx942 setup.py build_ext --inplace``: a script of Python inside ``torch_extension``, with
``cuda`` meaning tensors of the CPU. So an extension is built for the machine, and so a program uses it."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from rewarp.errors import RewarpError
from rewarp.machine.cuda_on_cpu import cuda_on_cpu
from rewarp.printing import tell
from rewarp.run.torch.session import launches, torch_extension


def main(arguments: list[str]) -> int:
    if len(arguments) < 2:
        tell("usage: python -m rewarp.run.torch ARCH SCRIPT [ARGUMENT …]")
        return 2
    arch, script, *_ = arguments
    sys.argv = arguments[1:]
    sys.path.insert(0, str(Path(script).resolve().parent))
    try:
        with torch_extension(arch), cuda_on_cpu(arch):
            runpy.run_path(script, run_name="__main__")
    except RewarpError as error:
        tell(f"rewarp: {error}")
        return 2
    finally:
        for name, count in sorted(launches().items()):
            tell(f"ran as {arch} code on an emulator: {name}, {count} launch{'es' if count != 1 else ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
