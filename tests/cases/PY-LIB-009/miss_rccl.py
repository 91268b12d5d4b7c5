import ctypes

names = ["libnccl.so.2", "librccl.so.1", "librccl.so", "/opt/rocm/lib/librccl.so.1.0"]
nccl = ctypes.CDLL(names[1])
# output
