import torch
import torch.distributed as dist


def capture(x, pool):
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g, pool=pool):
        dist.all_reduce(x)
    h = torch.cuda.CUDAGraph()
    h.capture_begin(pool)
    h.capture_end()
    return g, h
# output
rocm: 7.1
7 crash: torch.cuda.graph(g, pool=pool)
10 crash: h.capture_begin(pool)
# fixed
--- hit_default_mode.py
+++ hit_default_mode.py
@@ -4,9 +4,9 @@
 
 def capture(x, pool):
     g = torch.cuda.CUDAGraph()
-    with torch.cuda.graph(g, pool=pool):
+    with torch.cuda.graph(g, pool=pool, **({"capture_error_mode": "thread_local"} if torch.version.hip is not None else {})):
         dist.all_reduce(x)
     h = torch.cuda.CUDAGraph()
-    h.capture_begin(pool)
+    h.capture_begin(pool, **({"capture_error_mode": "thread_local"} if torch.version.hip is not None else {}))
     h.capture_end()
     return g, h
