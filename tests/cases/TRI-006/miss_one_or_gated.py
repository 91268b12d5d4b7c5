import torch
import triton


def run(kernel, a, n):
    kernel[(1,)](a, num_ctas=1)
    kernel[(1,)](a, num_ctas=n)
    kernel[(1,)](a, num_ctas=1 if torch.version.hip else 2)
# output
