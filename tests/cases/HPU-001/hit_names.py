import torch as t
from torch import cuda
from torch.cuda import synchronize as wait

t.cuda.set_device(0)
stream = cuda.Stream()
wait()
if t.cuda.is_available():
    t.cuda.empty_cache()
free, total = t.cuda.mem_get_info()
# output
target: gaudi
5 crash: t.cuda.set_device
6 crash: cuda.Stream
7 crash: wait
