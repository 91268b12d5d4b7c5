import torch as th

backend = th.backends.cudnn
backend.benchmark = True
setattr(th.backends.cudnn, "benchmark", True)
# output
4 info: backend.benchmark = True
5 info: setattr(th.backends.cudnn, "benchmark", True)
