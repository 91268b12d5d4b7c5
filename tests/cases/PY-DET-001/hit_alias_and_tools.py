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
# fixed
--- hit_alias_and_tools.py
+++ hit_alias_and_tools.py
@@ -1,6 +1,7 @@
 import ctypes
 import subprocess
 from torch import cuda
+from torch import version as torch_version
 
 has_gpu = cuda.is_available()
 
@@ -9,5 +10,5 @@
 else:
     driver = subprocess.check_output(["nvidia-smi", "--query-gpu=driver_version"])
 
-runtime = ctypes.CDLL("libcudart.so.12") if has_gpu else None
-vendor = "nvidia" if cuda.is_available() else "cpu"
+runtime = ctypes.CDLL("libamdhip64.so" if torch_version.hip is not None else "libcudart.so.12") if has_gpu else None
+vendor = "nvidia" if torch_version.hip is None and cuda.is_available() else "cpu"
