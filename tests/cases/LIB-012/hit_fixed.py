import onnxruntime
import torch


def session(path):
    return onnxruntime.InferenceSession(path, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
# output
6 runs-on-cpu: ["CUDAExecutionProvider", "CPUExecutionProvider"]
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -3,4 +3,4 @@
 
 
 def session(path):
-    return onnxruntime.InferenceSession(path, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
+    return onnxruntime.InferenceSession(path, providers=["MIGraphXExecutionProvider", "CPUExecutionProvider"] if torch.version.hip is not None else ["CUDAExecutionProvider", "CPUExecutionProvider"])
