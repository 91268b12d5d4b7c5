import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


def attend(q, k, v):
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        return F.scaled_dot_product_attention(q, k, v)


def attend_list(q, k, v):
    backends = [SDPBackend.CUDNN_ATTENTION]
    with sdpa_kernel(backends=backends):
        return F.scaled_dot_product_attention(q, k, v)
# output
6 crash: sdpa_kernel(SDPBackend.CUDNN_ATTENTION)
12 crash: sdpa_kernel(backends=backends)
# fixed
--- hit_context.py
+++ hit_context.py
@@ -1,9 +1,10 @@
 import torch.nn.functional as F
+from torch import version as torch_version
 from torch.nn.attention import SDPBackend, sdpa_kernel
 
 
 def attend(q, k, v):
-    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
+    with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH] if torch_version.hip is not None else SDPBackend.CUDNN_ATTENTION):
         return F.scaled_dot_product_attention(q, k, v)
 
 
