import ctypes
import subprocess
from torch import cuda

has_gpu = cuda.is_available()

if not has_gpu:
    driver = None
else:
    driver = subprocess.check_output(["nvidia-smi", "--query-gpu=driver_version"])

runtime = ctypes.CDLL("libcudart.so.12") if has_gpu else None
vendor = "nvidia" if cuda.is_available() else "cpu"
# output
7 crash: has_gpu
12 crash: has_gpu
13 wrong-result: cuda.is_available()
