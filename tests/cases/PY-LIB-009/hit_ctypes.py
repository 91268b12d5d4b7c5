import ctypes
from ctypes import CDLL, cdll

a = ctypes.CDLL("libnccl.so.2")
b = CDLL("libnccl.so", mode=ctypes.RTLD_GLOBAL)
c = cdll.LoadLibrary("/usr/lib/x86_64-linux-gnu/libnccl.so.2.18.3")
# output
4 crash: "libnccl.so.2"
5 crash: "libnccl.so"
6 crash: "/usr/lib/x86_64-linux-gnu/libnccl.so.2.18.3"
