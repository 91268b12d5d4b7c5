import torch
import torch.multiprocessing as mp


def prepare():
    torch.cuda.init()


def launch(worker):
    prepare()
    mp.start_processes(worker, nprocs=2, start_method="fork")


def debug_on_cpu(worker):
    mp.start_processes(worker, nprocs=2, start_method="fork")
# output
11 crash: mp.start_processes(worker, nprocs=2, start_method="fork")
15 info: mp.start_processes(worker, nprocs=2, start_method="fork")
# fixed
--- hit_where_the_gpu_is_used.py
+++ hit_where_the_gpu_is_used.py
@@ -8,7 +8,7 @@
 
 def launch(worker):
     prepare()
-    mp.start_processes(worker, nprocs=2, start_method="fork")
+    mp.start_processes(worker, nprocs=2, start_method="spawn" if torch.version.hip is not None else "fork")
 
 
 def debug_on_cpu(worker):
