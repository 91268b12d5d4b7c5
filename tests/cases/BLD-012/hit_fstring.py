import torch
from setuptools import setup

cuda = torch.version.cuda
setup(name="x", version=f"1.2.0+cu{cuda}")
# output
path: setup.py
5 build-fail: f"1.2.0+cu{cuda}"
# fixed
--- setup.py
+++ setup.py
@@ -1,5 +1,7 @@
 import torch
 from setuptools import setup
 
+IS_ROCM = torch.version.hip is not None
+
 cuda = torch.version.cuda
-setup(name="x", version=f"1.2.0+cu{cuda}")
+setup(name="x", version=f"1.2.0+rocm" + torch.version.hip.split("-")[0] if IS_ROCM else f"1.2.0+cu{cuda}")
