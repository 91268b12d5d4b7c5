import torch as th

backend = th.backends.cudnn
backend.benchmark = True
setattr(th.backends.cudnn, "benchmark", True)
# output
4 perf: backend.benchmark = True
5 perf: setattr(th.backends.cudnn, "benchmark", True)
