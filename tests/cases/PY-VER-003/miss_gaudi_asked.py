import torch.backends.cudnn as cudnn

if cudnn.is_available() and cudnn.version() < 91000:
    raise RuntimeError("cuDNN is too old")
# output
target: gaudi
