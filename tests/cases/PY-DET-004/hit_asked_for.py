import torch

TFLOPS = {"A100": 312.0, "H100": 989.0}
BANDWIDTH = {"A100": 2.0, "H100": 3.35}
MEMORY = {"A100": 80, "H100": 80}

name = torch.cuda.get_device_name()
model = next((model for model in TFLOPS if model in name), None)
if model:
    print(TFLOPS[model])
print(BANDWIDTH.get(model, "unknown"))
print(MEMORY[name])
# output
3 info: {"A100": 312.0, "H100": 989.0}
4 info: {"A100": 2.0, "H100": 3.35}
5 wrong-result: {"A100": 80, "H100": 80}
# fixed
--- hit_asked_for.py
+++ hit_asked_for.py
@@ -1,8 +1,12 @@
 import torch
 
 TFLOPS = {"A100": 312.0, "H100": 989.0}
+if torch.version.hip is not None:
+    TFLOPS.update({"MI250X": 191.5, "MI300A": 980.6, "MI300X": 1307.4, "MI325X": 1307.4, "MI350X": 2306.9, "MI355X": 2516.6, "MI210": 181.0})
 BANDWIDTH = {"A100": 2.0, "H100": 3.35}
 MEMORY = {"A100": 80, "H100": 80}
+if torch.version.hip is not None:
+    MEMORY.update({"MI250X": 64.0, "MI300A": 128.0, "MI300X": 192.0, "MI325X": 256.0, "MI350X": 288.0, "MI355X": 288.0, "MI210": 64.0})
 
 name = torch.cuda.get_device_name()
 model = next((model for model in TFLOPS if model in name), None)
