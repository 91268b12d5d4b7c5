import torch

if torch.version.cuda is not None:
    from cuda import cudart


def driver():
    assert torch.version.hip is None
    import pycuda.driver

    return pycuda.driver
# output
