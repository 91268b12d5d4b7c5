import ctypes

libc = ctypes.CDLL("libc.so.6")
mine = ctypes.CDLL("./libcudakernels.so")
nccl = ctypes.CDLL("libnccl.so.2")
text = "libcudart.so"
# output
