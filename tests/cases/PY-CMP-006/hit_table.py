from torch import compile

BACKEND = "torch_tensorrt"
kwargs = dict(backend="tensorrt")


def build(model, quick):
    model.compile(backend="torch_tensorrt" if quick else "inductor")
    return compile(model, **kwargs), compile(model, backend=BACKEND)
# output
4 crash: backend="tensorrt"
8 crash: "torch_tensorrt"
9 crash: backend=BACKEND
# fixed
--- hit_table.py
+++ hit_table.py
@@ -1,9 +1,10 @@
 from torch import compile
+from torch import version as torch_version
 
 BACKEND = "torch_tensorrt"
-kwargs = dict(backend="tensorrt")
+kwargs = dict(backend="inductor" if torch_version.hip is not None else "tensorrt")
 
 
 def build(model, quick):
-    model.compile(backend="torch_tensorrt" if quick else "inductor")
+    model.compile(backend=("inductor" if torch_version.hip is not None else "torch_tensorrt") if quick else "inductor")
     return compile(model, **kwargs), compile(model, backend=BACKEND)
