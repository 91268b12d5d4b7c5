import torch as t
from torch._C import _cuda_getCurrentRawStream as raw

sleep = t.cuda._sleep
sleep(1)
number = raw(0)
handler = getattr(t.cuda, "_get_pynvml_handler")
# output
2 info: from torch._C import _cuda_getCurrentRawStream as raw
4 info: t.cuda._sleep
7 crash: getattr(t.cuda, "_get_pynvml_handler")
