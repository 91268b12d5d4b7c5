import torch

a = torch.cuda._compile_kernel(source, "add", compute_capability="90")
b = torch.cuda._compile_kernel(source, "add", None, None, ["--use_fast_math"])
c = torch.cuda._compile_kernel(source, "add")
# output
3 crash: torch.cuda._compile_kernel(source, "add", compute_capability="90")
4 crash: torch.cuda._compile_kernel(source, "add", None, None, ["--use_fast_math"])
5 info: torch.cuda._compile_kernel(source, "add")
