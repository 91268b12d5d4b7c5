import os
from pathlib import Path

import torch.utils.cpp_extension as ext
from torch.utils.cpp_extension import CUDA_HOME

include_dirs = [os.path.join(CUDA_HOME, "include")]
nvcc = ext.CUDA_HOME + "/bin/nvcc"
lib64 = f"{CUDA_HOME}/lib64"
home = Path(CUDA_HOME) / "bin"
# output
7 build-fail: os.path.join(CUDA_HOME, "include")
8 build-fail: ext.CUDA_HOME + "/bin/nvcc"
9 build-fail: f"{CUDA_HOME}/lib64"
10 build-fail: Path(CUDA_HOME)
# fixed
--- hit_paths.py
+++ hit_paths.py
@@ -2,9 +2,10 @@
 from pathlib import Path
 
 import torch.utils.cpp_extension as ext
-from torch.utils.cpp_extension import CUDA_HOME
+from torch.utils.cpp_extension import CUDA_HOME, IS_HIP_EXTENSION
 
-include_dirs = [os.path.join(CUDA_HOME, "include")]
-nvcc = ext.CUDA_HOME + "/bin/nvcc"
-lib64 = f"{CUDA_HOME}/lib64"
-home = Path(CUDA_HOME) / "bin"
+include_dirs = [] if IS_HIP_EXTENSION else [os.path.join(CUDA_HOME, "include")]
+if not IS_HIP_EXTENSION:
+    nvcc = ext.CUDA_HOME + "/bin/nvcc"
+    lib64 = f"{CUDA_HOME}/lib64"
+    home = Path(CUDA_HOME) / "bin"
