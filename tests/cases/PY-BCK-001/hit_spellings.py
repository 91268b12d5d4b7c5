import torch as t
from torch import set_float32_matmul_precision as precision
from torch.backends.cuda import matmul

t.backends.cuda.matmul.allow_tf32 = True
matmul.fp32_precision = "tf32"
precision("high")
setattr(t.backends.cuda.matmul, "allow_tf32", False)
# output
5 works-as-is: t.backends.cuda.matmul.allow_tf32 = True
6 works-as-is: matmul.fp32_precision = "tf32"
7 works-as-is: precision("high")
8 works-as-is: setattr(t.backends.cuda.matmul, "allow_tf32", False)
