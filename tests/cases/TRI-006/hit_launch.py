import triton


def run(kernel, a):
    kernel[(1,)](a, num_ctas=2)
    extra = dict(num_ctas=4, num_warps=8)
    kernel[(1,)](a, **extra)
# output
5 crash: 2
6 crash: 4
