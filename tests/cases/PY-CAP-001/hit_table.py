import torch

NAMES = {(8, 0): "ampere", (9, 0): "hopper", (10, 0): "blackwell"}
TILES = {80: 64, 90: 128}


def config():
    major, minor = torch.cuda.get_device_capability()
    name = NAMES.get((major, minor), "unknown")
    tile = TILES[major * 10 + minor]
    match major:
        case 9:
            return name, tile
    for cap in [torch.cuda.get_device_capability(i) for i in range(2)]:
        if cap < (8, 0):
            return None
    return all(torch.cuda.get_device_capability(i)[0] >= 9 for i in range(2))
# output
9 perf: NAMES.get((major, minor), "unknown")
10 perf: TILES[major * 10 + minor]
11 perf: major
15 info: cap < (8, 0)
17 perf: torch.cuda.get_device_capability(i)[0] >= 9
# fixed
--- hit_table.py
+++ hit_table.py
@@ -14,4 +14,4 @@
     for cap in [torch.cuda.get_device_capability(i) for i in range(2)]:
         if cap < (8, 0):
             return None
-    return all(torch.cuda.get_device_capability(i)[0] >= 9 for i in range(2))
+    return all(torch.version.hip is None and torch.cuda.get_device_capability(i)[0] >= 9 for i in range(2))
