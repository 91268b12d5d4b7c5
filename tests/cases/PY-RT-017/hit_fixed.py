import torch

config = {
    "zero_optimization": {"stage": 2},
    "bf16": {"enabled": True},
}
# output
5 info: {"enabled": True}
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -3,4 +3,5 @@
 config = {
     "zero_optimization": {"stage": 2},
     "bf16": {"enabled": True},
+    **({"communication_data_type": "fp32"} if torch.version.hip is not None else {}),
 }
