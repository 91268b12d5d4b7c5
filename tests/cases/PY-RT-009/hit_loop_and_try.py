import ctypes

for name in ("libcudart.so.12", "libcudart.so"):
    lib = ctypes.CDLL(name)
try:
    nvml = ctypes.CDLL("libnvidia-ml.so.1")
except OSError:
    nvml = None
# output
4 crash: ctypes.CDLL(name)
6 info: ctypes.CDLL("libnvidia-ml.so.1")
