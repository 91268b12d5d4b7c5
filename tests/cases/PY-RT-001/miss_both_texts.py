import torch


def oom(e):
    if "CUDA out of memory" in str(e) or "HIP out of memory" in str(e):
        return True
    if isinstance(e, torch.OutOfMemoryError) or "CUDA out of memory" in str(e):
        return True
    return any(text in str(e) for text in ("CUDA out of memory", "HIP out of memory"))
# output
