def to_cupy(t):
    import cupy

    return cupy.asarray(t)


try:
    import cupy
except ImportError:
    cupy = None
# output
2 info: import cupy
8 info: import cupy
