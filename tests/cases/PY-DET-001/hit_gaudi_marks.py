import pytest
import torch

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA only")
model.fit(use_gpu=torch.cuda.is_available())
# output
target: gaudi
4 info: torch.cuda.is_available()
5 runs-on-cpu: torch.cuda.is_available()
# fixed
--- hit_gaudi_marks.py
+++ hit_gaudi_marks.py
@@ -1,5 +1,7 @@
 import pytest
 import torch
 
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+
 pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA only")
-model.fit(use_gpu=torch.cuda.is_available())
+model.fit(use_gpu=IS_GAUDI or torch.cuda.is_available())
