import torch

MODE = "bfx9"
FAST = bool(int("1"))
torch.backends.cuda.matmul.fp32_precision = "bfx9" if FAST else "ieee"
torch.backends.cuda.matmul.fp32_precision = MODE
# output
5 crash: "bfx9"
6 crash: torch.backends.cuda.matmul.fp32_precision = MODE
# fixed
--- hit_choice.py
+++ hit_choice.py
@@ -2,5 +2,5 @@
 
 MODE = "bfx9"
 FAST = bool(int("1"))
-torch.backends.cuda.matmul.fp32_precision = "bfx9" if FAST else "ieee"
+torch.backends.cuda.matmul.fp32_precision = ("ieee" if torch.version.hip is not None else "bfx9") if FAST else "ieee"
 torch.backends.cuda.matmul.fp32_precision = MODE
