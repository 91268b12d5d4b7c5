import torch.backends.cudnn as dnn

MIN_CUDNN = 90100
if dnn.is_available() and dnn.version() < MIN_CUDNN:
    raise RuntimeError("cuDNN too old")
# output
4 wrong-result: dnn.version() < MIN_CUDNN
