"""Where files other than C and CMake turn something on for a build: a macro, or a CMake switch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.verify.isolation.roles import Role, role_of, says_amd


def asked_for(name: str, path: str, data: bytes | None) -> Iterator[str]:
    """Places that may turn a name on where an NVIDIA user builds; a file that is for AMD by its own path is none."""
    if data is None:
        yield f"{path} could not be searched"
        return
    if says_amd(path):
        return
    if role_of(path) is Role.PYTHON:
        from rewarp.verify.isolation.packaging.python_settings import lines_set

        lines = lines_set(name, data)
    else:
        text = data.decode("latin-1")
        word = re.escape(name)
        given = re.compile(
            rf"(?:(?:-D\s*|/D\s*|define\W{{1,40}}|[\"']){word}(?!\w)|(?<!\w){word}(?=\s*[:?+]?=))"
            r"(?!\s*[:?+]?=\s*[\"']?(?:OFF|0|FALSE|NO)(?!\w))",
            re.I,
        )
        lines = [text.count("\n", 0, match.start()) + 1 for match in given.finditer(text)]
    yield from (f"{path}:{line} may turn it on" for line in lines)
