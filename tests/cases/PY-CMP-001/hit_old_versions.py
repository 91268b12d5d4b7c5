import functools

import torch
from torch import compile as tc


@torch.compile(mode="reduce-overhead", fullgraph=True)
def step(x):
    return x * 2


fast = tc(step, mode="reduce-overhead")
later = functools.partial(torch.compile, mode="reduce-overhead")
options = {"mode": "reduce-overhead", "dynamic": False}
other = torch.compile(step, **options)


class Net(torch.nn.Module):
    def prepare(self, quick):
        self.compile(mode="reduce-overhead" if quick else "default")
# output
torch: 2.10
rocm: 7.0
7 perf: mode="reduce-overhead"
12 perf: mode="reduce-overhead"
13 perf: mode="reduce-overhead"
14 perf: "mode"
20 perf: "reduce-overhead"
# fixed
--- hit_old_versions.py
+++ hit_old_versions.py
@@ -9,12 +9,12 @@
     return x * 2
 
 
-fast = tc(step, mode="reduce-overhead")
-later = functools.partial(torch.compile, mode="reduce-overhead")
+fast = tc(step, mode="default" if torch.version.hip is not None else "reduce-overhead")
+later = functools.partial(torch.compile, mode="default" if torch.version.hip is not None else "reduce-overhead")
 options = {"mode": "reduce-overhead", "dynamic": False}
 other = torch.compile(step, **options)
 
 
 class Net(torch.nn.Module):
     def prepare(self, quick):
-        self.compile(mode="reduce-overhead" if quick else "default")
+        self.compile(mode=("default" if torch.version.hip is not None else "reduce-overhead") if quick else "default")
