import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, BLOCK: tl.constexpr):
    tl.store(c, tl.dot(tl.load(a), tl.load(b)))


CONFIGS = [
    triton.Config({"BLOCK": 128}, num_warps=8, num_stages=4),
    triton.Config({"BLOCK": 64}, num_warps=4, num_stages=2),
]
SWEEP = [triton.Config({"BLOCK": 64}, num_stages=s) for s in [1, 2, 3, 4]]


def run(a, b, c, stages):
    matmul[(1,)](a, b, c, BLOCK=64, num_stages=2)
    matmul[(1,)](a, b, c, BLOCK=64, num_stages=stages)
# output
