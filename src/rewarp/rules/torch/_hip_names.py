"""What HIP calls a function of CUDA's."""

from __future__ import annotations

import re

from rewarp.tables import cuda


def hip_name(name: str) -> str:
    known = cuda.renames().get(name.encode())
    return known.decode() if known else re.sub(r"^cuda|^cu(?=[A-Z])", "hip", name)
