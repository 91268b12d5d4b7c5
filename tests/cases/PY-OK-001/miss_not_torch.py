from numba import cuda
from mytorch import cuda as torch_cuda

cuda.synchronize()
torch_cuda.synchronize()
text = "torch.cuda.synchronize()"  # torch.cuda.synchronize()


def f(torch):
    torch.cuda.synchronize()
# output
