import sys

import torch
import torch.distributed as dist


def start():
    try:
        dist.init_process_group(init_method="env://")
        torch.cuda.set_device(dist.get_rank())
        return True
    except:
        print("one process")
        return False


def card():
    try:
        torch.cuda.set_device(0)
    except AssertionError as error:
        sys.exit(str(error))
    try:
        torch.cuda.set_device(0)
    except KeyError:
        pass
# output
target: gaudi
10 runs-on-cpu: torch.cuda.set_device
19 crash: torch.cuda.set_device
23 crash: torch.cuda.set_device
# fixed
--- hit_caught.py
+++ hit_caught.py
@@ -3,11 +3,13 @@
 import torch
 import torch.distributed as dist
 
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+
 
 def start():
     try:
         dist.init_process_group(init_method="env://")
-        torch.cuda.set_device(dist.get_rank())
+        (torch.hpu if IS_GAUDI else torch.cuda).set_device(dist.get_rank())
         return True
     except:
         print("one process")
@@ -16,10 +18,10 @@
 
 def card():
     try:
-        torch.cuda.set_device(0)
+        (torch.hpu if IS_GAUDI else torch.cuda).set_device(0)
     except AssertionError as error:
         sys.exit(str(error))
     try:
-        torch.cuda.set_device(0)
+        (torch.hpu if IS_GAUDI else torch.cuda).set_device(0)
     except KeyError:
         pass
