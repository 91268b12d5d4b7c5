"""Which kernels exist: counted after preprocessing, not as the text shows them."""

from __future__ import annotations

from collections.abc import Mapping

from rewarp.parity.kernels.inventory import How, Inventory, Kernel

__all__ = ["How", "Inventory", "Kernel", "inventory", "is_wanted"]


def is_wanted(path: str) -> bool:
    """Whether a file can hold kernels, or say which ones are built."""
    from rewarp.parity.kernels.sources import is_wanted

    return is_wanted(path)


def inventory(files: Mapping[str, bytes], backend: str) -> Inventory:
    """The kernels of a back end (`cuda`, `rocm`, `metal` …) among the files of a tree."""
    from rewarp.parity.kernels.collect import inventory

    return inventory(files, backend)
