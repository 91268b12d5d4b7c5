import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, BLOCK: tl.constexpr):
    tl.store(c, tl.dot(tl.load(a), tl.load(b)))



def run(a, b, c):
    import torch

    num_stages = 2 if torch.version.hip else 4
    matmul[(1,)](a, b, c, BLOCK=64, num_stages=num_stages)
# output
