import torch

MODES = ["ieee", "tf32", "bfx9"]
torch.backends.cuda.matmul.fp32_precision = "tf32"  # not "bfx9"


def parse(mode):
    """Set fp32_precision = "bfx9"."""
    return mode == "bfx9"


class Config:
    fp32_precision = "bfx9"
# output
