try:
    import triton
except ImportError:
    triton = None


def kernel():
    import triton.language as tl

    return tl
# output
