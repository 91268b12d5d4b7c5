from torch import cuda as gpu


def on_rocm(index=0):
    name = gpu.get_device_properties(index).name.lower()
    return name.startswith("amd") or "radeon" in name
# output
6 wrong-result: name.startswith("amd")
6 wrong-result: "radeon" in name
# fixed
--- hit_function.py
+++ hit_function.py
@@ -1,6 +1,7 @@
 from torch import cuda as gpu
+from torch import version as torch_version
 
 
 def on_rocm(index=0):
     name = gpu.get_device_properties(index).name.lower()
-    return name.startswith("amd") or "radeon" in name
+    return torch_version.hip is not None or name.startswith("amd") or torch_version.hip is not None or "radeon" in name
