import torch

if torch.version.hip is None:
    import pynvml
IS_ROCM = torch.version.hip is not None


def usage():
    if IS_ROCM:
        return None
    import pynvml

    return pynvml.nvmlInit()
# output
