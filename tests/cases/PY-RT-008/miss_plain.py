import torch

if torch.version.hip is None:
    kernel = torch.cuda._compile_kernel(source, "add", compute_capability="90")
plain = torch.cuda._compile_kernel(source, "add", nvcc_options=None)
# output
5 info: torch.cuda._compile_kernel(source, "add", nvcc_options=None)
