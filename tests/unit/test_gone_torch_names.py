"""What the table says that torch no longer has, held against the torch that is installed."""

from __future__ import annotations

import importlib

import pytest

from rewarp.tables import rows

_REMOVED = "is now removed"
"""What torch says of a function that it kept for the message alone."""


@pytest.mark.parametrize("name", [row["name"] for row in rows("torch_gone.csv")])
def test_torch_has_it_no_more(name: str) -> None:
    torch = pytest.importorskip("torch")
    found: object = torch
    for at, part in enumerate(name.split(".")[1:], 2):
        if not hasattr(found, part):
            try:
                importlib.import_module(".".join(name.split(".")[:at]))
            except ImportError:
                return
        found = getattr(found, part)
    if name == "torch.utils.serialization":
        assert not hasattr(found, "load_lua")
        return
    assert callable(found)
    square = torch.eye(2)
    arguments = (square, square) if name.endswith(("lstsq", "solve")) else (square,)
    with pytest.raises(RuntimeError, match=_REMOVED):
        found(*arguments)
