import pytest
import torch


def test_index():
    with pytest.raises(RuntimeError, match="device-side assert"):
        table[index]
    torch._assert_async((index < size).all(), "index")
# output
6 wrong-result: pytest.raises(RuntimeError, match="device-side assert")
8 wrong-result: torch._assert_async((index < size).all(), "index")
