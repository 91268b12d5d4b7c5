import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, BLOCK: tl.constexpr):
    tl.store(c, tl.dot(tl.load(a), tl.load(b)))



def run(a, b, c, deep):
    matmul[(1,)](a, b, c, BLOCK=64, num_stages=4)
    stages = 3 if deep else 2
    matmul[(1,)](a, b, c, BLOCK=64, num_stages=stages)
# output
12 perf: 4
13 perf: 3
