import os
from cffi import FFI
from ctypes.util import find_library as find

so_file = os.environ.get("NCCL_SO_PATH", "libnccl.so.2")
lib = FFI().dlopen(so_file)
path = find("nccl")
# output
5 crash: "libnccl.so.2"
7 crash: find("nccl")
