from triton import Config

CONFIGS = [Config({"BLOCK": 64}, 4, 3, 2), Config({"BLOCK": 64}, num_ctas=1)]
SWEEP = [Config({}, num_ctas=n) for n in (1, 2)]
# output
3 crash: 2
4 crash: 2
