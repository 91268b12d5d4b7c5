from triton import jit


def run(kernel, a, large):
    kernel[(1,)](a, waves_per_eu=2)
    hints = {"kpack": 2} if large else {}
    kernel[(1,)](a, **hints)
# output
5 info: 2
6 info: 2
