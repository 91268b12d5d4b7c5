import pytest


class Device:
    def allocate(self, size):
        raise RuntimeError("CUDA out of memory, as the simulator words it")


def test_allocate():
    with pytest.raises(RuntimeError) as caught:
        Device().allocate(1)
    assert "CUDA out of memory" in str(caught.value)
# output
