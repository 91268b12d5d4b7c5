import torch


def check(args):
    if args.bf16 and not torch.cuda.is_bf16_supported():
        raise ValueError("bfloat16 is not there")


def choose():
    return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16


def warn(args):
    if args.bf16 and not torch.cuda.is_bf16_supported():
        print("bfloat16 may be slow")
# output
target: gaudi
5 crash: torch.cuda.is_bf16_supported()
10 perf: torch.cuda.is_bf16_supported()
14 perf: torch.cuda.is_bf16_supported()
# fixed
--- hit_gaudi_refuses.py
+++ hit_gaudi_refuses.py
@@ -1,15 +1,17 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 def check(args):
-    if args.bf16 and not torch.cuda.is_bf16_supported():
+    if args.bf16 and not (torch.hpu if IS_GAUDI else torch.cuda).is_bf16_supported():
         raise ValueError("bfloat16 is not there")
 
 
 def choose():
-    return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
+    return torch.bfloat16 if (torch.hpu if IS_GAUDI else torch.cuda).is_bf16_supported() else torch.float16
 
 
 def warn(args):
-    if args.bf16 and not torch.cuda.is_bf16_supported():
+    if args.bf16 and not (torch.hpu if IS_GAUDI else torch.cuda).is_bf16_supported():
         print("bfloat16 may be slow")
