import triton
from triton import Config as C

configs = [triton.Config({"BLOCK": 1024}, 32), C({"BLOCK": 64}, num_warps=4)]
more = [triton.Config({}, num_warps=w) for w in [4, 8, 16, 32]]
# output
torch: 2.6
arch: gfx942
4 crash: 32
5 crash: 32
