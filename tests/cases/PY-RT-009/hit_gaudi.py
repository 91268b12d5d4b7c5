import ctypes

lib = ctypes.CDLL("/usr/local/cuda/lib64/libcudart.so.12")
# output
target: gaudi
3 crash: ctypes.CDLL("/usr/local/cuda/lib64/libcudart.so.12")
