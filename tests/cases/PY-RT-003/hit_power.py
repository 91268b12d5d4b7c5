import torch
from torch.cuda import power_draw as power

watts = torch.cuda.power_draw() / 1000
milli = power(0)
load = torch.cuda.utilization()
# output
torch: 2.12
4 wrong-result: torch.cuda.power_draw()
5 wrong-result: power(0)
6 info: torch.cuda.utilization()
# fixed
--- hit_power.py
+++ hit_power.py
@@ -1,6 +1,6 @@
 import torch
 from torch.cuda import power_draw as power
 
-watts = torch.cuda.power_draw() / 1000
-milli = power(0)
+watts = (torch.cuda.power_draw() * 1000 if torch.version.hip is not None else torch.cuda.power_draw()) / 1000
+milli = power(0) * 1000 if torch.version.hip is not None else power(0)
 load = torch.cuda.utilization()
