import ctypes
from ctypes import CDLL
from ctypes.util import find_library

cudart = ctypes.CDLL("libcudart.so")
driver = CDLL("libcuda.so.1", mode=ctypes.RTLD_GLOBAL)
nvrtc = ctypes.cdll.LoadLibrary(f"libnvrtc.so.{major}")
path = find_library("cudart")
# output
5 crash: ctypes.CDLL("libcudart.so")
6 crash: CDLL("libcuda.so.1", mode=ctypes.RTLD_GLOBAL)
7 crash: ctypes.cdll.LoadLibrary(f"libnvrtc.so.{major}")
8 info: find_library("cudart")
