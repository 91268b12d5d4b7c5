import torch.cuda.profiler as profiler
from torch.cuda import profiler as cp

profiler.start()
with cp.profile():
    run()
profiler.stop()
# output
4 info: profiler.start()
5 info: cp.profile()
7 info: profiler.stop()
