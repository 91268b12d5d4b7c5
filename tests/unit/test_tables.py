"""The tables of names that rules read."""

from __future__ import annotations

import re

import pytest

from rewarp.tables import CudaName, find_torch_cuda, torch_cuda, torch_cuda_modules


@pytest.mark.parametrize("row", torch_cuda().values(), ids=lambda row: row.name)
def test_row_of_torch_cuda(row: CudaName) -> None:
    assert row.rocm in ("same", "differs", "absent")
    assert re.fullmatch(r"(torch\.hpu(\.\w+)+|none)?", row.gaudi)
    assert row.source.startswith("https://")
    if row.rocm != "same":
        assert re.match(r"PY-[A-Z]+-\d{3}", row.note), "a rule must speak about a name that is not the same"


def test_names_are_found_with_their_attributes() -> None:
    assert find_torch_cuda("synchronize") is torch_cuda()["synchronize"]
    assert find_torch_cuda("Stream.priority_range") is torch_cuda()["Stream"]
    assert find_torch_cuda("memory.memory_stats") is torch_cuda()["memory.memory_stats"]
    assert find_torch_cuda("memory.nothing_like_it") is None
    assert find_torch_cuda("cudart().nothing_like_it") is None
    assert find_torch_cuda("nothing_like_it") is None


def test_modules_of_torch_cuda() -> None:
    assert {"amp", "comm", "graphs", "memory", "nccl", "nvtx"} <= torch_cuda_modules()
    assert torch_cuda_modules() <= set(torch_cuda())
