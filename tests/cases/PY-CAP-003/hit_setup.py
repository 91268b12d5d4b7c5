import torch
from torch.utils.cpp_extension import CUDAExtension

cap = torch.cuda.get_device_capability()
arch = f"sm_{cap[0]}{cap[1]}"
flags = [f"-gencode=arch=compute_{cap[0]}{cap[1]},code=sm_{cap[0]}{cap[1]}"]
# output
path: setup.py
5 build-fail: f"sm_{cap[0]}{cap[1]}"
6 build-fail: f"-gencode=arch=compute_{cap[0]}{cap[1]},code=sm_{cap[0]}{cap[1]}"
# fixed
--- setup.py
+++ setup.py
@@ -1,6 +1,8 @@
 import torch
 from torch.utils.cpp_extension import CUDAExtension
 
+IS_ROCM = torch.version.hip is not None
+
 cap = torch.cuda.get_device_capability()
-arch = f"sm_{cap[0]}{cap[1]}"
-flags = [f"-gencode=arch=compute_{cap[0]}{cap[1]},code=sm_{cap[0]}{cap[1]}"]
+arch = torch.cuda.get_device_properties(torch.cuda.current_device()).gcnArchName.split(":")[0] if torch.version.hip is not None else f"sm_{cap[0]}{cap[1]}"
+flags = [] if IS_ROCM else [f"-gencode=arch=compute_{cap[0]}{cap[1]},code=sm_{cap[0]}{cap[1]}"]
