import torch

major, minor = torch.cuda.get_device_capability()
sm = major * 10 + minor
if sm >= 90:
    tile = 128
elif sm in (80, 86, 89):
    tile = 64
number = float(f"{major}.{minor}")
if number > 8.0:
    tile *= 2
family = sm // 10
if family == 12:
    tile = 32
# output
5 info: sm >= 90
7 info: sm in (80, 86, 89)
10 perf: number > 8.0
13 info: family == 12
# fixed
--- hit_arithmetic.py
+++ hit_arithmetic.py
@@ -7,7 +7,7 @@
 elif sm in (80, 86, 89):
     tile = 64
 number = float(f"{major}.{minor}")
-if number > 8.0:
+if torch.version.hip is None and number > 8.0:
     tile *= 2
 family = sm // 10
 if family == 12:
