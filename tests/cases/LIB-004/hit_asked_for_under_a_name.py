import pytest

from . import packing


@pytest.mark.skipif(packing._XFormersBlockMask is None, reason="not installed")
def test_mask():
    from xformers.ops.fmha.common import Inputs

    assert Inputs


def test_other():
    from xformers.ops import fmha

    assert fmha
# output
8 info: from xformers.ops.fmha.common import Inputs
14 info: from xformers.ops import fmha
