"""What a program asks of NVML, answered by PyTorch: NVML counts the machine's cards, PyTorch those left to the program."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from rewarp.rules.libraries.nvml import _asked_of_torch

_MEMORY = ["nvmlDeviceGetHandleByIndex", "nvmlDeviceGetMemoryInfo"]


def _answers(used: list[str]) -> Any:
    torch = SimpleNamespace(cuda=SimpleNamespace(mem_get_info=lambda card: (card, 100), device_count=lambda: 1))
    names: dict[str, Any] = {"torch": torch}
    exec("\n".join(_asked_of_torch(used, "torch", "    ", "pynvml")), names)
    return names["pynvml"]


@pytest.mark.parametrize(
    ("environment", "index", "card"),
    [
        ({}, 1, 1),
        ({"CUDA_VISIBLE_DEVICES": "1"}, 1, 0),
        ({"CUDA_VISIBLE_DEVICES": "1"}, 0, 0),
        ({"CUDA_VISIBLE_DEVICES": "2, 3"}, 3, 1),
        ({"HIP_VISIBLE_DEVICES": "3,2", "CUDA_VISIBLE_DEVICES": "2,3"}, 3, 0),
        ({"ROCR_VISIBLE_DEVICES": "4,5,6", "HIP_VISIBLE_DEVICES": "2,1"}, 5, 1),
        ({"ROCR_VISIBLE_DEVICES": "4,5"}, 5, 1),
    ],
)
def test_a_card_of_the_machine(
    environment: dict[str, str], index: int, card: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    nvml = _answers(_MEMORY)
    assert nvml.nvmlDeviceGetMemoryInfo(nvml.nvmlDeviceGetHandleByIndex(index)).free == card


def test_a_program_that_counts_torchs_cards_goes_on_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,0")
    nvml = _answers(["nvmlDeviceGetCount", *_MEMORY])
    assert [nvml.nvmlDeviceGetHandleByIndex(at) for at in range(nvml.nvmlDeviceGetCount())] == [0]
