import torch
from torch.utils.cpp_extension import load

flags = ["-O3"]
if not torch.version.hip:
    flags += ["--use_fast_math"]
ops = load(name="ops", sources=["ops.cpp", "ops.cu"], extra_cuda_cflags=flags)
# output
7 works-as-is: load
