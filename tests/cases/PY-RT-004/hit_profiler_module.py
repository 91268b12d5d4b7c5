import torch.cuda.profiler as profiler
from torch.cuda import profiler as cp

profiler.start()
with cp.profile():
    run()
profiler.stop()
# output
4 wrong-result: profiler.start()
5 wrong-result: cp.profile()
7 wrong-result: profiler.stop()
