import json
from mytools import load_inline

config = json.load(open("config.json"))
ops = load_inline(cuda_sources="", extra_cuda_cflags=["-O3"])
# output
