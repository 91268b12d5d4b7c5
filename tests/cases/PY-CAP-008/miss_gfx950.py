MAX_SMEM = 128 * 1024
# output
arch: gfx950
