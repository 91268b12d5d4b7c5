from triton.language.extra import libdevice
from triton.language.extra.libdevice import rsqrt

NOTE = "triton.language.extra.cuda"  # from triton.language.extra.cuda import libdevice


def f(x, kernel):
    kernel[(1,)](x, extern_libs={"mylib": "mylib.bc"})
    return libdevice.tanh(rsqrt(x))
# output
