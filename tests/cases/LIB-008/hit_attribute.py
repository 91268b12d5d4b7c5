import numba as nb


@nb.cuda.jit
def add(x, y):
    x[0] += y[0]
# output
4 crash: nb.cuda.jit
