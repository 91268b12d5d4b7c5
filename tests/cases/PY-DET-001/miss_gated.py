import torch

if torch.cuda.is_available() and torch.version.hip is None:
    import pynvml
if torch.cuda.is_available():
    if torch.version.hip:
        vendor = "amd"
    else:
        vendor = "nvidia"
    try:
        import tensorrt
    except ImportError:
        tensorrt = None
# output
