import torch
from mylib import cuda

device = "cuda" if torch.cuda.is_available() else "cpu"
if torch.cuda.is_available():
    torch.cuda.manual_seed_all(0)
    text = "runs nvidia-smi"  # import pynvml
if cuda.is_available():
    import pynvml
# output
