WARP_SIZE = 32


def launch(kernel, num_warps, warp_size=32):
    threads = num_warps * 32
    kernel(threads=32 * kernel.num_warps)
# output
1 info: 32
4 info: 32
5 wrong-result: num_warps * 32
6 wrong-result: 32 * kernel.num_warps
