MAX_SMEM = {"ampere": 166912, "hopper": 232448, "gfx942": 65536}
CLOCKS = {"ampere": 1410, "hopper": 1980}
shared_mem = MAX_SMEM[name]
# output
