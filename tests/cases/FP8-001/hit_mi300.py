import torch as t


def kv(cache, small):
    dtype = t.float8_e4m3fn if small else t.float16
    return cache.view(t.float8_e5m2).to(dtype)
# output
arch: gfx942
5 wrong-result: t.float8_e4m3fn
6 wrong-result: t.float8_e5m2
# fixed
--- hit_mi300.py
+++ hit_mi300.py
@@ -2,5 +2,5 @@
 
 
 def kv(cache, small):
-    dtype = t.float8_e4m3fn if small else t.float16
-    return cache.view(t.float8_e5m2).to(dtype)
+    dtype = (t.float8_e4m3fnuz if t.version.hip is not None and t.cuda.get_device_properties(t.cuda.current_device()).gcnArchName.startswith("gfx94") else t.float8_e4m3fn) if small else t.float16
+    return cache.view(t.float8_e5m2fnuz if t.version.hip is not None and t.cuda.get_device_properties(t.cuda.current_device()).gcnArchName.startswith("gfx94") else t.float8_e5m2).to(dtype)
