import torch


def export(model):
    if torch.version.hip is not None:
        raise RuntimeError("no TensorRT on AMD")
    import tensorrt

    return tensorrt
# output
