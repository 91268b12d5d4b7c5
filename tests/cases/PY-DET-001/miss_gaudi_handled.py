import torch


def pick():
    if hasattr(torch, "hpu") and torch.hpu.is_available():
        return "hpu"
    return "cuda" if torch.cuda.is_available() else "cpu"


def report():
    print("CUDA:", torch.cuda.is_available())
    return {"cuda": torch.cuda.is_available()}
# output
target: gaudi
