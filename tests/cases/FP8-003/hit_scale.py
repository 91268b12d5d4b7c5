import torch

FP8_MAX = 448.0


def quantize(x, fp8_max=448):
    amax = x.abs().amax()
    scale = amax / 448.0
    return (x / scale).clamp(-448, 448).to(torch.float8_e4m3fn), scale
# output
arch: gfx942
3 wrong-result: 448.0
6 wrong-result: 448
8 wrong-result: 448.0
9 wrong-result: (x / scale).clamp(-448, 448)
# fixed
--- hit_scale.py
+++ hit_scale.py
@@ -5,5 +5,5 @@
 
 def quantize(x, fp8_max=448):
     amax = x.abs().amax()
-    scale = amax / 448.0
-    return (x / scale).clamp(-448, 448).to(torch.float8_e4m3fn), scale
+    scale = amax / (240.0 if torch.version.hip is not None and torch.cuda.get_device_properties(torch.cuda.current_device()).gcnArchName.startswith("gfx94") else 448.0)
+    return (x / scale).clamp(-(240 if torch.version.hip is not None and torch.cuda.get_device_properties(torch.cuda.current_device()).gcnArchName.startswith("gfx94") else 448), 240 if torch.version.hip is not None and torch.cuda.get_device_properties(torch.cuda.current_device()).gcnArchName.startswith("gfx94") else 448).to(torch.float8_e4m3fnuz if torch.version.hip is not None and torch.cuda.get_device_properties(torch.cuda.current_device()).gcnArchName.startswith("gfx94") else torch.float8_e4m3fn), scale
