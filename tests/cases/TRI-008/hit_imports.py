import triton.language as tl
from triton.language.extra.cuda import libdevice
from triton.language.extra.cuda.libdevice import tanh as t


def gelu(x):
    return tl.extra.cuda.libdevice.tanh(x) + libdevice.erf(x) + t(x)


PATH = "/usr/local/cuda/nvvm/libdevice/libdevice.10.bc"


def run(kernel, x):
    kernel[(1,)](x, extern_libs={"libdevice": PATH})
# output
2 crash: from triton.language.extra.cuda import libdevice
3 crash: from triton.language.extra.cuda.libdevice import tanh as t
7 crash: tl.extra.cuda.libdevice.tanh
10 crash: "/usr/local/cuda/nvvm/libdevice/libdevice.10.bc"
14 crash: {"libdevice": PATH}
