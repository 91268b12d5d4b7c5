import pytest


def require(t):
    if not t.is_cuda:
        raise ValueError("needs a CUDA tensor")


def plain_or_fused(t):
    if t.dtype is None or not t.is_cuda:
        return plain(t)
    return fused(t)


def test_it(t):
    if not t.is_cuda:
        pytest.skip("no GPU")


def check(t, b):
    assert t.is_cuda or t.is_xpu
    assert b or t.is_cuda
# output
target: gaudi
5 crash: t.is_cuda
10 info: t.is_cuda
16 info: t.is_cuda
21 crash: t.is_cuda
22 perf: t.is_cuda
