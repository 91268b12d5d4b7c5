import ctypes

nccl = ctypes.CDLL("libnccl.so.2")
# output
target: gaudi
3 crash: "libnccl.so.2"
