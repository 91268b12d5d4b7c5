import torch as t
from torch import cuda
from torch.cuda import synchronize as wait

t.cuda.set_device(0)
stream = cuda.Stream()
wait()
if t.cuda.is_available():
    t.cuda.empty_cache()
free, total = t.cuda.mem_get_info()
# output
target: gaudi
5 crash: t.cuda.set_device
6 crash: cuda.Stream
7 crash: wait
# fixed
--- hit_names.py
+++ hit_names.py
@@ -2,9 +2,13 @@
 from torch import cuda
 from torch.cuda import synchronize as wait
 
-t.cuda.set_device(0)
-stream = cuda.Stream()
-wait()
+_IS_GAUDI = hasattr(t, "hpu") and t.hpu.is_available()
+
+IS_GAUDI = hasattr(t, "hpu") and t.hpu.is_available()
+
+(t.hpu if IS_GAUDI else t.cuda).set_device(0)
+stream = (t.hpu.Stream if IS_GAUDI else cuda.Stream)()
+(t.hpu.synchronize if IS_GAUDI else wait)()
 if t.cuda.is_available():
     t.cuda.empty_cache()
-free, total = t.cuda.mem_get_info()
+free, total = (t.hpu if _IS_GAUDI else t.cuda).mem_get_info()
