import cutlass

num_warps = 32  # num_warps=32 in a kernel of another library
text = "kernel[grid](x, num_warps=32)"


def build(tile):
    return make_kernel(tile, num_warps=32)
# output
