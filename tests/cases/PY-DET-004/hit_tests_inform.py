import torch

TUNED = {"H100": {"warps": 8}, "A100": {"warps": 4}}


def test_tuned():
    assert TUNED["H100"]["warps"] == 8
# output
path: tests/test_tuned.py
3 info: {"H100": {"warps": 8}, "A100": {"warps": 4}}
