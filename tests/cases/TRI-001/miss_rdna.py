import triton


def launch(x, kernel):
    kernel[(1,)](x, num_warps=32)
# output
arch: gfx1100
