WARP_SIZE = 32
threads = num_warps * 32
# output
arch: gfx1100
