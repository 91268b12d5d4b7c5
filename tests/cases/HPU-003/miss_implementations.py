import os

import pytest


def attention(q, impl="cuda"):
    return impl == "triton"


def compile_for(size, language):
    return size, language


@pytest.mark.parametrize("impl", ["cuda", "triton"])
@pytest.mark.parametrize("kind", ["cuda", "torch"])
def test_kernel(impl, kind):
    compile_for(8, "cuda")


name, language = "a", "cuda"
language = os.environ.get("KERNEL_LANGUAGE", "cuda")
parts = ["cuda", "kernels"]
# output
target: gaudi
