import torch as t
from multiprocessing import get_context

n = t.cuda.device_count()
workers = [get_context("fork").Process(target=run) for _ in range(n)]
ctx = get_context("fork")
# output
4 crash: t.cuda.device_count()
