import torch


def seed(n):
    torch.cuda.manual_seed_all(n)


def seeded(n):
    torch.manual_seed(n)
    torch.cuda.manual_seed_all(n)


def rank(world_rank):
    return world_rank % torch.cuda.device_count()


def many(model):
    return torch.nn.DataParallel(model) if torch.cuda.device_count() > 1 else model


def clear():
    if torch.cuda.is_available:
        torch.cuda.empty_cache()


def peak():
    print(f"peak {torch.cuda.max_memory_allocated()}")
    return torch.cuda.max_memory_allocated()
# output
target: gaudi
5 wrong-result: torch.cuda.manual_seed_all
10 info: torch.cuda.manual_seed_all
14 crash: torch.cuda.device_count
18 info: torch.cuda.device_count
22 info: torch.cuda.is_available
23 info: torch.cuda.empty_cache
27 info: torch.cuda.max_memory_allocated
28 wrong-result: torch.cuda.max_memory_allocated
# fixed
--- hit_quiet.py
+++ hit_quiet.py
@@ -1,8 +1,10 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 def seed(n):
-    torch.cuda.manual_seed_all(n)
+    (torch.hpu if IS_GAUDI else torch.cuda).manual_seed_all(n)
 
 
 def seeded(n):
@@ -11,7 +13,7 @@
 
 
 def rank(world_rank):
-    return world_rank % torch.cuda.device_count()
+    return world_rank % (torch.hpu if IS_GAUDI else torch.cuda).device_count()
 
 
 def many(model):
@@ -25,4 +27,4 @@
 
 def peak():
     print(f"peak {torch.cuda.max_memory_allocated()}")
-    return torch.cuda.max_memory_allocated()
+    return (torch.hpu if IS_GAUDI else torch.cuda).max_memory_allocated()
