import os

import torch
import torch.multiprocessing as mp

count = torch.cuda.device_count()
mp.set_start_method("fork")
ctx = mp.get_context(method="fork")
mp.start_processes(worker, nprocs=2, start_method="fork")
if os.fork() == 0:
    child()
# output
7 crash: mp.set_start_method("fork")
8 crash: mp.get_context(method="fork")
9 crash: mp.start_processes(worker, nprocs=2, start_method="fork")
10 crash: os.fork()
# fixed
--- hit_fork.py
+++ hit_fork.py
@@ -4,8 +4,8 @@
 import torch.multiprocessing as mp
 
 count = torch.cuda.device_count()
-mp.set_start_method("fork")
-ctx = mp.get_context(method="fork")
-mp.start_processes(worker, nprocs=2, start_method="fork")
+mp.set_start_method("spawn" if torch.version.hip is not None else "fork")
+ctx = mp.get_context(method="spawn" if torch.version.hip is not None else "fork")
+mp.start_processes(worker, nprocs=2, start_method="spawn" if torch.version.hip is not None else "fork")
 if os.fork() == 0:
     child()
