import torch

PEAK_TFLOPS = {"A100": 312.0, "H100": 989.0, "H200": 989.0}


def peak():
    name = torch.cuda.get_device_name()
    return next(tflops for product, tflops in PEAK_TFLOPS.items() if product in name)
# output
3 wrong-result: {"A100": 312.0, "H100": 989.0, "H200": 989.0}
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,6 +1,8 @@
 import torch
 
 PEAK_TFLOPS = {"A100": 312.0, "H100": 989.0, "H200": 989.0}
+if torch.version.hip is not None:
+    PEAK_TFLOPS.update({"MI250X": 191.5, "MI300A": 980.6, "MI300X": 1307.4, "MI325X": 1307.4, "MI350X": 2306.9, "MI355X": 2516.6, "MI210": 181.0})
 
 
 def peak():
