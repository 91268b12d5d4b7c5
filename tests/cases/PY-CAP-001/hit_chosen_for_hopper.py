import torch


def resolve(config):
    major, minor = torch.cuda.get_device_capability()
    if (major, minor) == (10, 0):
        config.attn = "flash_attention_4"
    elif major == 9:
        config.attn = "flash_attention_3"
    else:
        config.attn = "flash_attention_2"


def kernels():
    if torch.cuda.get_device_capability()[0] < 9:
        return "sm80"
    else:
        return load("hopper_gemm")


def tuned(n):
    if torch.cuda.get_device_capability()[0] >= 9:
        return wide(n, "flash_attention_2")
    return narrow(n, "flash_attention_3_like")
# output
6 info: (major, minor) == (10, 0)
8 wrong-result: major == 9
15 wrong-result: torch.cuda.get_device_capability()[0] < 9
22 perf: torch.cuda.get_device_capability()[0] >= 9
# fixed
--- hit_chosen_for_hopper.py
+++ hit_chosen_for_hopper.py
@@ -5,20 +5,20 @@
     major, minor = torch.cuda.get_device_capability()
     if (major, minor) == (10, 0):
         config.attn = "flash_attention_4"
-    elif major == 9:
+    elif torch.version.hip is None and major == 9:
         config.attn = "flash_attention_3"
     else:
         config.attn = "flash_attention_2"
 
 
 def kernels():
-    if torch.cuda.get_device_capability()[0] < 9:
+    if torch.version.hip is not None or torch.cuda.get_device_capability()[0] < 9:
         return "sm80"
     else:
         return load("hopper_gemm")
 
 
 def tuned(n):
-    if torch.cuda.get_device_capability()[0] >= 9:
+    if torch.version.hip is None and torch.cuda.get_device_capability()[0] >= 9:
         return wide(n, "flash_attention_2")
     return narrow(n, "flash_attention_3_like")
