import itertools
from .triton_utils import triton

configs = [
    triton.Config({"BLOCK": b}, num_warps=w) for b, w in itertools.product([64, 128], [16, 32])
]
# output
5 info: 32
