"""Definite assignment on a platform's way through a file, held against Python itself."""

from __future__ import annotations

import pytest

from rewarp.port.python.unbound import newly_unbound
from rewarp.project.gates import NVIDIA, ROCM, Platform, unbound
from rewarp.source import SourceFile
from rewarp.targets import TARGETS
from rewarp.workspace.documents import python_file

GATE = "import torch\nIS_ROCM = torch.version.hip is not None\n"


def names(text: str, platform: Platform = ROCM) -> list[str]:
    return [item.name for item in unbound(python_file(SourceFile("a.py", text.encode())), platform)]


@pytest.mark.parametrize(
    "text",
    [
        "if not IS_ROCM:\n    version = 1\nprint(version)\n",
        "if not IS_ROCM:\n    def f():\n        return 1\nx = f()\n",
        "if IS_ROCM:\n    pass\nelse:\n    import version\ny = version.x\n",
        "if not IS_ROCM:\n    version = 1\ndef f():\n    return version\n",
        "def f():\n    if not IS_ROCM:\n        version = 1\n    return version\n",
        "try:\n    if not IS_ROCM:\n        version = 1\nfinally:\n    pass\nprint(version)\n",
        "def f():\n    if not IS_ROCM:\n        import version\n    return [version for x in y()]\ndef y():\n    return []\n",
    ],
)
def test_a_name_that_only_nvidia_binds(text: str) -> None:
    assert names(GATE + text) == ["version"] if "version" in text else ["f"]
    assert names(GATE + text, NVIDIA) == []


@pytest.mark.parametrize(
    "text",
    [
        "if not IS_ROCM:\n    version = 1\nelse:\n    version = 2\nprint(version)\n",
        "version = 0\nif not IS_ROCM:\n    version = 1\nprint(version)\n",
        "if not IS_ROCM:\n    version = 1\n    print(version)\n",
        "if not IS_ROCM:\n    version = 1\nif not IS_ROCM:\n    print(version)\n",
        "if IS_ROCM:\n    raise SystemExit\nversion = 1\nprint(version)\n",
        "def f():\n    return later\nlater = 1\n",
        "def f():\n    global later\n    later = 1\ndef g():\n    return later\n",
        "def f(a):\n    def g():\n        return a\n    return g\n",
        "try:\n    import x\nexcept ImportError:\n    x = None\nprint(x)\n",
        "print([a for a in range(3)], {b: c for b, c in []}, (d := 1), d)\n",
        "for i in range(3):\n    last = i\nprint(last, i)\n",
        "with open('a') as f:\n    data = f.read()\nprint(data)\n",
        "match 1:\n    case {'k': v, **rest}:\n        print(v, rest)\n",
        "class A:\n    x = 1\n    def f(self):\n        return self.x\n",
        "from a import *\nprint(anything)\n",
    ],
)
def test_what_is_bound(text: str) -> None:
    assert names(GATE + text) == []


def test_a_gate_one_line_too_low() -> None:
    """As in a setup.py whose version is read outside the gate that was put around what sets it."""
    before = b"import torch\n_, version = cuda_version()\nflags = []\nif version >= 11:\n    flags.append('-x')\n"
    after = (
        b"import torch\nif torch.version.hip is None:\n    _, version = cuda_version()\nflags = []\n"
        b"if version >= 11:\n    flags.append('-x')\n"
    )
    assert [item.name for item in newly_unbound("setup.py", before, after, TARGETS["rocm"])] == ["version"]
    assert newly_unbound("setup.py", after, after, TARGETS["rocm"]) == []
