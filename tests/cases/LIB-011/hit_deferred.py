def export(model):
    import torch_tensorrt as ttrt

    return ttrt.compile(model)


try:
    import tensorrt
except ImportError:
    tensorrt = None
# output
2 crash: import torch_tensorrt as ttrt
8 info: import tensorrt
