import pytest
import torch

capability = torch.cuda.get_device_capability()
hopper_only = pytest.mark.skipif(capability < (9, 0), reason="needs sm90")


def test_fp8():
    if torch.cuda.get_device_capability()[0] < 9:
        pytest.skip("needs FP8")
    assert capability >= (9, 0)
# output
5 info: capability < (9, 0)
9 info: torch.cuda.get_device_capability()[0] < 9
11 perf: capability >= (9, 0)
