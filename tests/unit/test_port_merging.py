"""Equal gates one below the other."""

from __future__ import annotations

import pytest

from rewarp.port.python.merging import merged

TESTS = frozenset({"not IS_ROCM", "IS_ROCM"})


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("if not IS_ROCM:\n    a = 1\nif not IS_ROCM:\n    b = 2\n", "if not IS_ROCM:\n    a = 1\n    b = 2\n"),
        (
            "if not IS_ROCM:\n    import a\nelse:\n    a = None\nif not IS_ROCM:\n    import b\nelse:\n    b = None\n",
            "if not IS_ROCM:\n    import a\n    import b\nelse:\n    a = None\n    b = None\n",
        ),
        (
            "def f():\n    if IS_ROCM:\n        a()\n    if IS_ROCM:\n        b()\n    if IS_ROCM:\n        c()\n    return 1\n",
            "def f():\n    if IS_ROCM:\n        a()\n        b()\n        c()\n    return 1\n",
        ),
    ],
)
def test_neighbours_become_one(text: str, result: str) -> None:
    assert merged(text.encode(), b"", TESTS) == result.encode()
    assert merged(text.encode(), text.encode(), TESTS) == text.encode(), "what was there before stays"


@pytest.mark.parametrize(
    "text",
    [
        "if not IS_ROCM:\n    a = 1\nif IS_ROCM:\n    b = 2\n",
        "if not IS_ROCM:\n    a = 1\n\nif not IS_ROCM:\n    b = 2\n",
        "if not IS_ROCM:\n    a = 1\nx = 1\nif not IS_ROCM:\n    b = 2\n",
        "if not IS_ROCM: a = 1\nif not IS_ROCM:\n    b = 2\n",
        "if not IS_ROCM:\n    a = 1\nelse:\n    a = 2\nif not IS_ROCM:\n    b = 2\n",
        "if not IS_ROCM:\n    a = 1\nelif x:\n    a = 2\nif not IS_ROCM:\n    b = 2\nelif y:\n    b = 3\n",
        "if debug:\n    a = 1\nif debug:\n    b = 2\n",
    ],
)
def test_others_stay(text: str) -> None:
    assert merged(text.encode(), b"", TESTS) == text.encode()
